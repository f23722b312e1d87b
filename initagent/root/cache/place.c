// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/cache/place.h"

#include <limits.h>
#include <poll.h>
#include <sys/stat.h>

#include "root/cache/volume.h"
#include "base/mountpoint.h"
#include "modules/uevent.h"
#include "value.h"

struct search {
	const struct env *env;
	char name[256]; /* "LABEL=cache" */
	const char *dir; /* behind it, without the first '/'; "" none */
	char device[PATH_MAX];
};

/* --- what a block device says of itself ------------------------------------------------------ */

/* 0: it has no such number. */
static uint32_t read_number(const struct env *env, const char *disk, const char *what)
{
	uint32_t n = 0;
	char text[32];
	int len = env_read(env, text, sizeof(text), "/sys/class/block/%s/%s", disk, what);

	return len > 0 && value_u32(text, (size_t)len, UINT16_MAX, &n) == 0 ? n : 0;
}

static ssize_t read_at(const char *path, void *buf, size_t len, uint64_t offset)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	return fd < 0 ? -1 : pread(fd, buf, len, (off_t)offset);
}

static bool judge_volume(const char *path, struct volume *ret)
{
	_cleanup_free_ uint8_t *head = malloc(VOLUME_HEAD);
	ssize_t n = head ? read_at(path, head, VOLUME_HEAD, 0) : -1;

	return n > 0 && volume_judge(head, (size_t)n, ret);
}

/* The disk that name is a partition of: the folder above it in sysfs. */
static bool disk_of(const struct env *env, const char *name, char *ret, size_t size)
{
	char path[PATH_MAX], real[PATH_MAX];

	return env_path(env, path, sizeof(path), "/sys/class/block/%s/..", name) >= 0 &&
		realpath(path, real) && strscpy(ret, path_last(real), size) > 0;
}

static bool judge_part(const struct env *env, const char *name, struct volume_part *ret)
{
	uint32_t number = read_number(env, name, "partition"), sector;
	uint8_t head[8192], entry[VOLUME_ENTRY];
	struct volume_table t;
	char disk[64], path[PATH_MAX];
	ssize_t n;

	if (!number || !disk_of(env, name, disk, sizeof(disk)) ||
		env_path(env, path, sizeof(path), "/dev/%s", disk) < 0)
		return false;
	sector = read_number(env, disk, "queue/logical_block_size");
	n = read_at(path, head, sizeof(head), 0);
	if (n <= 0 || !volume_table(head, (size_t)n, sector ? sector : 512, &t))
		return false;
	if (!t.gpt) {
		volume_part_mbr(&t, number, ret);
		return true;
	}
	if (number > t.n)
		return false;
	n = read_at(path, entry, sizeof(entry), t.offset + (uint64_t)t.size * (number - 1));
	return n == (ssize_t)sizeof(entry) && volume_part_gpt(entry, sizeof(entry), ret);
}

/* --- finding it ------------------------------------------------------------------------------ */

static bool fits(const struct search *s, enum volume_key key, const char *value, const char *name,
	const char *path)
{
	struct volume v;
	struct volume_part p;
	bool known = key == VOLUME_LABEL || key == VOLUME_UUID ? judge_volume(path, &v)
							       : judge_part(s->env, name, &p);

	return known && volume_fits(key, value, &v, &p);
}

/* Devices without medium, and those made of files, are none that a cache is on. */
static bool worth_a_look(const struct search *s, const char *name)
{
	return strncmp(name, "loop", 4) != 0 && strncmp(name, "ram", 3) != 0 &&
		env_number(s->env, "/sys/class/block/%s/size", name);
}

static bool scan(struct search *s, enum volume_key key, const char *value)
{
	_cleanup_closedir_ DIR *dir = env_opendir(s->env, "/sys/class/block");
	const struct dirent *e;
	bool found = false;

	while (!found && (e = dir_next(dir)))
		found = worth_a_look(s, e->d_name) &&
			env_path(s->env, s->device, sizeof(s->device), "/dev/%s", e->d_name) >= 0 &&
			fits(s, key, value, e->d_name, s->device);
	return found;
}

void place_foreign_table(
	const struct env *env, const char *device, char ret[static PLACE_TEXT_MAX])
{
	_cleanup_closedir_ DIR *dir = env_opendir(env, "/sys/class/block");
	const struct dirent *e;

	ret[0] = 0;
	while (!*ret && (e = dir_next(dir))) {
		uint32_t size = read_number(env, e->d_name, "queue/logical_block_size");
		uint32_t other = size == 512 ? 4096 : 512;
		char path[PATH_MAX], mark[8];

		if (size && strncmp(device, e->d_name, *device ? strlen(e->d_name) : 0) == 0 &&
			env_path(env, path, sizeof(path), "/dev/%s", e->d_name) >= 0 &&
			read_at(path, mark, 8, size) == 8 && memcmp(mark, "EFI PART", 8) != 0 &&
			read_at(path, mark, 8, other) == 8 && memcmp(mark, "EFI PART", 8) == 0)
			snprintf(ret, PLACE_TEXT_MAX,
				"the GPT of %.32s is for blocks of %u bytes, the disk has %u",
				e->d_name, other, size);
	}
}

