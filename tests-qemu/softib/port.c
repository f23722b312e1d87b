// SPDX-License-Identifier: GPL-2.0
/*
 * port.c: one InfiniBand port. The PortInfo attribute in wire layout is the only copy of the
 * port's state: Get sends it, Set merges into it, the verbs decode it.
 */
#include "softib.h"

const char * const sib_stat_names[SIB_STAT_COUNT] = {
#define SIB_STAT(id, name) name,
#include "stats.h"
#undef SIB_STAT
};

#define SIB_DEFAULT_PREFIX	0xfe80000000000000ULL
/* LinkSpeed bits 2.5, 5 and 10 Gb/s; widths 1x and 4x. Active: 10 Gb/s, 4x. */
#define SIB_SPEEDS		7
#define SIB_SPEED_ACTIVE	4
#define SIB_WIDTHS		3
#define SIB_WIDTH_ACTIVE	2
#define SIB_CAP_MASK_CA \
	(IB_PORT_NOTICE_SUP | IB_PORT_TRAP_SUP | IB_PORT_SL_MAP_SUP | IB_PORT_SYS_IMAGE_GUID_SUP | \
	 IB_PORT_CM_SUP | IB_PORT_VENDOR_CLASS_SUP | IB_PORT_CAP_MASK_NOTICE_SUP | \
	 IB_PORT_CLIENT_REG_SUP | IB_PORT_OTHER_LOCAL_CHANGES_SUP)
#define SIB_CAP_MASK_SWITCH \
	(IB_PORT_NOTICE_SUP | IB_PORT_TRAP_SUP | IB_PORT_SL_MAP_SUP | IB_PORT_SYS_IMAGE_GUID_SUP)

static u8 sib_with_low(u8 old, u8 nibble)
{
	return (old & 0xf0) | (nibble & 0xf);
}

static u8 sib_with_high(u8 old, u8 nibble)
{
	return (old & 0x0f) | nibble << 4;
}

static void sib_pi_init(struct sib_port *port)
{
	bool sp0 = port->is_switch && !port->num;
	struct ib_port_info *pi = &port->pi;

	pi->gid_prefix = cpu_to_be64(SIB_DEFAULT_PREFIX);
	pi->cap_mask = cpu_to_be32(port->is_switch ? SIB_CAP_MASK_SWITCH : SIB_CAP_MASK_CA);
	pi->local_port_num = port->num;
	pi->link_width_enabled = SIB_WIDTHS;
	pi->link_width_supported = SIB_WIDTHS;
	pi->link_width_active = SIB_WIDTH_ACTIVE;
	pi->linkspeed_portstate = SIB_SPEEDS << 4 | (sp0 ? IB_PORT_ACTIVE : IB_PORT_DOWN);
	pi->portphysstate_linkdown = (sp0 ? IB_PORT_PHYS_STATE_LINK_UP :
				      IB_PORT_PHYS_STATE_POLLING) << 4 |
				     IB_PORT_PHYS_STATE_POLLING;
	pi->linkspeedactive_enabled = SIB_SPEED_ACTIVE << 4 | SIB_SPEEDS;
	pi->neighbormtu_mastersmsl = IB_MTU_2048 << 4;
	pi->vlcap_inittype = 1 << 4;
	pi->vl_arb_high_cap = 8;
	pi->vl_arb_low_cap = 8;
	pi->inittypereply_mtucap = IB_MTU_4096;
	pi->operationalvl_pei_peo_fpi_fpo = 1 << 4;
	pi->guid_cap = SIB_GUIDS;
	pi->clientrereg_resv_subnetto = 18;
	pi->resv_resptimevalue = 8;
	pi->localphyerrors_overrunerrors = 8 << 4 | 8;
}

/**
 * sib_port_init - make a port object
 * @port: zeroed memory
 * @ops: what the owner does
 * @owner: sib_dev or sib_switch
 * @name: the owner's name; must outlive the port
 * @num: port number; 0 = management port of a switch
 * @guid: port GUID
 * @is_switch: whether the owner is a switch
 *
 * Return: 0.
 */
