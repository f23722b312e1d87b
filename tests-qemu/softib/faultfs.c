// SPDX-License-Identifier: GPL-2.0
/*
 * faultfs.c: the debugfs files of a port: "fault" (settings, key=value), "rules" (one MAD rule a
 * line), "stats" (counters) and "link" (what the handshake knows). The words are explained in
 * README.md.
 */
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "softib.h"

#define SIB_LINE_MAX	256
#define SIB_RULES_MAX	64

static const char * const sib_hold_names[] = {
	[SIB_HOLD_NONE] = "none",
	[SIB_HOLD_DOWN] = "down",
	[SIB_HOLD_POLLING] = "polling",
	[SIB_HOLD_INIT] = "init",
	[SIB_HOLD_ARMED] = "armed",
};

static const char * const sib_action_names[] = {
	[SIB_RULE_DROP] = "drop",
	[SIB_RULE_DELAY] = "delay",
	[SIB_RULE_DUP] = "dup",
	[SIB_RULE_REFUSE] = "refuse",
};

/* ---- settings ---- */

static int sib_set_ppm(u32 *ppm, const char *val, int dirs)
{
	u32 v;
	int err = kstrtou32(val, 0, &v);

	if (err)
		return err;
	if (v > 1000000)
		return -ERANGE;
	if (dirs & BIT(SIB_RX))
		ppm[SIB_RX] = v;
	if (dirs & BIT(SIB_TX))
		ppm[SIB_TX] = v;
	return 0;
}

static int sib_set_seed(struct sib_fault *f, const char *val)
{
	int err = kstrtou64(val, 0, &f->seed);

	if (!err)
		prandom_seed_state(&f->rnd, f->seed);
	return err;
}

/* "none" or up to eight P_Keys with commas between them. */
static int sib_set_pkeys(u16 *list, u8 *n, size_t max, char *val)
{
	char *word;
	int err;

	*n = 0;
	if (!strcmp(val, "none"))
		return 0;
	while ((word = strsep(&val, ","))) {
		if (*n == max)
			return -ENOSPC;
		err = kstrtou16(word, 0, &list[*n]);
		if (err)
			return err;
		(*n)++;
	}
	return 0;
}

static void sib_set_nothing(struct sib_fault *f)
{
	memset(f->drop_ppm, 0, sizeof(f->drop_ppm));
	memset(f->corrupt_ppm, 0, sizeof(f->corrupt_ppm));
	memset(f->dup_ppm, 0, sizeof(f->dup_ppm));
	memset(f->delay_ppm, 0, sizeof(f->delay_ppm));
	f->delay_ms = 0;
	f->hold = SIB_HOLD_NONE;
	f->sm_lid = 0;
	f->n_remove = 0;
	f->n_add = 0;
}

/* What a written line asks for besides the settings. */
struct sib_todo {
	bool port_info;
	bool pkeys;
	u32 flap_ms;
};

struct sib_rate_key {
	const char *name;
	size_t offset;
};

static const struct sib_rate_key sib_rate_keys[] = {
	{ "drop", offsetof(struct sib_fault, drop_ppm) },
	{ "corrupt", offsetof(struct sib_fault, corrupt_ppm) },
	{ "dup", offsetof(struct sib_fault, dup_ppm) },
	{ "delay", offsetof(struct sib_fault, delay_ppm) },
};

/* drop=, drop_rx=, drop_tx= and the like. Return: -ENOENT if the key is another one. */
static int sib_set_rate(struct sib_fault *f, const char *key, const char *val)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sib_rate_keys); i++) {
		size_t len = strlen(sib_rate_keys[i].name);
		u32 *ppm = (u32 *)((u8 *)f + sib_rate_keys[i].offset);

		if (strncmp(key, sib_rate_keys[i].name, len))
			continue;
		if (!key[len])
			return sib_set_ppm(ppm, val, BIT(SIB_RX) | BIT(SIB_TX));
		if (!strcmp(key + len, "_rx"))
			return sib_set_ppm(ppm, val, BIT(SIB_RX));
		if (!strcmp(key + len, "_tx"))
			return sib_set_ppm(ppm, val, BIT(SIB_TX));
	}
	return -ENOENT;
}

/* One key=value. Caller holds f->lock. */
static int sib_set_one(struct sib_fault *f, const char *key, char *val, struct sib_todo *todo)
{
	int n;

	if (!strcmp(key, "hold")) {
		n = match_string(sib_hold_names, ARRAY_SIZE(sib_hold_names), val);
		if (n < 0)
			return -EINVAL;
		f->hold = n;
		return 0;
	}
	if (!strcmp(key, "sm_lid")) {
		todo->port_info = true;
		return kstrtou32(val, 0, &f->sm_lid);
	}
	if (!strcmp(key, "pkey_remove") || !strcmp(key, "pkey_add")) {
		bool add = key[5] == 'a';

		todo->pkeys = true;
		return sib_set_pkeys(add ? f->pkey_add : f->pkey_remove,
				     add ? &f->n_add : &f->n_remove,
				     ARRAY_SIZE(f->pkey_add), val);
	}
	if (!strcmp(key, "flap"))
		return kstrtou32(val, 0, &todo->flap_ms);
	if (!strcmp(key, "delay_ms"))
		return kstrtou32(val, 0, &f->delay_ms);
	if (!strcmp(key, "seed"))
		return sib_set_seed(f, val);
	return sib_set_rate(f, key, val);
}

