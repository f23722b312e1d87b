// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/block/hostid.h"

#define NQN_UUID "nqn.2014-08.org.nvmexpress:uuid:" /* NVMe base specification 4.7.1 */

/* Nil and all-ones UUIDs are those of firmware that was never given one. */
static bool uuid_good(const char *s, char uuid[static HOSTID_MAX])
{
	return value_uuid(s, strlen(s), uuid) &&
		uuid[strspn(uuid, (const char[]){uuid[0], '-', 0})];
}

static bool read_uuid(const struct env *env, const char *path, char uuid[static HOSTID_MAX])
{
	char text[64];

	return env_read(env, text, sizeof(text), "%s", path) > 0 && uuid_good(text, uuid);
}

/* As libnvme looks for it: x86 and arm64 firmware, then POWER's. */
static bool machine_uuid(const struct env *env, char uuid[static HOSTID_MAX])
{
	static const char *const paths[] = {
		"/sys/class/dmi/id/product_uuid",
		"/sys/firmware/devicetree/base/ibm,partition-uuid",
	};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		if (read_uuid(env, paths[i], uuid))
			return true;
	return false;
}

/* A UUID of version 8 (RFC 9562: of one's own making) that says no more than the port's number. */
static void port_uuid(uint64_t node, char uuid[static HOSTID_MAX])
{
	snprintf(uuid, HOSTID_MAX, "696e6974-6167-8000-%04x-%012llx", 0x8000
		| (unsigned)(node >> 48 & 0x3fff), (unsigned long long)(node & 0xffffffffffff));
}

/* The NQN's own UUID is the identifier that belongs to it. */
static bool uuid_of_nqn(const char *nqn, char uuid[static HOSTID_MAX])
{
	return strncmp(nqn, NQN_UUID, strlen(NQN_UUID)) == 0 &&
		uuid_good(nqn + strlen(NQN_UUID), uuid);
}

void hostid_find(const struct env *env, const char *nqn, const char *id, uint64_t node,
	struct hostid *ret)
{
	char text[NQN_SIZE], uuid[HOSTID_MAX];

	if (!machine_uuid(env, uuid))
		port_uuid(node, uuid);
	if (!nqn && env_read(env, text, sizeof(text), "/etc/nvme/hostnqn") > 0 &&
		value_nqn(text, strlen(text)))
		nqn = text;
	if (nqn)
		strscpy(ret->nqn, nqn, sizeof(ret->nqn));
	else
		snprintf(ret->nqn, sizeof(ret->nqn), NQN_UUID "%s", uuid);
	if (id)
		strscpy(ret->id, id, sizeof(ret->id));
	else if (!read_uuid(env, "/etc/nvme/hostid", ret->id) && !uuid_of_nqn(ret->nqn, ret->id))
		strscpy(ret->id, uuid, sizeof(ret->id));
}
