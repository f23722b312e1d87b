// SPDX-License-Identifier: GPL-2.0-or-later
/* The last failure over a reboot, in a tree of plain files that plays efivarfs and pstore. */
#include "check.h"

#include <poll.h>
#include <sys/stat.h>

#include "report/tell/failure_store.h"

#define VARIABLE \
	"/sys/firmware/efi/efivars/InitagentLastFailure-6d0f2a57-4b0e-4c8d-9b39-1f7d1c5e0a42"
#define BOTH	 (FAILURE_STORE_EFI | FAILURE_STORE_PSTORE)

static const struct failure first = {.cause = CAUSE_NETDEV_NO_CARRIER, .where = "ib0",
	.text = "why", .wall = 1700000000};

static struct env machine(char *template)
{
	static const char *const dirs[] = {"/sys", "/sys/firmware", "/sys/firmware/efi",
		"/sys/firmware/efi/efivars", "/sys/fs", "/sys/fs/pstore", "/dev"};
	struct env env = {.prefix = check_dir(template)};
	char path[256];

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		env_path(&env, path, sizeof(path), "%s", dirs[i]);
		CHECK_INT(mkdir(path, 0755), 0);
	}
	env_path(&env, path, sizeof(path), "/dev/pmsg0");
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	return env;
}

/* A boot: what it finds, and how it ends. */
static int boot(const struct env *env, unsigned places, struct failure *found,
	const struct failure *fails)
{
	struct failure_store *r = NULL;
	int got = 0, error = 0;

	CHECK_INT(failure_store_new(&r, env, places), 0);
	CHECK_INT(poll(&(struct pollfd){.fd = failure_store_fd(r), .events = POLLIN}, 1, 20000), 1);
	got = failure_store_pop(r, found);
	CHECK_INT(fails ? failure_store_keep(r, fails) : failure_store_clear(r), 0);
	if (failure_store_fd(r) >= 0)
		CHECK_INT(poll(&(struct pollfd){.fd = failure_store_fd(r), .events = POLLIN}, 1,
			20000), 1);
	CHECK(failure_store_done(r, &error));
	CHECK_INT(error, 0);
	failure_store_free(r);
	return got;
}

/* The variable as it is: its attributes' first byte, and when it was changed; -1: there is none. */
static long variable(const struct env *env, int *attributes)
{
	char path[256], bytes[1024] = "";
	struct stat st;
	int fd;

	env_path(env, path, sizeof(path), VARIABLE);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	CHECK(fstat(fd, &st) == 0 && read(fd, bytes, sizeof(bytes)) == 4 + FAILURE_RECORD_MAX);
	*attributes = bytes[0] | bytes[1] | bytes[2] | bytes[3];
	close(fd);
	return st.st_mtim.tv_sec * 1000000000L + st.st_mtim.tv_nsec;
}

TEST(a_failure_is_known_until_a_boot_succeeds)
{
	char template[] = "/tmp/rememberXXXXXX";
	struct env env = machine(template);
	struct failure found;
	int attributes = 0;

	CHECK_INT(boot(&env, FAILURE_STORE_EFI, &found, &first), 0);
	CHECK(variable(&env, &attributes) > 0);
	CHECK_INT(attributes, 7);
	CHECK_INT(boot(&env, FAILURE_STORE_EFI, &found, NULL), 1);
	CHECK(failure_same(&found, &first));
	CHECK_STR(found.text, "why");
	CHECK_INT(variable(&env, &attributes), -1);
	CHECK_INT(boot(&env, FAILURE_STORE_EFI, &found, NULL), 0);
}

TEST(flash_is_written_only_when_something_else_is_wrong)
{
	char template[] = "/tmp/rememberXXXXXX";
	struct env env = machine(template);
	struct failure found, again = first, other = first;
	char path[256];
	int attributes;
	long before;

	boot(&env, FAILURE_STORE_EFI, &found, &first);
	/* of long ago: two writes may be within one tick of the kernel's clock */
	env_path(&env, path, sizeof(path), VARIABLE);
	CHECK_INT(utimensat(AT_FDCWD, path, (const struct timespec[2]){{1, 0}, {1, 0}}, 0), 0);
	before = variable(&env, &attributes);
	again.wall += 200;
	CHECK_INT(boot(&env, FAILURE_STORE_EFI, &found, &again), 1);
	CHECK_INT(variable(&env, &attributes), before);
	strscpy(other.where, "ib1", sizeof(other.where));
	CHECK_INT(boot(&env, FAILURE_STORE_EFI, &found, &other), 1);
	CHECK(variable(&env, &attributes) != before);
	CHECK_INT(boot(&env, FAILURE_STORE_EFI, &found, NULL), 1);
	CHECK_STR(found.where, "ib1");
}

/* The kernel shows in the next boot what was written to pmsg0. */
TEST(pstore_keeps_it_over_a_warm_reboot)
{
	char template[] = "/tmp/rememberXXXXXX", from[256], to[256];
	struct env env = machine(template);
	struct failure found;

	CHECK_INT(boot(&env, FAILURE_STORE_PSTORE, &found, &first), 0);
	env_path(&env, from, sizeof(from), "/dev/pmsg0");
	env_path(&env, to, sizeof(to), "/sys/fs/pstore/pmsg-ramoops-0");
	CHECK_INT(rename(from, to), 0);
	CHECK_INT(boot(&env, BOTH, &found, NULL), 1);
	CHECK_STR(found.where, "ib0");
	CHECK_INT(failure_store_read(&env, FAILURE_STORE_PSTORE, &found), 0);
}

TEST(a_machine_without_either_says_so)
{
	char template[] = "/tmp/rememberXXXXXX";
	struct env env = {.prefix = check_dir(template)};
	struct failure_store *r = NULL;
	struct failure found;
	int error = 0;

	CHECK_INT(failure_store_read(&env, BOTH, &found), -ENOENT);
	CHECK_INT(failure_store_new(&r, &env, BOTH), 0);
	poll(&(struct pollfd){.fd = failure_store_fd(r), .events = POLLIN}, 1, 20000);
	CHECK_INT(failure_store_pop(r, &found), 0);
	CHECK_INT(failure_store_keep(r, &first), 0);
	poll(&(struct pollfd){.fd = failure_store_fd(r), .events = POLLIN}, 1, 20000);
	CHECK(failure_store_done(r, &error));
	CHECK_INT(error, ENOENT);
	failure_store_free(r);
}

/* A link in the variable's place leads nowhere. */
TEST(no_link_is_followed)
{
	char template[] = "/tmp/rememberXXXXXX", path[256], victim[256];
	struct env env = machine(template);
	struct failure_store *r = NULL;
	struct failure found;
	struct stat st;
	int error = 0;

	env_path(&env, path, sizeof(path), VARIABLE);
	env_path(&env, victim, sizeof(victim), "/dev/pmsg0");
	CHECK_INT(symlink(victim, path), 0);
	CHECK_INT(failure_store_new(&r, &env, FAILURE_STORE_EFI), 0);
	poll(&(struct pollfd){.fd = failure_store_fd(r), .events = POLLIN}, 1, 20000);
	CHECK_INT(failure_store_pop(r, &found), 0);
	CHECK_INT(failure_store_keep(r, &first), 0);
	poll(&(struct pollfd){.fd = failure_store_fd(r), .events = POLLIN}, 1, 20000);
	CHECK(failure_store_done(r, &error));
	CHECK_INT(error, ELOOP);
	CHECK(stat(victim, &st) == 0 && st.st_size == 0);
	failure_store_free(r);
}
