// SPDX-License-Identifier: GPL-2.0
/*
 * wire.c: a netdev as a cable end. Frames of our ethertype that arrive on it are checked and
 * handed to the link handshake or to the port; packets of the port leave through it.
 */
#include <linux/etherdevice.h>
#include <linux/rtnetlink.h>
#include <net/sch_generic.h>

#include "softib.h"

/* More packets than this waiting in the netdev's queues: senders hold back. */
#define SIB_WIRE_BACKLOG	256

static bool raise_mtu = true;
module_param(raise_mtu, bool, 0644);
MODULE_PARM_DESC(
	raise_mtu, "Raise the netdev's MTU so that an InfiniBand MTU of 4096 fits (default Y)");

/* A frame that is not for the link handshake: one InfiniBand packet. */
static void sib_wire_data(struct sib_wire *wire, struct sk_buff *skb)
{
	struct sib_port *port = wire->port;

	if (READ_ONCE(wire->state) != SIB_LINK_UP) {
		sib_count(port, SIB_STAT_DROP_LINK);
		kfree_skb(skb);
		return;
	}
	if (!ether_addr_equal(eth_hdr(skb)->h_source, wire->peer_mac)) {
		sib_count(port, SIB_STAT_BAD_SOURCE);
		kfree_skb(skb);
		return;
	}
	if (!sib_packet_parse(port, skb)) {
		kfree_skb(skb);
		return;
	}
	WRITE_ONCE(wire->last_heard, jiffies);
	sib_count(port, SIB_STAT_RX_PACKETS);
	atomic64_add(skb->len, &port->stats[SIB_STAT_RX_BYTES]);
	sib_count(port, sib_cb(skb)->flags & SIB_CB_MCAST ? SIB_STAT_RX_MCAST : SIB_STAT_RX_UCAST);
	if (sib_fault_looks(port, skb) && !sib_fault_packet(port, skb, SIB_RX))
		return;
	port->ops->rx(port, skb);
}

/* Checks the shim, strips it and the padding. Counts what is wrong. */
static bool sib_wire_strip(struct sib_wire *wire, struct sk_buff *skb, u8 *type)
{
	const struct sib_shim *shim;
	unsigned int len;

	if (!pskb_may_pull(skb, sizeof(*shim))) {
		sib_count(wire->port, SIB_STAT_BAD_SHORT);
		return false;
	}
	shim = (const struct sib_shim *)skb->data;
	if (shim->version != SIB_WIRE_VERSION) {
		sib_count(wire->port, SIB_STAT_BAD_VERSION);
		return false;
	}
	*type = shim->type;
	len = be16_to_cpu(shim->length);
	skb_pull(skb, sizeof(*shim));
	if (len > skb->len || pskb_trim(skb, len)) {
		sib_count(wire->port, SIB_STAT_BAD_LENGTH);
		return false;
	}
	return true;
}

static int sib_wire_rcv(struct sk_buff *skb, struct net_device *ndev, struct packet_type *pt,
			struct net_device *orig)
{
	struct sib_wire *wire = pt->af_packet_priv;
	u8 type;

	skb = skb_share_check(skb, GFP_ATOMIC);
	if (!skb)
		return NET_RX_DROP;
	if (skb->pkt_type == PACKET_OTHERHOST || READ_ONCE(wire->dying))
		goto drop;
	if (!sib_wire_strip(wire, skb, &type))
		goto drop;
	switch (type) {
	case SIB_FRAME_LINK:
		sib_link_rx(wire, skb);
		break;
	case SIB_FRAME_DATA:
		sib_wire_data(wire, skb);
		return NET_RX_SUCCESS;
	default:
		sib_count(wire->port, SIB_STAT_BAD_TYPE);
		goto drop;
	}
	consume_skb(skb);
	return NET_RX_SUCCESS;
drop:
	kfree_skb(skb);
	return NET_RX_DROP;
}

/**
 * sib_wire_send_frame - put shim and Ethernet header before a packet and send it
 * @wire: the wire
 * @skb: from the LRH (or the link frame) on; consumed
 * @type: what the shim says
 * @dest: destination MAC address
 *
 * Context: process or softirq, interrupts on.
 */
void sib_wire_send_frame(struct sib_wire *wire, struct sk_buff *skb, enum sib_frame_type type,
			 const u8 *dest)
{
	struct net_device *ndev = wire->ndev;
	struct sib_shim *shim;
	unsigned int len = skb->len;

	if (len + sizeof(*shim) > READ_ONCE(ndev->mtu) ||
	    skb_cow_head(skb, LL_RESERVED_SPACE(ndev) + sizeof(*shim))) {
		sib_count(wire->port, SIB_STAT_TX_DISCARD);
		kfree_skb(skb);
		return;
	}
	shim = skb_push(skb, sizeof(*shim));
	shim->version = SIB_WIRE_VERSION;
	shim->type = type;
	shim->length = cpu_to_be16(len);
	skb->dev = ndev;
	skb->protocol = htons(SIB_ETHERTYPE);
	skb->ip_summed = CHECKSUM_NONE;
	skb_clear_tstamp(skb);
	skb_reset_network_header(skb);
	memset(skb->cb, 0, sizeof(skb->cb));
	if (dev_hard_header(skb, ndev, SIB_ETHERTYPE, dest, NULL, skb->len) < 0) {
		kfree_skb(skb);
		return;
	}
	skb_reset_mac_header(skb);
	dev_queue_xmit(skb);
}

