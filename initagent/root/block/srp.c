// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * srp: a disk by the SCSI RDMA protocol: what root= says is written to the RDMA port's add_target
 * (drivers/infiniband/ulp/srp/ib_srp.c), which makes a SCSI host whose LUNs become disks. It stays
 * when this process is gone, and reconnects by itself.
 */
#include "root/block/job.h"
#include "root/block/words.h"

#define HOSTS "/sys/class/scsi_host"

/* The hex digits behind "KEY=" in root='s text. */
static uint64_t number_of(const struct block_job *j, const char *key)
{
	const char *at = strstr(j->plan->name, key);

	return at ? strtoull(at + strlen(key), NULL, 16) : 0;
}

static bool attribute_is(const struct block_job *j, const char *host, const char *name,
	uint64_t want)
{
	char text[64];

	return env_read(j->env, text, sizeof(text), HOSTS "/%s/%s", host, name) > 0 &&
		strtoull(text, NULL, 16) == want;
}

/* The next SCSI host in an open folder that is a connection to our target; NULL at the end. */
static const char *next_of_ours(const struct block_job *j, DIR *dir)
{
	const struct dirent *e;

	while ((e = dir_next(dir)))
		if (strncmp(e->d_name, "host", 4) == 0 &&
			attribute_is(j, e->d_name, "id_ext", number_of(j, "id_ext=")) &&
			attribute_is(j, e->d_name, "ioc_guid", number_of(j, "ioc_guid=")))
			return e->d_name;
	return NULL;
}

static bool adopt(struct block_job *j)
{
	_cleanup_closedir_ DIR *dir = env_opendir(j->env, HOSTS);
	const char *host = next_of_ours(j, dir);

	if (host)
		strscpy(j->handle, host, sizeof(j->handle));
	return host != NULL;
}

static void target_text(const struct block_job *j, char *buf, size_t size)
{
	const struct plan_block *plan = j->plan;
	bool six = j->cfg->address && strchr(j->cfg->address, ':');

	snprintf(buf, size, "%s%s%s", plan->name, *plan->options ? "," : "", plan->options);
	if (j->portal)
		str_add(buf, size, ",dest=%s%s%s:%u", six ? "[" : "", j->cfg->address,
			six ? "]" : "", j->portal->port);
}

/* Like an NFS root: waits for its server for ever. Reconnecting goes on each 10 s, which is the
 * module's default. */
static void never_fail(struct block_job *j)
{
	const char *number = j->handle + strlen("host");

	env_write(j->env, "off", "/sys/class/srp_remote_ports/port-%s:1/fast_io_fail_tmo", number);
	env_write(j->env, "off", "/sys/class/srp_remote_ports/port-%s:1/dev_loss_tmo", number);
}

static int create(struct block_job *j)
{
	char text[1024];
	int words = words_open(j->env), r;

	target_text(j, text, sizeof(text));
	r = env_write(j->env, text, "/sys/class/infiniband_srp/srp-%s-%u/add_target",
		j->cfg->rail->device, j->cfg->rail->port);
	if (r == -ENOENT)
		job_fail(j, CAUSE_BLOCK_NO_RDMA, r, "ib_srp has no port %s/%u",
			j->cfg->rail->device, j->cfg->rail->port);
	else if (r < 0)
		words_judge(j, words, r);
	closep(&words);
	if (r < 0)
		return r;
	if (!adopt(j))
		return job_fail(j, CAUSE_BLOCK_LOST, -EIO, "the connection broke at once");
	never_fail(j);
	return 0;
}

static int connect_to(struct block_job *j)
{
	j->message.result.adopted = adopt(j);
	return j->message.result.adopted ? 0 : create(j);
}

/* The one disk below a LUN: "sda". */
static int disk_of(const struct block_job *j, const char *lun, char device[static BLOCK_DEVICE_MAX])
{
	_cleanup_closedir_ DIR *dir =
		env_opendir(j->env, "/sys/class/scsi_device/%s/device/block", lun);
	const struct dirent *e = dir_next(dir);

	return e && strscpy(device, e->d_name, BLOCK_DEVICE_MAX) > 0;
}

/* "HOST:CHANNEL:TARGET:LUN" */
static int find(struct block_job *j, char device[static BLOCK_DEVICE_MAX])
{
	_cleanup_closedir_ DIR *dir = env_opendir(j->env, "/sys/class/scsi_device");
	unsigned host, channel, target, lun;
	const struct dirent *e;
	int found = 0;

	while (!found && (e = dir_next(dir)))
		if (sscanf(e->d_name, "%u:%u:%u:%u", &host, &channel, &target, &lun) == 4 &&
			host == strtoul(j->handle + strlen("host"), NULL, 10) &&
			lun == j->plan->unit)
			found = disk_of(j, e->d_name, device);
	if (!found)
		job_fail(j, CAUSE_BLOCK_NO_DEVICE, 0, "the target shows no LUN %u",
			j->plan->unit);
	return found;
}

static void disconnect(struct block_job *j)
{
	_cleanup_closedir_ DIR *dir = env_opendir(j->env, HOSTS);
	const char *host;

	while ((host = next_of_ours(j, dir)))
		env_write(j->env, "1", "/sys/class/srp_remote_ports/port-%s:1/delete", host
			+ strlen("host"));
}

const struct block_ops srp_ops = {
	.name = "srp",
	.connect = connect_to,
	.find = find,
	.disconnect = disconnect,
};
