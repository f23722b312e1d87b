// SPDX-License-Identifier: GPL-2.0
/*
 * faultmad.c: faults that know what a MAD is. Rules drop, delay, repeat or refuse MADs by class,
 * method and attribute. Holding a port, another SM LID and other P_Keys are done to the other
 * end of the cable by changing the SM's Set() on its way there, so the node runs unmodified;
 * the last such Set() is remembered and sent again when a setting changes.
 */
#include <linux/slab.h>

#include "softib.h"

/* High half of the transaction ID of SMPs sent in the SM's name. */
#define SIB_OWN_TID	0x736f6674

static bool sib_mad_is_own_answer(const struct ib_mad_hdr *h, enum sib_dir dir)
{
	return dir == SIB_RX && h->method == IB_MGMT_METHOD_GET_RESP &&
	       h->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE &&
	       be64_to_cpu(h->tid) >> 32 == SIB_OWN_TID;
}

/* A Set() whose next stop is the other end of the cable. */
static bool sib_smp_set_for_peer(struct ib_smp *smp)
{
	if (smp->method != IB_MGMT_METHOD_SET)
		return false;
	if (smp->mgmt_class == IB_MGMT_CLASS_SUBN_LID_ROUTED)
		return true;
	return smp->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE &&
	       smp->hop_ptr == smp->hop_cnt && !ib_get_smp_direction(smp);
}

/* Caller holds f->lock. Return: whether the MAD was changed. */
static bool sib_rewrite_port_info(struct sib_fault *f, struct ib_smp *smp)
{
	struct ib_port_info *pi = (struct ib_port_info *)smp->data;
	u8 state = pi->linkspeed_portstate & 0xf;
	bool changed = false;

	if ((f->hold == SIB_HOLD_INIT && state >= IB_PORT_ARMED) ||
	    (f->hold == SIB_HOLD_ARMED && state == IB_PORT_ACTIVE)) {
		pi->linkspeed_portstate &= 0xf0;
		f->withheld = true;
		changed = true;
	}
	if (f->sm_lid) {
		pi->sm_lid = cpu_to_be16(f->sm_lid);
		changed = true;
	}
	return changed;
}

static bool sib_pkey_listed(const u16 *list, unsigned int n, u16 pkey)
{
	while (n--) {
		if ((list[n] & SIB_PKEY_BASE) == (pkey & SIB_PKEY_BASE))
			return true;
	}
	return false;
}

/* Caller holds f->lock. Return: whether the MAD was changed. */
static bool sib_rewrite_pkeys(const struct sib_fault *f, struct ib_smp *smp)
{
	__be16 *t = (__be16 *)smp->data;
	unsigned int i, add = 0;

	if (be32_to_cpu(smp->attr_mod) & 0xffff)
		return false;
	for (i = 0; i < SIB_PKEYS; i++) {
		if (t[i] && sib_pkey_listed(f->pkey_remove, f->n_remove, be16_to_cpu(t[i])))
			t[i] = 0;
	}
	for (i = 0; i < SIB_PKEYS && add < f->n_add; i++) {
		if (!t[i])
			t[i] = cpu_to_be16(f->pkey_add[add++]);
	}
	return f->n_remove || f->n_add;
}

/* Remembers and changes a Set() for the peer. Return: whether it was changed. */
static bool sib_fault_rewrite(struct sib_fault *f, struct ib_smp *smp)
{
	bool dr = smp->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE, changed = false;

	spin_lock_bh(&f->lock);
	if (smp->attr_id == IB_SMP_ATTR_PORT_INFO) {
		if (dr) {
			f->port_info = *smp;
			f->have_port_info = true;
		}
		changed = sib_rewrite_port_info(f, smp);
	} else if (smp->attr_id == IB_SMP_ATTR_PKEY_TABLE) {
		if (dr && !(be32_to_cpu(smp->attr_mod) & 0xffff)) {
			f->pkeys = *smp;
			f->have_pkeys = true;
		}
		changed = sib_rewrite_pkeys(f, smp);
	}
	spin_unlock_bh(&f->lock);
	return changed;
}

