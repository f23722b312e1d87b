// SPDX-License-Identifier: GPL-2.0
/*
 * trap.c: notices an agent sends on its own, 13.4.9. A trap goes to the SM and is repeated a few
 * times until the SM represses it; a newer trap takes the place of an older one.
 */
#include "softib.h"

#define SIB_TRAP_REPEATS	3
#define SIB_TRAP_PERIOD_MS	1000

void sib_trap_init(struct sib_trap *trap, work_func_t fn)
{
	spin_lock_init(&trap->lock);
	INIT_DELAYED_WORK(&trap->work, fn);
	trap->tid = get_random_u32();
}

/**
 * sib_trap_raise - have a trap sent
 * @trap: the agent's trap object; its work function sends
 * @wq: where to run it
 * @number: trap number
 * @details: what follows the notice header
 * @len: bytes of @details
 */
void sib_trap_raise(struct sib_trap *trap, struct workqueue_struct *wq, u16 number,
		    const void *details, size_t len)
{
	unsigned long flags;

	spin_lock_irqsave(&trap->lock, flags);
	trap->tid++;
	trap->number = number;
	memset(trap->details, 0, sizeof(trap->details));
	memcpy(trap->details, details, min(len, sizeof(trap->details)));
	trap->left = SIB_TRAP_REPEATS;
	spin_unlock_irqrestore(&trap->lock, flags);
	mod_delayed_work(wq, &trap->work, 0);
}

/* The SM has it: no more repeats. */
void sib_trap_repress(struct sib_trap *trap, __be64 tid)
{
	unsigned long flags;

	spin_lock_irqsave(&trap->lock, flags);
	if (be64_to_cpu(tid) == trap->tid)
		trap->left = 0;
	spin_unlock_irqrestore(&trap->lock, flags);
}

/* Asks for the next repeat, if one is left. */
void sib_trap_rearm(struct sib_trap *trap, struct workqueue_struct *wq)
{
	if (READ_ONCE(trap->left))
		queue_delayed_work(wq, &trap->work, msecs_to_jiffies(SIB_TRAP_PERIOD_MS));
}

/* Caller holds trap->lock. */
static void sib_trap_fill(const struct sib_trap *trap, struct ib_smp *smp, u16 lid, u32 producer)
{
	struct sib_notice *n = (struct sib_notice *)smp->data;

	memset(smp, 0, sizeof(*smp));
	smp->base_version = IB_MGMT_BASE_VERSION;
	smp->mgmt_class = IB_MGMT_CLASS_SUBN_LID_ROUTED;
	smp->class_version = 1;
	smp->method = IB_MGMT_METHOD_TRAP;
	smp->tid = cpu_to_be64(trap->tid);
	smp->attr_id = IB_SMP_ATTR_NOTICE;
	n->type = 0x80 | (trap->number == 128 ? 1 : 4);	/* generic; urgent or informational */
	n->prod[0] = producer >> 16;
	n->prod[1] = producer >> 8;
	n->prod[2] = producer;
	n->trap = cpu_to_be16(trap->number);
	n->issuer_lid = cpu_to_be16(lid);
	memcpy(n->details, trap->details, sizeof(n->details));
}

/**
 * sib_trap_packet - the next packet of a pending trap
 * @trap: the trap
 * @port: the port whose LID and SM LID count
 * @producer: node type, 1 = CA, 2 = switch
 *
 * Return: a sealed packet, or NULL: nothing pending, no SM known, no memory.
 */
struct sk_buff *sib_trap_packet(struct sib_trap *trap, struct sib_port *port, u32 producer)
{
	u16 lid = sib_port_lid(port), sm_lid = be16_to_cpu(READ_ONCE(port->pi.sm_lid));
	struct sib_av av = { .dlid = sm_lid };
	struct sib_hdr h = {
		.av = &av,
		.slid = lid,
		.pkey = SIB_PKEY_DEFAULT,
		.opcode = IB_OPCODE_UD_SEND_ONLY,
		.mgmt = true,
	};
	struct ib_smp smp;
	unsigned long flags;
	bool send;

	spin_lock_irqsave(&trap->lock, flags);
	send = trap->left && lid && sm_lid;
	if (send) {
		trap->left--;
		sib_trap_fill(trap, &smp, lid, producer);
	}
	spin_unlock_irqrestore(&trap->lock, flags);
	if (!send)
		return NULL;
	sib_count(port, SIB_STAT_TRAPS);
	return sib_packet_mad(port, &h, &smp, GFP_KERNEL);
}