int sib_port_init(struct sib_port *port, const struct sib_port_ops *ops, void *owner,
		  const char *name, u8 num, __be64 guid, bool is_switch)
{
	port->ops = ops;
	port->owner = owner;
	port->name = name;
	port->num = num;
	port->is_switch = is_switch;
	port->guids[0] = guid;
	port->pkeys[0] = cpu_to_be16(SIB_PKEY_DEFAULT);
	spin_lock_init(&port->lock);
	sib_pi_init(port);
	sib_fault_init(&port->fault, port);
	return 0;
}

void sib_port_cleanup(struct sib_port *port)
{
	debugfs_remove_recursive(port->dir);
	port->dir = NULL;
	sib_fault_cleanup(&port->fault);
}

/* The largest InfiniBand MTU whose packets fit the netdev becomes MTUCap. */
void sib_port_set_mtu(struct sib_port *port, unsigned int netdev_mtu)
{
	enum ib_mtu mtu = IB_MTU_4096;

	while (mtu > IB_MTU_256 && ib_mtu_enum_to_int(mtu) + SIB_MAX_OVERHEAD > netdev_mtu)
		mtu--;
	spin_lock_irq(&port->lock);
	port->pi.inittypereply_mtucap = sib_with_low(port->pi.inittypereply_mtucap, mtu);
	if (port->pi.neighbormtu_mastersmsl >> 4 > mtu)
		port->pi.neighbormtu_mastersmsl =
			sib_with_high(port->pi.neighbormtu_mastersmsl, mtu);
	spin_unlock_irq(&port->lock);
}

void sib_events_add(struct sib_events *ev, enum ib_event_type type)
{
	if (ev->n < SIB_MAX_EVENTS)
		ev->ev[ev->n++] = type;
}

/* Carries out what sib_port_set_info() and its kind collected; no lock may be held. */
void sib_port_dispatch(struct sib_port *port, const struct sib_events *ev)
{
	unsigned int i;

	for (i = 0; i < ev->n; i++)
		port->ops->event(port, ev->ev[i]);
	if (ev->phys && port->wire)
		sib_link_set_phys(port->wire, ev->phys);
	if (ev->link_changed)
		port->ops->link_changed(port);
}

/**
 * sib_port_link - the cable came up or went down
 * @port: the port
 * @up: link is up
 * @phys: PortPhysicalState to show
 *
 * LID and SM LID keep their values while the port is down, as on hardware. Process context.
 */
void sib_port_link(struct sib_port *port, bool up, u8 phys)
{
	struct ib_port_info *pi = &port->pi;
	struct sib_events ev = {};
	enum ib_port_state old;

	spin_lock_irq(&port->lock);
	old = sib_pi_state(pi);
	pi->portphysstate_linkdown = sib_with_high(pi->portphysstate_linkdown, phys);
	if (up && old == IB_PORT_DOWN) {
		pi->linkspeed_portstate = sib_with_low(pi->linkspeed_portstate, IB_PORT_INIT);
		ev.link_changed = true;
	} else if (!up && old != IB_PORT_DOWN) {
		pi->linkspeed_portstate = sib_with_low(pi->linkspeed_portstate, IB_PORT_DOWN);
		ev.link_changed = true;
		/* A port that comes up again is the SM's to bring up. */
		WRITE_ONCE(port->fault.withheld, false);
		sib_events_add(&ev, IB_EVENT_PORT_ERR);
		sib_count(port, SIB_STAT_LINK_DOWNED);
	}
	spin_unlock_irq(&port->lock);
	sib_port_dispatch(port, &ev);
}

/* The state machine of 14.2.5.6: what the SM may ask for in which state. */
static bool sib_state_ok(enum ib_port_state cur, enum ib_port_state want, u8 phys)
{
	if (phys > IB_PORT_PHYS_STATE_DISABLED)
		return false;
	switch (want) {
	case IB_PORT_NOP:
		return true;
	case IB_PORT_DOWN:
		return true;
	case IB_PORT_ARMED:
		return !phys && (cur == IB_PORT_INIT || cur == IB_PORT_ARMED);
	case IB_PORT_ACTIVE:
		return !phys && (cur == IB_PORT_ARMED || cur == IB_PORT_ACTIVE);
	default:
		return false;
	}
}

/* Caller holds port->lock. */
static void sib_set_state(struct sib_port *port, enum ib_port_state want, u8 phys,
			  struct sib_events *ev)
{
	struct ib_port_info *pi = &port->pi;
	enum ib_port_state cur = sib_pi_state(pi);

