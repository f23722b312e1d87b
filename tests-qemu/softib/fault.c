// SPDX-License-Identifier: GPL-2.0
/*
 * fault.c: faults on a cable: packets lost, damaged, doubled and late at given rates, link flaps,
 * and the stage all packets of a port go through when a fault is set. What is done to MADs is in
 * faultmad.c, the files people write to in faultfs.c.
 */
#include "softib.h"

#define SIB_DELAYED_MAX	4096

/* Caller holds f->lock. */
static bool sib_chance(struct sib_fault *f, u32 ppm)
{
	return ppm && prandom_u32_state(&f->rnd) % 1000000 < ppm;
}

/* Gives a packet to whoever would have got it without the fault stage; consumes it. */
void sib_fault_deliver(struct sib_port *port, struct sk_buff *skb, enum sib_dir dir)
{
	struct sib_wire *wire;

	local_bh_disable();
	rcu_read_lock();
	wire = READ_ONCE(port->wire);
	if (!wire)
		kfree_skb(skb);
	else if (dir == SIB_TX)
		sib_wire_xmit_raw(wire, skb);
	else
		port->ops->rx(port, skb);
	rcu_read_unlock();
	local_bh_enable();
}

/**
 * sib_fault_delay - let a packet go on later
 * @f: the port's faults
 * @skb: parsed packet; consumed
 * @dir: where it was going
 * @ms: milliseconds
 */
void sib_fault_delay(struct sib_fault *f, struct sk_buff *skb, enum sib_dir dir, u32 ms)
{
	unsigned long wait = msecs_to_jiffies(ms);

	sib_count(f->port, SIB_STAT_FAULT_DELAY);
	sib_cb(skb)->due = (u32)(jiffies + wait);
	spin_lock_bh(&f->lock);
	if (f->dead || skb_queue_len(&f->delayed[dir]) >= SIB_DELAYED_MAX) {
		kfree_skb(skb);
	} else {
		__skb_queue_tail(&f->delayed[dir], skb);
		queue_delayed_work(system_wq, &f->release, wait);
	}
	spin_unlock_bh(&f->lock);
}

/* Moves what is due to a list. Return: jiffies until the next is, ULONG_MAX if none. */
static unsigned long sib_fault_due(struct sib_fault *f, enum sib_dir dir, struct sk_buff_head *out)
{
	struct sk_buff *skb, *next;
	unsigned long soonest = ULONG_MAX;

	spin_lock_bh(&f->lock);
	skb_queue_walk_safe(&f->delayed[dir], skb, next) {
		s32 left = (s32)(sib_cb(skb)->due - (u32)jiffies);

		if (left > 0) {
			soonest = min_t(unsigned long, soonest, left);
			continue;
		}
		__skb_unlink(skb, &f->delayed[dir]);
		__skb_queue_tail(out, skb);
	}
	spin_unlock_bh(&f->lock);
	return soonest;
}

static void sib_fault_release(struct work_struct *work)
{
	struct sib_fault *f = container_of(to_delayed_work(work), struct sib_fault, release);
	unsigned long next = ULONG_MAX;
	struct sk_buff_head out;
	struct sk_buff *skb;
	int dir;

	__skb_queue_head_init(&out);
	for (dir = SIB_RX; dir <= SIB_TX; dir++) {
		next = min(next, sib_fault_due(f, dir, &out));
		while ((skb = __skb_dequeue(&out)))
			sib_fault_deliver(f->port, skb, dir);
	}
	spin_lock_bh(&f->lock);
	if (next != ULONG_MAX && !f->dead)
		queue_delayed_work(system_wq, &f->release, next);
	spin_unlock_bh(&f->lock);
}

/* Flips one bit somewhere after the LRH, which still has to find its way. */
static struct sk_buff *sib_fault_corrupt(struct sib_fault *f, struct sk_buff *skb, u32 rnd)
{
	u32 at = sizeof(struct sib_lrh) + rnd % (skb->len - sizeof(struct sib_lrh));
	struct sk_buff *copy = skb_copy(skb, GFP_ATOMIC);

	kfree_skb(skb);
	if (!copy)
		return NULL;
	sib_count(f->port, SIB_STAT_FAULT_CORRUPT);
	copy->data[at] ^= 1 << (rnd >> 29);
	return copy;
}

struct sib_dice {
	bool drop, corrupt, dup, delay;
	u32 rnd;
	u32 delay_ms;
};

static void sib_fault_roll(struct sib_fault *f, enum sib_dir dir, struct sib_dice *d)
{
	spin_lock_bh(&f->lock);
	d->drop = sib_chance(f, f->drop_ppm[dir]);
	d->corrupt = sib_chance(f, f->corrupt_ppm[dir]);
	d->dup = sib_chance(f, f->dup_ppm[dir]);
	d->delay = sib_chance(f, f->delay_ppm[dir]);
	d->rnd = d->corrupt ? prandom_u32_state(&f->rnd) : 0;
	d->delay_ms = f->delay_ms;
	spin_unlock_bh(&f->lock);
}

