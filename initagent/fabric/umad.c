// SPDX-License-Identifier: GPL-2.0-or-later
/* umad: which adapters libibumad can open. */
#include "fabric/umad.h"

#include <infiniband/umad.h>
#include <limits.h>

#include "fabric/fabric.h"

#define CLASS "/sys/class/infiniband"
#define ABI   "/sys/class/infiniband_mad/abi_version"

bool umad_is_there(const struct env *env)
{
	char text[16];

	return env_read(env, text, sizeof(text), ABI) > 0;
}

/* libibumad looks at the real /sys whatever our prefix is, so both must know the adapter. */
static bool is_real(const struct env *env, const char *name)
{
	char path[PATH_MAX];
	umad_ca_t ca;

	if (!*name || strchr(name, '/'))
		return false;
	if (env_path(env, path, sizeof(path), CLASS "/%s", name) < 0 || access(path, F_OK) < 0)
		return false;
	if (umad_get_ca(name, &ca) < 0)
		return false;
	umad_release_ca(&ca);
	return true;
}

int fabric_umad_cas(const struct env *env, char (*names)[64], size_t max)
{
	char found[UMAD_MAX_DEVICES][UMAD_CA_NAME_LEN], path[PATH_MAX];
	size_t count = 0;
	int n;

	/* Without this look, libibumad would name its default adapter. */
	if (env_path(env, path, sizeof(path), CLASS) < 0 || access(path, F_OK) < 0)
		return 0;
	if (!umad_is_there(env))
		return 0;
	if (umad_init() < 0)
		return -EIO;
	n = umad_get_cas_names(found, UMAD_MAX_DEVICES);
	for (int i = 0; i < n && count < max; i++) {
		found[i][UMAD_CA_NAME_LEN - 1] = 0;
		if (is_real(env, found[i]))
			(void)strscpy(names[count++], found[i], sizeof(names[0]));
	}
	return (int)count;
}