	/*
	 * Down without a word about the physical state starts the logical link anew, 7.2. SMs do
	 * this to a port in INIT when they change its MTU, and go on at once.
	 */
	if (want == IB_PORT_DOWN && !phys && cur > IB_PORT_INIT)
		phys = IB_PORT_PHYS_STATE_POLLING;
	ev->phys = phys;
	if (want <= IB_PORT_DOWN || want == cur)
		return;
	WRITE_ONCE(pi->linkspeed_portstate, sib_with_low(pi->linkspeed_portstate, want));
	if (want == IB_PORT_ACTIVE)
		sib_events_add(ev, IB_EVENT_PORT_ACTIVE);
}

/* Fields of end ports (CA ports and switch port 0); caller holds port->lock. */
static void sib_set_end_port(struct sib_port *port, const struct ib_port_info *in,
			     struct sib_events *ev)
{
	u8 lmc_mask = port->is_switch ? 0 : 7;
	struct ib_port_info *pi = &port->pi;
	bool lid, sm, gid;

	lid = pi->lid != in->lid || ((pi->mkeyprot_resv_lmc ^ in->mkeyprot_resv_lmc) & lmc_mask);
	sm = pi->sm_lid != in->sm_lid ||
	     ((pi->neighbormtu_mastersmsl ^ in->neighbormtu_mastersmsl) & 0xf);
	gid = pi->gid_prefix != in->gid_prefix;
	pi->mkey = in->mkey;
	pi->gid_prefix = in->gid_prefix;
	WRITE_ONCE(pi->lid, in->lid);
	pi->sm_lid = in->sm_lid;
	pi->mkey_lease_period = in->mkey_lease_period;
	pi->mkeyprot_resv_lmc = in->mkeyprot_resv_lmc & (0xc0 | lmc_mask);
	pi->neighbormtu_mastersmsl = sib_with_low(pi->neighbormtu_mastersmsl,
						  in->neighbormtu_mastersmsl);
	pi->clientrereg_resv_subnetto = in->clientrereg_resv_subnetto & 0x1f;
	pi->mkey_violations = in->mkey_violations;
	pi->pkey_violations = in->pkey_violations;
	pi->qkey_violations = in->qkey_violations;
	if (lid)
		sib_events_add(ev, IB_EVENT_LID_CHANGE);
	if (sm)
		sib_events_add(ev, IB_EVENT_SM_CHANGE);
	if (gid)
		sib_events_add(ev, IB_EVENT_GID_CHANGE);
	if (in->clientrereg_resv_subnetto & 0x80)
		sib_events_add(ev, IB_EVENT_CLIENT_REREGISTER);
}

/* Fields of the link; caller holds port->lock. Zero means no change where the book says so. */
static void sib_set_link_fields(struct sib_port *port, const struct ib_port_info *in)
{
	u8 mtu = in->neighbormtu_mastersmsl >> 4;
	struct ib_port_info *pi = &port->pi;
	u8 vls = in->operationalvl_pei_peo_fpi_fpo >> 4;

	if (in->link_width_enabled)
		pi->link_width_enabled = in->link_width_enabled == 0xff ?
					 pi->link_width_supported :
					 in->link_width_enabled & pi->link_width_supported;
	if (in->linkspeedactive_enabled & 0xf)
		pi->linkspeedactive_enabled =
			sib_with_low(pi->linkspeedactive_enabled,
				     in->linkspeedactive_enabled & SIB_SPEEDS);
	if (mtu)
		pi->neighbormtu_mastersmsl = sib_with_high(pi->neighbormtu_mastersmsl, mtu);
	if (vls)
		pi->operationalvl_pei_peo_fpi_fpo = in->operationalvl_pei_peo_fpi_fpo;
	if (in->portphysstate_linkdown & 0xf)
		pi->portphysstate_linkdown = sib_with_low(pi->portphysstate_linkdown,
							  in->portphysstate_linkdown);
	pi->vl_high_limit = in->vl_high_limit;
	pi->vlstallcnt_hoqlife = in->vlstallcnt_hoqlife;
	pi->localphyerrors_overrunerrors = in->localphyerrors_overrunerrors;
}

