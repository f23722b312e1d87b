// SPDX-License-Identifier: GPL-2.0
/*
 * link.c: the handshake that stands for link training. Both ends send link frames with their own
 * epoch and the one they heard; an end is up when the other end has heard its current epoch. Who
 * takes the link down takes a new epoch, and the other end follows when it sees that; so frames
 * that crossed on the way never take a link down. All
 * decisions fall under wire->lock; what follows from them (frames, news for the port, timers)
 * is done by one work item, so that the port sees ups and downs in order.
 *
 * Timers: while a signal is looked for, with a period that doubles from 100 ms to 2 s, and, if the
 * parameter beat_ms is set, one frame per beat on a link that is up. A netdev without carrier
 * needs none.
 */
#include <linux/etherdevice.h>

#include "softib.h"

#define SIB_POLL_MIN_MS	100
#define SIB_POLL_MAX_MS	2000
/* A peer that announces a beat is given up after this many beats without any frame. */
#define SIB_DEAD_BEATS	10
/* Between the SM's order to take the link down and its execution. */
#define SIB_PHYS_DELAY_MS	20

static u32 sib_link_epoch(void)
{
	return get_random_u32() | 1;
}

static bool sib_link_carrier(const struct sib_wire *wire)
{
	return netif_running(wire->ndev) && netif_carrier_ok(wire->ndev);
}

void sib_link_kick(struct sib_wire *wire)
{
	if (!READ_ONCE(wire->dying))
		mod_delayed_work(wire->wq, &wire->link_work, 0);
}

/* Caller holds wire->lock. */
static void sib_link_down_locked(struct sib_wire *wire, enum sib_link_state to)
{
	if (wire->state == SIB_LINK_UP)
		wire->drops++;
	netdev_dbg(wire->ndev, "softib: link state %u to %u, epoch %08x, peer %08x\n",
		   wire->state, to, wire->epoch, wire->peer_epoch);
	if (wire->state != to)
		wire->poll_ms = SIB_POLL_MIN_MS;
	WRITE_ONCE(wire->state, to);
	wire->peer_epoch = 0;
	wire->send = true;
}

/* Caller holds wire->lock. */
static void sib_link_leave_locked(struct sib_wire *wire, enum sib_link_state to)
{
	sib_link_down_locked(wire, to);
	wire->epoch = sib_link_epoch();
}

/* Caller holds wire->lock. What state the ends should be in, apart from the handshake. */
static void sib_link_settle_locked(struct sib_wire *wire)
{
	u32 beat = wire->peer_beat_ms;

	if (wire->phys_req) {
		wire->disabled = wire->phys_req == IB_PORT_PHYS_STATE_DISABLED;
		wire->phys_req = 0;
		sib_link_leave_locked(wire, SIB_LINK_POLL);
	}
	if (wire->disabled || (wire->held && !wire->hold_signal) || !sib_link_carrier(wire)) {
		if (wire->state != SIB_LINK_OFF)
			sib_link_leave_locked(wire, SIB_LINK_OFF);
		return;
	}
	if (wire->state == SIB_LINK_OFF || (wire->held && wire->state == SIB_LINK_UP))
		sib_link_leave_locked(wire, SIB_LINK_POLL);
	if (wire->state == SIB_LINK_UP && beat &&
	    time_after(jiffies, READ_ONCE(wire->last_heard) +
				msecs_to_jiffies(beat * SIB_DEAD_BEATS)))
		sib_link_leave_locked(wire, SIB_LINK_POLL);
}

/* Caller holds wire->lock. The handshake proper. */
static void sib_link_hear_locked(struct sib_wire *wire, const struct sib_link_frame *f,
				 const u8 *mac)
{
	bool heard_me = be32_to_cpu(f->peer_epoch) == wire->epoch;
	u32 epoch = be32_to_cpu(f->epoch);

	if (wire->state == SIB_LINK_UP) {
		if (f->state != SIB_LINK_OFF && epoch == wire->peer_epoch) {
			/* Another beat: from now on that is when to miss it. */
			wire->send |= !heard_me || wire->peer_beat_ms != be16_to_cpu(f->beat_ms);
			wire->peer_beat_ms = be16_to_cpu(f->beat_ms);
			return;
		}
		sib_link_down_locked(wire, SIB_LINK_POLL);
	}
	if (f->state == SIB_LINK_OFF || wire->state != SIB_LINK_POLL || wire->held)
		return;
	wire->peer_epoch = epoch;
	wire->peer_beat_ms = be16_to_cpu(f->beat_ms);
	ether_addr_copy(wire->peer_mac, mac);
	wire->send = true;
	if (heard_me)
		WRITE_ONCE(wire->state, SIB_LINK_UP);
}