/* A damaged packet that comes in is found by its check sum, as at any receiver. */
static struct sk_buff *sib_fault_damage(struct sib_fault *f, struct sk_buff *skb, enum sib_dir dir,
					u32 rnd)
{
	skb = sib_fault_corrupt(f, skb, rnd);
	if (skb && dir == SIB_RX && !sib_packet_parse(f->port, skb)) {
		kfree_skb(skb);
		skb = NULL;
	}
	return skb;
}

/**
 * sib_fault_packet - the fault stage
 * @port: the port
 * @skb: packet; consumed unless true is returned
 * @dir: SIB_RX from the cable, SIB_TX to it
 *
 * Return: true if the packet goes on now, unchanged or with its MAD changed.
 */
bool sib_fault_packet(struct sib_port *port, struct sk_buff *skb, enum sib_dir dir)
{
	struct sib_fault *f = &port->fault;
	struct sk_buff *copy;
	struct sib_dice d;

	if (dir == SIB_TX && !sib_packet_parse(port, skb)) {
		kfree_skb(skb);
		return false;
	}
	if (!sib_fault_mad(port, skb, dir))
		return false;
	sib_fault_roll(f, dir, &d);
	if (d.drop) {
		sib_count(port, SIB_STAT_FAULT_DROP);
		kfree_skb(skb);
		return false;
	}
	if (d.dup) {
		copy = skb_copy(skb, GFP_ATOMIC);
		sib_count(port, SIB_STAT_FAULT_DUP);
		if (copy)
			sib_fault_deliver(port, copy, dir);
	}
	if (d.corrupt) {
		skb = sib_fault_damage(f, skb, dir, d.rnd);
		if (skb)
			sib_fault_deliver(port, skb, dir);
		return false;
	}
	if (d.delay) {
		sib_fault_delay(f, skb, dir, d.delay_ms);
		return false;
	}
	return true;
}

/* Makes the settings take effect: what the fast path looks at, and the link. */
void sib_fault_update(struct sib_fault *f)
{
	enum sib_hold hold = READ_ONCE(f->hold);
	struct sib_wire *wire;
	bool active;
	int dir;

	spin_lock_bh(&f->lock);
	active = f->hold != SIB_HOLD_NONE || f->sm_lid || f->n_remove || f->n_add || f->n_rules;
	for (dir = SIB_RX; dir <= SIB_TX; dir++)
		active |= f->drop_ppm[dir] || f->corrupt_ppm[dir] || f->dup_ppm[dir] ||
			  f->delay_ppm[dir];
	WRITE_ONCE(f->active, active);
	spin_unlock_bh(&f->lock);
	rcu_read_lock();
	wire = READ_ONCE(f->port->wire);
	if (wire)
		sib_link_hold(wire, hold == SIB_HOLD_DOWN || hold == SIB_HOLD_POLLING,
			      hold == SIB_HOLD_POLLING);
	rcu_read_unlock();
}

static void sib_fault_flap_end(struct work_struct *work)
{
	sib_fault_update(container_of(to_delayed_work(work), struct sib_fault, flap));
}

/* Takes the link down for a time, then back to what hold says. */
void sib_fault_flap(struct sib_fault *f, u32 ms)
{
	struct sib_wire *wire;

	rcu_read_lock();
	wire = READ_ONCE(f->port->wire);
	if (wire)
		sib_link_hold(wire, true, false);
	rcu_read_unlock();
	spin_lock_bh(&f->lock);
	if (!f->dead)
		mod_delayed_work(system_wq, &f->flap, msecs_to_jiffies(ms));
	spin_unlock_bh(&f->lock);
}

void sib_fault_init(struct sib_fault *f, struct sib_port *port)
{
	spin_lock_init(&f->lock);
	f->port = port;
	f->seed = 1;
	prandom_seed_state(&f->rnd, f->seed);
	INIT_LIST_HEAD(&f->rules);
	__skb_queue_head_init(&f->delayed[SIB_RX]);
	__skb_queue_head_init(&f->delayed[SIB_TX]);
	INIT_DELAYED_WORK(&f->release, sib_fault_release);
	INIT_DELAYED_WORK(&f->flap, sib_fault_flap_end);
}

void sib_fault_cleanup(struct sib_fault *f)
{
	spin_lock_bh(&f->lock);
	f->dead = true;
	__skb_queue_purge(&f->delayed[SIB_RX]);
	__skb_queue_purge(&f->delayed[SIB_TX]);
	spin_unlock_bh(&f->lock);
	cancel_delayed_work_sync(&f->release);
	cancel_delayed_work_sync(&f->flap);
	sib_fault_clear_rules(f);
}