static bool sib_info_ok(const struct sib_port *port, const struct ib_port_info *in, bool end_port)
{
	u16 lid = be16_to_cpu(in->lid);
	u8 mtu = in->neighbormtu_mastersmsl >> 4;

	if (end_port && (lid >= SIB_MCAST_LID || (!lid && port->pi.lid)))
		return false;
	if (mtu > (port->pi.inittypereply_mtucap & 0xf))
		return false;
	return in->operationalvl_pei_peo_fpi_fpo >> 4 <= port->pi.vlcap_inittype >> 4;
}

/**
 * sib_port_set_info - Set(PortInfo)
 * @port: the port
 * @in: the attribute as it came
 * @ev: gets what has to be dispatched, in the order hardware reports it
 *
 * Nothing changes unless everything asked for is allowed. Caller holds port->lock.
 * Return: 0 or a MAD status (host order).
 */
u8 sib_port_set_info(struct sib_port *port, const struct ib_port_info *in, struct sib_events *ev)
{
	enum ib_port_state want = in->linkspeed_portstate & 0xf;
	u8 phys = in->portphysstate_linkdown >> 4;
	bool sp0 = port->is_switch && !port->num;

	if (!sib_info_ok(port, in, sp0 || !port->is_switch) ||
	    (!sp0 && !sib_state_ok(sib_pi_state(&port->pi), want, phys))) {
		pr_debug(
			"%s/%u: Set(PortInfo) refused: state %u to %u/%u, LID %u, MTU %u, VLs %u\n",
			port->name, port->num, sib_pi_state(&port->pi), want, phys,
			be16_to_cpu(in->lid), in->neighbormtu_mastersmsl >> 4,
			in->operationalvl_pei_peo_fpi_fpo >> 4);
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	}
	if (sp0 || !port->is_switch)
		sib_set_end_port(port, in, ev);
	if (!sp0) {
		sib_set_link_fields(port, in);
		sib_set_state(port, want, phys, ev);
	}
	return 0;
}

/* P_Key at an index, 0 if there is none. */
u16 sib_port_pkey(struct sib_port *port, u16 index)
{
	return index < SIB_PKEYS ? be16_to_cpu(READ_ONCE(port->pkeys[index])) : 0;
}

/* 10.9.3: the low 15 bits agree and at least one side is a full member. */
static bool sib_pkeys_match(u16 a, u16 b)
{
	return (a & SIB_PKEY_BASE) && (a & SIB_PKEY_BASE) == (b & SIB_PKEY_BASE) &&
	       ((a | b) & SIB_PKEY_MEMBER);
}

static void sib_pkey_violation(struct sib_port *port)
{
	unsigned long flags;
	u16 n;

	sib_count(port, SIB_STAT_DROP_PKEY);
	spin_lock_irqsave(&port->lock, flags);
	n = be16_to_cpu(port->pi.pkey_violations);
	if (n != U16_MAX)
		port->pi.pkey_violations = cpu_to_be16(n + 1);
	spin_unlock_irqrestore(&port->lock, flags);
}

/* Does a packet's P_Key match the table entry a QP uses? Counts if not. */
bool sib_port_pkey_match(struct sib_port *port, u16 wire_pkey, u16 index)
{
	if (sib_pkeys_match(wire_pkey, sib_port_pkey(port, index)))
		return true;
	sib_pkey_violation(port);
	return false;
}

/* The table entry that matches a packet for QP1, or -ENOENT (counted). */
int sib_port_find_pkey(struct sib_port *port, u16 wire_pkey)
{
	unsigned int i;

	for (i = 0; i < SIB_PKEYS; i++) {
		if (sib_pkeys_match(wire_pkey, sib_port_pkey(port, i)))
			return i;
	}
	sib_pkey_violation(port);
	return -ENOENT;
}

void sib_port_gid(struct sib_port *port, unsigned int index, union ib_gid *gid)
{
	unsigned long flags;

	spin_lock_irqsave(&port->lock, flags);
	gid->global.subnet_prefix = port->pi.gid_prefix;
	gid->global.interface_id = index < SIB_GUIDS ? port->guids[index] : 0;
	spin_unlock_irqrestore(&port->lock, flags);
}