/**
 * sib_link_rx - take a link frame
 * @wire: the wire
 * @skb: from the link frame on; stays the caller's
 *
 * On a link that is up only the partner is listened to.
 */
void sib_link_rx(struct sib_wire *wire, struct sk_buff *skb)
{
	const struct sib_link_frame *f;
	unsigned long flags;
	const u8 *mac;
	bool kick;

	if (!pskb_may_pull(skb, sizeof(*f)) || skb->len != sizeof(*f)) {
		sib_count(wire->port, SIB_STAT_BAD_LINK);
		return;
	}
	f = (const struct sib_link_frame *)skb->data;
	mac = eth_hdr(skb)->h_source;
	if (f->state > SIB_LINK_UP || !f->epoch || !is_valid_ether_addr(mac)) {
		sib_count(wire->port, SIB_STAT_BAD_LINK);
		return;
	}
	spin_lock_irqsave(&wire->lock, flags);
	if (wire->state == SIB_LINK_UP && !ether_addr_equal(mac, wire->peer_mac)) {
		sib_count(wire->port, SIB_STAT_BAD_SOURCE);
		kick = false;
	} else {
		sib_count(wire->port, SIB_STAT_LINK_RX);
		WRITE_ONCE(wire->last_heard, jiffies);
		sib_link_hear_locked(wire, f, mac);
		kick = wire->send;
	}
	spin_unlock_irqrestore(&wire->lock, flags);
	if (kick)
		sib_link_kick(wire);
}

static void sib_link_send(struct sib_wire *wire, const struct sib_link_frame *f)
{
	u8 everyone[ETH_ALEN];
	struct sk_buff *skb;

	skb = alloc_skb(LL_RESERVED_SPACE(wire->ndev) + sizeof(struct sib_shim) + sizeof(*f),
			GFP_KERNEL);
	if (!skb)
		return;
	skb_reserve(skb, LL_RESERVED_SPACE(wire->ndev) + sizeof(struct sib_shim));
	skb_put_data(skb, f, sizeof(*f));
	eth_broadcast_addr(everyone);
	sib_count(wire->port, SIB_STAT_LINK_TX);
	sib_wire_send_frame(wire, skb, SIB_FRAME_LINK, everyone);
}

/* Caller holds wire->lock. Fills the frame; returns whether one is to be sent now. */
static bool sib_link_frame_locked(struct sib_wire *wire, struct sib_link_frame *f)
{
	bool due = wire->state != SIB_LINK_OFF && time_after_eq(jiffies, wire->next_beat);

	if (!wire->send && !due)
		return false;
	wire->send = false;
	memset(f, 0, sizeof(*f));
	f->state = wire->state;
	f->beat_ms = cpu_to_be16(min(READ_ONCE(sib_beat_ms), 60000U));
	f->epoch = cpu_to_be32(wire->epoch);
	f->peer_epoch = cpu_to_be32(wire->held ? 0 : wire->peer_epoch);
	f->guid = wire->port->guids[0];
	return netif_running(wire->ndev);
}

/* Caller holds wire->lock. Milliseconds until the work must run again, 0 = when kicked. */
static u32 sib_link_period_locked(struct sib_wire *wire)
{
	u32 ms;

	switch (wire->state) {
	case SIB_LINK_POLL:
		ms = wire->poll_ms;
		wire->poll_ms = min(wire->poll_ms * 2, (u32)SIB_POLL_MAX_MS);
		return ms;
	case SIB_LINK_UP:
		wire->poll_ms = SIB_POLL_MIN_MS;
		ms = READ_ONCE(sib_beat_ms);
		return ms ?: wire->peer_beat_ms * SIB_DEAD_BEATS;
	default:
		return 0;
	}
}