static bool sib_rule_matches(const struct sib_rule *r, const struct ib_mad_hdr *h,
			     enum sib_dir dir)
{
	return (r->dir < 0 || r->dir == (int)dir) &&
	       (r->mclass < 0 || r->mclass == h->mgmt_class) &&
	       (r->method < 0 || r->method == h->method) &&
	       (r->attr < 0 || r->attr == be16_to_cpu(h->attr_id));
}

/* The first rule that applies, copied out and counted. */
static bool sib_rule_find(struct sib_fault *f, const struct ib_mad_hdr *h, enum sib_dir dir,
			  struct sib_rule *out)
{
	struct sib_rule *r;
	bool found = false;

	spin_lock_bh(&f->lock);
	list_for_each_entry(r, &f->rules, list) {
		if (!sib_rule_matches(r, h, dir) || (r->count && r->hits >= r->count))
			continue;
		if (r->skip) {
			r->skip--;
			continue;
		}
		r->hits++;
		*out = *r;
		found = true;
		break;
	}
	spin_unlock_bh(&f->lock);
	return found;
}

/* Answers a GSI request in the name of the one it was for. */
static void sib_fault_refuse(struct sib_port *port, const struct sib_cb *cb,
			     const struct ib_mad *mad, enum sib_dir dir, u16 status)
{
	struct sib_av av = { .dlid = cb->slid, .sl = cb->sl };
	struct sib_hdr h = {
		.av = &av,
		.slid = cb->dlid,
		.pkey = cb->pkey,
		.qpn = cb->sqpn,
		.qkey = IB_QP1_QKEY,
		.sqpn = cb->qpn,
		.opcode = IB_OPCODE_UD_SEND_ONLY,
	};
	struct ib_mad answer = *mad;
	struct sk_buff *skb;

	answer.mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	answer.mad_hdr.status = cpu_to_be16(status);
	skb = sib_packet_mad(port, &h, &answer, GFP_ATOMIC);
	if (!skb)
		return;
	if (dir == SIB_RX)
		sib_fault_deliver(port, skb, SIB_TX);
	else if (sib_packet_parse(port, skb))
		sib_fault_deliver(port, skb, SIB_RX);
	else
		kfree_skb(skb);
}

static void sib_fault_repeat(struct sib_port *port, struct sk_buff *skb, enum sib_dir dir, u32 n)
{
	struct sk_buff *copy;

	for (n = min(n, 16U); n; n--) {
		copy = skb_copy(skb, GFP_ATOMIC);
		if (copy)
			sib_fault_deliver(port, copy, dir);
	}
}

/* Return: whether the packet goes on. */
static bool sib_rule_apply(struct sib_port *port, struct sk_buff *skb, const struct ib_mad *mad,
			   enum sib_dir dir, const struct sib_rule *r)
{
	sib_count(port, SIB_STAT_FAULT_MAD);
	switch (r->action) {
	case SIB_RULE_DELAY:
		sib_fault_delay(&port->fault, skb, dir, r->arg);
		return false;
	case SIB_RULE_DUP:
		sib_fault_repeat(port, skb, dir, r->arg);
		return true;
	case SIB_RULE_REFUSE:
		if (sib_cb(skb)->qpn == 1 && !(mad->mad_hdr.method & IB_MGMT_METHOD_RESP))
			sib_fault_refuse(port, sib_cb(skb), mad, dir, r->arg);
		break;
	case SIB_RULE_DROP:
		break;
	}
	kfree_skb(skb);
	return false;
}

/**
 * sib_fault_mad - what the faults do to a management packet
 * @port: the port
 * @skb: parsed packet; consumed unless true is returned
 * @dir: direction
 *
 * Other packets pass. Return: whether the packet goes on.
 */
bool sib_fault_mad(struct sib_port *port, struct sk_buff *skb, enum sib_dir dir)
{
	struct sib_cb *cb = sib_cb(skb);
	struct sib_rule rule;
	struct ib_mad *mad;

	if (!(sib_opcodes[cb->opcode].flags & SIB_OP_DETH) || cb->qpn > 1 ||
	    (cb->flags & SIB_CB_MCAST))
		return true;
	mad = sib_packet_get_mad(skb);
	if (!mad)
		return true;
	if (sib_mad_is_own_answer(&mad->mad_hdr, dir)) {
		consume_skb(skb);
		return false;
	}
	if (!cb->qpn && dir == SIB_TX && sib_smp_set_for_peer((struct ib_smp *)mad) &&
	    sib_fault_rewrite(&port->fault, (struct ib_smp *)mad)) {
		sib_count(port, SIB_STAT_FAULT_MAD);
		sib_packet_seal(skb);
	}
	if (!sib_rule_find(&port->fault, &mad->mad_hdr, dir, &rule))
		return true;
	return sib_rule_apply(port, skb, mad, dir, &rule);
}