/* A whole line. Settings before a bad one stay. */
static int sib_set_line(struct sib_fault *f, char *line, struct sib_todo *todo)
{
	char *word;
	int err = 0;

	spin_lock_bh(&f->lock);
	while (!err && (word = strsep(&line, " \t\n"))) {
		char *val = strchr(word, '=');

		if (!*word)
			continue;
		if (!strcmp(word, "reset")) {
			todo->port_info = f->sm_lid;
			todo->pkeys = f->n_remove || f->n_add;
			sib_set_nothing(f);
			continue;
		}
		if (!val) {
			err = -EINVAL;
			break;
		}
		*val++ = '\0';
		err = sib_set_one(f, word, val, todo);
	}
	spin_unlock_bh(&f->lock);
	return err == -ENOENT ? -EINVAL : err;
}

static char *sib_get_line(const char __user *buf, size_t len)
{
	if (len > SIB_LINE_MAX)
		return ERR_PTR(-E2BIG);
	return memdup_user_nul(buf, len);
}

static ssize_t sib_fault_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	struct sib_port *port = ((struct seq_file *)file->private_data)->private;
	struct sib_todo todo = {};
	char *line = sib_get_line(buf, len);
	int err;

	if (IS_ERR(line))
		return PTR_ERR(line);
	err = sib_set_line(&port->fault, line, &todo);
	kfree(line);
	sib_fault_update(&port->fault);
	if (todo.port_info)
		sib_fault_tell(port, SIB_TELL_PORT_INFO);
	if (todo.pkeys)
		sib_fault_tell(port, SIB_TELL_PKEYS);
	sib_fault_let_go(port);
	if (todo.flap_ms)
		sib_fault_flap(&port->fault, todo.flap_ms);
	return err ?: (ssize_t)len;
}

static void sib_show_pkeys(struct seq_file *s, const char *name, const u16 *list, u8 n)
{
	unsigned int i;

	seq_printf(s, "%s", name);
	for (i = 0; i < n; i++)
		seq_printf(s, " 0x%04x", list[i]);
	seq_puts(s, n ? "\n" : " none\n");
}

static int sib_fault_show(struct seq_file *s, void *unused)
{
	struct sib_port *port = s->private;
	struct sib_fault *f = &port->fault;
	unsigned int i;

	spin_lock_bh(&f->lock);
	seq_printf(s, "hold %s\nsm_lid %u\nseed %llu\n", sib_hold_names[f->hold], f->sm_lid,
		   f->seed);
	for (i = 0; i < ARRAY_SIZE(sib_rate_keys); i++) {
		const u32 *ppm = (const u32 *)((const u8 *)f + sib_rate_keys[i].offset);

		seq_printf(s, "%s_rx %u\n%s_tx %u\n", sib_rate_keys[i].name, ppm[SIB_RX],
			   sib_rate_keys[i].name, ppm[SIB_TX]);
	}
	seq_printf(s, "delay_ms %u\n", f->delay_ms);
	sib_show_pkeys(s, "pkey_remove", f->pkey_remove, f->n_remove);
	sib_show_pkeys(s, "pkey_add", f->pkey_add, f->n_add);
	spin_unlock_bh(&f->lock);
	return 0;
}

static int sib_fault_open(struct inode *inode, struct file *file)
{
	return single_open(file, sib_fault_show, inode->i_private);
}

