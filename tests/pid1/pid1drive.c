/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Process 1 of the stand-alone image with a boot that ends as the file /behaviour says: "fail",
 * "kill" (its process gets SIGKILL), "init PATH" (the root is at /sysroot), "leave PATH" (as well,
 * and its process goes on), "stale PATH" (as well, and its export was replaced: stat(2) fails).
 */
#include <signal.h>
#include <sys/stat.h>

#include "boot/boot.h"
#include "base/env.h"
#include "boot/pid1.h"
#include "modules/modprobe.h"

static const struct env here = {.prefix = ""};

/* In place of the C library's. */
int stat(const char *restrict path, struct stat *restrict buf)
{
	char text[8] = "";

	env_read(&here, text, sizeof(text), "/behaviour");
	if (*text != 's' || !streq(path, "/sysroot"))
		return fstatat(AT_FDCWD, path, buf, 0);
	errno = ESTALE;
	return -1;
}

enum boot_outcome boot_main(const struct boot_args *args)
{
	char text[256] = "";

	env_read(&here, text, sizeof(text), "/behaviour");
	printf("boot: %s\n", text);
	fflush(stdout);
	if (streq(text, "kill"))
		raise(SIGKILL);
	if (!strstr(text, " /"))
		return BOOT_FAILED;
	(void)modules_publish_blacklist(&here, (const char *const[]){"nouveau"}, 1);
	strscpy(args->ret_init, strchr(text, ' ') + 1, BOOT_INIT_MAX);
	if (*text == 'l') {
		(void)!write(args->words_fd, "", 1);
		pause();
	}
	return BOOT_DONE;
}

bool boot_claims(const struct boot_plan *plan)
{
	(void)plan;
	return true;
}

int main(int argc, char *argv[], char *envp[])
{
	(void)argc;
	pid1_main(argv, envp);
}