/* Caller holds f->lock. PortInfo as the SM last sent it, but for the states. */
static void sib_compose_port_info(struct sib_fault *f, struct ib_smp *smp, u8 state)
{
	struct ib_port_info *pi = (struct ib_port_info *)smp->data;

	pi->linkspeed_portstate = (pi->linkspeed_portstate & 0xf0) | state;
	pi->portphysstate_linkdown &= 0x0f;
	pi->clientrereg_resv_subnetto &= 0x7f;
	sib_rewrite_port_info(f, smp);
}

/* Caller holds f->lock. The P_Key table as the SM last sent it, or as it was born. */
static void sib_compose_pkeys(struct sib_fault *f, struct ib_smp *smp)
{
	if (f->have_pkeys) {
		*smp = f->pkeys;
	} else {
		memset(smp->data, 0, sizeof(smp->data));
		*(__be16 *)smp->data = cpu_to_be16(SIB_PKEY_DEFAULT);
		smp->attr_mod = 0;
		smp->attr_id = IB_SMP_ATTR_PKEY_TABLE;
	}
	sib_rewrite_pkeys(f, smp);
}

/**
 * sib_fault_tell - tell the other end in the SM's name what follows from a changed setting
 * @port: our end of the cable
 * @what: which message
 *
 * Does nothing before the SM has been there. The answer is swallowed. Process context.
 */
void sib_fault_tell(struct sib_port *port, enum sib_tell what)
{
	struct sib_av av = { .dlid = SIB_LID_PERMISSIVE };
	struct sib_hdr h = {
		.av = &av,
		.slid = SIB_LID_PERMISSIVE,
		.pkey = SIB_PKEY_DEFAULT,
		.opcode = IB_OPCODE_UD_SEND_ONLY,
		.mgmt = true,
	};
	struct sib_fault *f = &port->fault;
	struct sk_buff *skb = NULL;
	struct ib_smp smp;
	bool send;

	spin_lock_bh(&f->lock);
	send = f->have_port_info;
	smp = f->port_info;
	if (what == SIB_TELL_PKEYS)
		sib_compose_pkeys(f, &smp);
	else
		sib_compose_port_info(f, &smp, what == SIB_TELL_ARMED ? IB_PORT_ARMED :
					       what == SIB_TELL_ACTIVE ? IB_PORT_ACTIVE : 0);
	smp.tid = cpu_to_be64((u64)SIB_OWN_TID << 32 | ++f->own_tid);
	spin_unlock_bh(&f->lock);
	if (send)
		skb = sib_packet_mad(port, &h, &smp, GFP_KERNEL);
	if (skb)
		sib_fault_deliver(port, skb, SIB_TX);
}

/*
 * A hold ended: what it kept back happens now, and the SM is told to have a look, so nobody has to
 * wait for it to come by.
 */
void sib_fault_let_go(struct sib_port *port)
{
	struct sib_fault *f = &port->fault;
	bool withheld;

	spin_lock_bh(&f->lock);
	withheld = f->withheld && f->hold == SIB_HOLD_NONE;
	if (withheld)
		f->withheld = false;
	spin_unlock_bh(&f->lock);
	if (!withheld)
		return;
	sib_fault_tell(port, SIB_TELL_ARMED);
	sib_fault_tell(port, SIB_TELL_ACTIVE);
	port->ops->link_changed(port);
}

void sib_fault_clear_rules(struct sib_fault *f)
{
	struct sib_rule *r, *next;
	LIST_HEAD(old);

	spin_lock_bh(&f->lock);
	list_splice_init(&f->rules, &old);
	f->n_rules = 0;
	spin_unlock_bh(&f->lock);
	list_for_each_entry_safe(r, next, &old, list)
		kfree(r);
}