/* Sends a sealed packet whatever the faults say; consumes it. */
void sib_wire_xmit_raw(struct sib_wire *wire, struct sk_buff *skb)
{
	struct sib_port *port = wire->port;
	u8 mac[ETH_ALEN];

	if (READ_ONCE(wire->state) != SIB_LINK_UP || READ_ONCE(wire->dying)) {
		sib_count(port, SIB_STAT_TX_DISCARD);
		kfree_skb(skb);
		return;
	}
	sib_count(port, SIB_STAT_TX_PACKETS);
	sib_count(port, sib_cb(skb)->flags & SIB_CB_MCAST ? SIB_STAT_TX_MCAST : SIB_STAT_TX_UCAST);
	atomic64_add(skb->len, &port->stats[SIB_STAT_TX_BYTES]);
	ether_addr_copy(mac, wire->peer_mac);
	sib_wire_send_frame(wire, skb, SIB_FRAME_DATA, mac);
}

/**
 * sib_wire_xmit - send a packet out of a port
 * @port: the port
 * @skb: sealed packet from the LRH to the ICRC; consumed
 *
 * Context: process or softirq, interrupts on.
 */
void sib_wire_xmit(struct sib_port *port, struct sk_buff *skb)
{
	struct sib_wire *wire;

	if (sib_fault_looks(port, skb) && !sib_fault_packet(port, skb, SIB_TX))
		return;
	rcu_read_lock();
	wire = READ_ONCE(port->wire);
	if (wire)
		sib_wire_xmit_raw(wire, skb);
	else
		kfree_skb(skb);
	rcu_read_unlock();
}

/* True while the netdev has enough to send; the caller should come back a moment later. */
bool sib_wire_full(struct sib_wire *wire)
{
	struct net_device *ndev = wire->ndev;
	unsigned int i, queued = 0;

	rcu_read_lock();
	for (i = 0; i < ndev->real_num_tx_queues; i++) {
		struct Qdisc *q = rcu_dereference(netdev_get_tx_queue(ndev, i)->qdisc);

		queued += q ? qdisc_qlen_sum(q) : 0;
	}
	rcu_read_unlock();
	return queued > SIB_WIRE_BACKLOG;
}

/* Brings the netdev up with an MTU that takes a full packet, if it lets us. */
static int sib_wire_prepare(struct sib_wire *wire)
{
	unsigned int want = 4096 + SIB_MAX_OVERHEAD;
	struct net_device *ndev = wire->ndev;
	int err;

	rtnl_lock();
	if (raise_mtu && ndev->mtu < want && dev_set_mtu(ndev, want))
		netdev_notice(ndev, "softib: MTU stays at %u\n", ndev->mtu);
	err = dev_open(ndev, NULL);
	rtnl_unlock();
	sib_port_set_mtu(wire->port, ndev->mtu);
	return err;
}

/**
 * sib_wire_new - use a netdev as the cable of a port
 * @ret: the wire; not started yet
 * @ndev: an Ethernet netdev; the wire takes its own reference
 * @port: the port at this end
 * @wq: where the link handshake runs
 *
 * Opens the netdev. Return: 0 or a negative errno.
 */
int sib_wire_new(struct sib_wire **ret, struct net_device *ndev, struct sib_port *port,
		 struct workqueue_struct *wq)
{
	struct sib_wire *wire;
	int err;

	if (ndev->type != ARPHRD_ETHER)
		return -EINVAL;
	wire = kzalloc(sizeof(*wire), GFP_KERNEL);
	if (!wire)
		return -ENOMEM;
	wire->ndev = ndev;
	wire->port = port;
	wire->wq = wq;
	spin_lock_init(&wire->lock);
	sib_link_init(wire);
	err = sib_wire_prepare(wire);
	if (err) {
		kfree(wire);
		return err;
	}
	netdev_hold(ndev, &wire->tracker, GFP_KERNEL);
	wire->pt.type = htons(SIB_ETHERTYPE);
	wire->pt.dev = ndev;
	wire->pt.func = sib_wire_rcv;
	wire->pt.af_packet_priv = wire;
	*ret = wire;
	return 0;
}

/* Starts to listen and to train. The port must be ready to take packets. */
void sib_wire_start(struct sib_wire *wire)
{
	dev_add_pack(&wire->pt);
	sib_link_kick(wire);
}

/**
 * sib_wire_free - tell the other side, stop, give the netdev back
 * @wire: the wire, or NULL
 *
 * No handler of the wire runs any more on return. Return: NULL.
 */
struct sib_wire *sib_wire_free(struct sib_wire *wire)
{
	if (!wire)
		return NULL;
	dev_remove_pack(&wire->pt);
	sib_link_stop(wire);
	netdev_put(wire->ndev, &wire->tracker);
	kfree(wire);
	return NULL;
}