static const struct file_operations sib_fault_fops = {
	.owner = THIS_MODULE,
	.open = sib_fault_open,
	.read = seq_read,
	.write = sib_fault_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* ---- rules ---- */

/* "drop", "delay:MS", "dup:N", "refuse:STATUS" */
static int sib_rule_action(struct sib_rule *r, char *word)
{
	char *arg = strchr(word, ':');
	int n;

	if (arg)
		*arg++ = '\0';
	n = match_string(sib_action_names, ARRAY_SIZE(sib_action_names), word);
	if (n < 0)
		return -EINVAL;
	r->action = n;
	r->arg = 1;
	if (!arg)
		return n == SIB_RULE_DROP || n == SIB_RULE_DUP ? 0 : -EINVAL;
	return kstrtou32(arg, 0, &r->arg);
}

static int sib_rule_condition(struct sib_rule *r, char *word)
{
	char *val = strchr(word, '=');

	if (!val)
		return -EINVAL;
	*val++ = '\0';
	if (!strcmp(word, "dir")) {
		r->dir = strcmp(val, "rx") ? SIB_TX : SIB_RX;
		return strcmp(val, "rx") && strcmp(val, "tx") ? -EINVAL : 0;
	}
	if (!strcmp(word, "class"))
		return kstrtoint(val, 0, &r->mclass);
	if (!strcmp(word, "method"))
		return kstrtoint(val, 0, &r->method);
	if (!strcmp(word, "attr"))
		return kstrtoint(val, 0, &r->attr);
	if (!strcmp(word, "skip"))
		return kstrtou32(val, 0, &r->skip);
	if (!strcmp(word, "count"))
		return kstrtou32(val, 0, &r->count);
	return -EINVAL;
}

static int sib_rule_add(struct sib_fault *f, char *line)
{
	struct sib_rule *r = kzalloc(sizeof(*r), GFP_KERNEL);
	char *word = strsep(&line, " \t\n");
	int err;

	if (!r)
		return -ENOMEM;
	r->dir = -1;
	r->mclass = -1;
	r->method = -1;
	r->attr = -1;
	err = sib_rule_action(r, word);
	while (!err && (word = strsep(&line, " \t\n"))) {
		if (*word)
			err = sib_rule_condition(r, word);
	}
	spin_lock_bh(&f->lock);
	if (!err && f->n_rules >= SIB_RULES_MAX)
		err = -ENOSPC;
	if (!err) {
		r->id = ++f->next_rule;
		list_add_tail(&r->list, &f->rules);
		f->n_rules++;
		r = NULL;
	}
	spin_unlock_bh(&f->lock);
	kfree(r);
	return err;
}

static ssize_t sib_rules_write(struct file *file, const char __user *buf, size_t len, loff_t *pos)
{
	struct sib_port *port = ((struct seq_file *)file->private_data)->private;
	char *line = sib_get_line(buf, len);
	int err = 0;

	if (IS_ERR(line))
		return PTR_ERR(line);
	if (!strcmp(strim(line), "clear"))
		sib_fault_clear_rules(&port->fault);
	else
		err = sib_rule_add(&port->fault, strim(line));
	kfree(line);
	sib_fault_update(&port->fault);
	return err ?: (ssize_t)len;
}

static void sib_rule_show(struct seq_file *s, const struct sib_rule *r)
{
	seq_printf(s, "%u %s:%u", r->id, sib_action_names[r->action], r->arg);
	if (r->dir >= 0)
		seq_printf(s, " dir=%s", r->dir == SIB_RX ? "rx" : "tx");
	if (r->mclass >= 0)
		seq_printf(s, " class=0x%02x", r->mclass);
	if (r->method >= 0)
		seq_printf(s, " method=0x%02x", r->method);
	if (r->attr >= 0)
		seq_printf(s, " attr=0x%04x", r->attr);
	seq_printf(s, " skip=%u count=%u hits=%llu\n", r->skip, r->count, r->hits);
}

static int sib_rules_show(struct seq_file *s, void *unused)
{
	struct sib_port *port = s->private;
	struct sib_rule *r;

	spin_lock_bh(&port->fault.lock);
	list_for_each_entry(r, &port->fault.rules, list)
		sib_rule_show(s, r);
	spin_unlock_bh(&port->fault.lock);
	return 0;
}

static int sib_rules_open(struct inode *inode, struct file *file)
{
	return single_open(file, sib_rules_show, inode->i_private);
}

static const struct file_operations sib_rules_fops = {
	.owner = THIS_MODULE,
	.open = sib_rules_open,
	.read = seq_read,
	.write = sib_rules_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/* ---- what is to be seen ---- */

static int sib_stats_show(struct seq_file *s, void *unused)
{
	struct sib_port *port = s->private;
	unsigned int i;

	for (i = 0; i < SIB_STAT_COUNT; i++)
		seq_printf(s, "%s %lld\n", sib_stat_names[i], atomic64_read(&port->stats[i]));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(sib_stats);

static int sib_link_show(struct seq_file *s, void *unused)
{
	static const char * const names[] = { "off", "poll", "up" };
	struct sib_port *port = s->private;
	struct sib_wire *wire;

	rcu_read_lock();
	wire = READ_ONCE(port->wire);
	if (wire)
		seq_printf(s, "netdev %s\nlink %s\nepoch %08x\npeer_epoch %08x\npeer %pM\n",
			   wire->ndev->name, names[READ_ONCE(wire->state)], wire->epoch,
			   wire->peer_epoch, wire->peer_mac);
	rcu_read_unlock();
	seq_printf(s, "port_state %u\nphys_state %u\n", sib_port_state(port),
		   sib_pi_phys(&port->pi));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(sib_link);

/**
 * sib_faultfs_add - make the files of a port
 * @port: the port
 * @parent: the directory of its switch, or NULL: its own name at the top
 */
void sib_faultfs_add(struct sib_port *port, struct dentry *parent)
{
	char name[8];

	snprintf(name, sizeof(name), "p%u", port->num);
	port->dir = parent ? debugfs_create_dir(name, parent) :
			     debugfs_create_dir(port->name, sib_debugfs);
	debugfs_create_file("fault", 0600, port->dir, port, &sib_fault_fops);
	debugfs_create_file("rules", 0600, port->dir, port, &sib_rules_fops);
	debugfs_create_file("stats", 0400, port->dir, port, &sib_stats_fops);
	debugfs_create_file("link", 0400, port->dir, port, &sib_link_fops);
}