/* By udev's links, too, where there is no udev. */
static bool find(struct search *s)
{
	enum volume_key key;
	size_t at;

	if (s->name[0] == '/' &&
		env_path(s->env, s->device, sizeof(s->device), "%s", s->name) >= 0 &&
		access(s->device, F_OK) == 0)
		return true;
	key = value_volume(s->name, strlen(s->name), &at);
	return key != VOLUME_NO_KEY && scan(s, key, s->name + at);
}

/* Each new device may be the one; more come in one go than are worth a look each. */
static bool wait_for(struct search *s, uint64_t end)
{
	_cleanup_close_ int fd = uevent_open();
	bool found = find(s);
	char buf[UEVENT_SIZE];
	struct uevent ev;

	while (!found && fd >= 0) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		uint64_t now = now_ns();

		if (now >= end || poll(&p, 1, (int)((end - now) / NSEC_PER_MSEC) + 1) < 0)
			break;
		while (uevent_recv(fd, buf, &ev) == 1)
			continue;
		found = find(s);
	}
	return found;
}

/* --- mounting it ----------------------------------------------------------------------------- */

/* Whatever its superblock asks for (tune2fs -e panic): a damaged cache is no reason for the kernel
 * to stop. */
static const struct mount_option *options_of(const char *fstype)
{
	static const struct mount_option ext4[] = {{"errors", "remount-ro"}, {0}};

	return streq(fstype, "ext4") ? ext4 : NULL;
}

static int mount_place(const struct search *s, char *text)
{
	struct volume v;
	int r;

	if (!judge_volume(s->device, &v)) {
		strscpy(text, "no file system of a known kind (ext4, xfs, btrfs, vfat)",
			PLACE_TEXT_MAX);
		return -EINVAL;
	}
	r = mount_make(v.fstype, s->device, options_of(v.fstype), false, text);
	if (r == -EROFS || r == -EACCES)
		r = mount_make(v.fstype, s->device, options_of(v.fstype), true, text);
	if (r < 0 && !*text)
		strscpy(text, strerror(-r), PLACE_TEXT_MAX);
	return r;
}

/* Part by part, no link is followed: the folder lies where it seems to. */
static int open_folder(int top, const char *dir, char *text)
{
	int fd = top;

	while (*dir) {
		size_t n = strcspn(dir, "/");
		char part[NAME_MAX + 1];
		int next;

		snprintf(part, sizeof(part), "%.*s", (int)n, dir);
		dir += n + (dir[n] == '/');
		if (!n)
			continue;
		/* There already, or not to be written to: opening it tells. */
		mkdirat(fd, part, 0755);
		next = openat(fd, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0)
			snprintf(text, PLACE_TEXT_MAX, "folder %.100s: %s", part, strerror(errno));
		close(fd);
		if (next < 0)
			return -ENOTDIR;
		fd = next;
	}
	return fd;
}

static void split(struct search *s, const struct env *env, const char *place)
{
	const char *dir = strstr(place, ":/");
	size_t n = dir ? (size_t)(dir - place) : strlen(place);

	*s = (struct search){.env = env, .dir = dir ? dir + 2 : ""};
	snprintf(s->name, sizeof(s->name), "%.*s", (int)n, place);
}

int place_find(const struct env *env, const char *place, uint64_t wait_ns, char *ret, size_t size)
{
	struct search s;
	char real[PATH_MAX];

	split(&s, env, place);
	if (!wait_for(&s, now_ns() + wait_ns))
		return -ENODEV;
	/* What /proc/mounts shows shall be a device, not udev's name of it. */
	return strscpy(ret, realpath(s.device, real) ? real : s.device, size) < 0 ? -ENAMETOOLONG
		: 0;
}

const char *place_fstype(const char *device)
{
	struct volume v;

	return judge_volume(device, &v) ? v.fstype : NULL;
}

int place_open(const struct env *env, const char *place, uint64_t wait_ns,
	char text[static PLACE_TEXT_MAX])
{
	struct search s;
	int fd;

	text[0] = 0;
	split(&s, env, place);
	if (!wait_for(&s, now_ns() + wait_ns)) {
		strscpy(text, "no such disk or partition", PLACE_TEXT_MAX);
		return -ENODEV;
	}
	fd = mount_place(&s, text);
	return fd < 0 ? fd : open_folder(fd, *s.dir ? s.dir : ".", text);
}