static u8 sib_link_phys(const struct sib_wire *wire)
{
	if (wire->state == SIB_LINK_UP)
		return IB_PORT_PHYS_STATE_LINK_UP;
	if (wire->disabled || (wire->held && !wire->hold_signal))
		return IB_PORT_PHYS_STATE_DISABLED;
	return IB_PORT_PHYS_STATE_POLLING;
}

static void sib_link_work(struct work_struct *work)
{
	struct sib_wire *wire = container_of(to_delayed_work(work), struct sib_wire, link_work);
	bool down, tell_up, send;
	struct sib_link_frame f;
	u32 ms;
	u8 phys;

	sib_count(wire->port, SIB_STAT_LINK_RUNS);
	spin_lock_irq(&wire->lock);
	sib_link_settle_locked(wire);
	send = sib_link_frame_locked(wire, &f);
	ms = sib_link_period_locked(wire);
	if (send)
		wire->next_beat = jiffies + msecs_to_jiffies(ms);
	down = wire->state != SIB_LINK_UP || wire->drops != wire->drops_told;
	wire->drops_told = wire->drops;
	if (down)
		wire->up_told = false;
	tell_up = wire->state == SIB_LINK_UP && !wire->up_told;
	wire->up_told |= tell_up;
	phys = sib_link_phys(wire);
	spin_unlock_irq(&wire->lock);

	if (down)
		sib_port_link(wire->port, false, tell_up ? IB_PORT_PHYS_STATE_POLLING : phys);
	if (send)
		sib_link_send(wire, &f);
	if (tell_up)
		sib_port_link(wire->port, true, phys);
	if (ms && !READ_ONCE(wire->dying))
		queue_delayed_work(wire->wq, &wire->link_work, msecs_to_jiffies(ms));
}

void sib_link_init(struct sib_wire *wire)
{
	INIT_DELAYED_WORK(&wire->link_work, sib_link_work);
	wire->state = SIB_LINK_OFF;
	wire->epoch = sib_link_epoch();
	wire->poll_ms = SIB_POLL_MIN_MS;
}

/**
 * sib_link_hold - keep a link from coming up, or let it go
 * @wire: the wire
 * @hold: whether to hold
 * @signal: while held, show the other end a signal that never finishes training
 */
void sib_link_hold(struct sib_wire *wire, bool hold, bool signal)
{
	spin_lock_irq(&wire->lock);
	wire->held = hold;
	wire->hold_signal = signal;
	spin_unlock_irq(&wire->lock);
	sib_link_kick(wire);
}

/**
 * sib_link_set_phys - what the SM may ask of PortPhysicalState
 * @wire: the wire
 * @phys: IB_PORT_PHYS_STATE_POLLING restarts training, _DISABLED switches off
 *
 * Takes effect a moment later, so that the answer to the SM still gets out.
 */
void sib_link_set_phys(struct sib_wire *wire, u8 phys)
{
	unsigned long flags;

	netdev_dbg(wire->ndev, "softib: asked for physical state %u\n", phys);
	spin_lock_irqsave(&wire->lock, flags);
	wire->phys_req = phys;
	spin_unlock_irqrestore(&wire->lock, flags);
	if (!READ_ONCE(wire->dying))
		mod_delayed_work(wire->wq, &wire->link_work, msecs_to_jiffies(SIB_PHYS_DELAY_MS));
}

/* Says goodbye and ends the work; the packet handler is already gone. */
void sib_link_stop(struct sib_wire *wire)
{
	struct sib_link_frame f = {
		.state = SIB_LINK_OFF,
		.epoch = cpu_to_be32(wire->epoch),
	};

	WRITE_ONCE(wire->dying, true);
	cancel_delayed_work_sync(&wire->link_work);
	if (netif_running(wire->ndev))
		sib_link_send(wire, &f);
	spin_lock_irq(&wire->lock);
	WRITE_ONCE(wire->state, SIB_LINK_OFF);
	spin_unlock_irq(&wire->lock);
}
