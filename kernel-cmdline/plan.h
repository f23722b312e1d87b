/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan: what the kernel command line asks for, after defaults. It owns the option table, the
 * grammar of every option, the plan with its strings and arrays.
 * In: the text of one or several command lines (any bytes), later the root-path of DHCP. Out:
 * struct boot_plan, never changed afterwards; remarks (diag.h); lint, dump, option lists.
 * Callers: every folder; it calls none of them: no files, no clock, no globals. Tests: test_rows.c
 * with rows/, test_cmdline.c, test_oom.c, test_url.c, fuzz_*.c, tests/kernel-cmdline.bats.
 *
 * Malformed text never makes the parser fail: the option is left out (or its sane part kept), a
 * diag says so and says what was taken instead. Only -ENOMEM is returned.
 */
#pragma once

#include "diag.h"
#include "options.h"
#include "plan_extension.h"
#include "plan_nfs.h"
#include "value.h"

/* rd.retry when not given: dracut's documented default, in seconds. */
#define PLAN_RETRY_DEFAULT 180

/* Most entries of a list: more than fit into 4,096 bytes. What follows is reported, left out. */
#define PLAN_LIST_MAX 2048

/*
 * Fewer where what is made of them holds fewer: resolv.conf, an interface's routes, the mirrors
 * beside the URL itself.
 */
#define PLAN_NAMESERVERS_MAX 3
#define PLAN_ROUTES_MAX 16
#define PLAN_MIRRORS_MAX 15
#define PLAN_DHCP_SERVERS_MAX 64

/* vlan=, bond=, bridge=, team=; rd.rdma.link=: a bit of 64 each says what was made of them. */
#define PLAN_LINKS_MAX 64

/* Longest source text looked at; the kernel's own limit is 2,048 (x86) or 4,096 bytes. */
#define PLAN_SOURCE_MAX 16384

/* Most words of all sources together; what follows is reported and left out. */
#define PLAN_WORDS_MAX 4096

/* --- drivers ------------------------------------------------------------------------------ */

/* module.param=value on the command line; module with '_' for '-' (as in /proc/modules). */
struct plan_param {
	const char *module;
	const char *param;
	const char *value; /* NULL for "module.param" alone */
};

struct plan_drivers {
	const char *const *pre;	      /* rd.driver.pre, in order: before cold plug */
	const char *const *post;      /* rd.driver.post, in order: after cold plug */
	const char *const *blacklist; /* rd.driver.blacklist and modprobe.blacklist */
	const struct plan_param *params;
	size_t n_pre, n_post, n_blacklist, n_params;
};

/* --- network ------------------------------------------------------------------------------ */

/* How an interface gets its address; ip=dhcp,dhcp6 sets two. */
enum plan_method {
	PLAN_IP_STATIC = 1 << 0, /* none, off, or an address without a word */
	PLAN_IP_DHCP = 1 << 1,	 /* dhcp, on, any */
	PLAN_IP_SINGLE = 1 << 2, /* single-dhcp: the first lease on any interface wins */
	PLAN_IP_DHCP6 = 1 << 3,
	PLAN_IP_AUTO6 = 1 << 4,
	PLAN_IP_EITHER6 = 1 << 5, /* auto6, and if that fails dhcp6 */
	PLAN_IP_LINK6 = 1 << 6,	  /* link-local only */
	PLAN_IP_IBFT = 1 << 7,	  /* as the firmware's iBFT says, once that is read */
};

/* One ip= option. */
struct plan_ip {
	unsigned int methods;	/* enum plan_method bits, at least one */
	const char *ifname;	/* NULL: every interface (DHCP) or the first one usable */
	struct hw_addr match;	/* find the interface by this address, whatever ifname says
				   (52-54-00-12-34-56, enx525400123456); len 0: by name */
	struct inet_addr addr;
	int prefix;		/* of addr, -1 if none */
	struct inet_addr peer;	/* far end of a point-to-point link; also the server for NFS */
	int peer_prefix;	/* -1 if none */
	struct inet_addr gateway;
	const char *hostname;	/* NULL if none */
	uint32_t mtu;		/* 0: leave it */
	struct hw_addr hwaddr;	/* address to set on the interface (len 0: leave it) */
	struct inet_addr dns[2];
	size_t n_dns;
	size_t word;		/* index into words, for messages */
};

struct plan_route { /* rd.route=NET/PREFIX:GATEWAY[:IFNAME] */
	struct inet_addr net;
	int prefix;
	struct inet_addr gateway; /* family 0: on-link */
	const char *ifname;	  /* NULL: whichever interface reaches the gateway */
	size_t word;		  /* index into words, for messages */
};

struct plan_ifname { /* ifname=NAME:MAC */
	const char *name;
	struct hw_addr hwaddr; /* 6, 8 (port GUID) or 20 bytes; of 20 only the last 8 are stable */
};

struct plan_rdma_link { /* rd.rdma.link=NAME,TYPE,NETDEV */
	const char *name;
	const char *type; /* "rxe" or "siw" */
	const char *netdev;
};

/* rd.net.dhcp.client-id=IFNAME:HEX|@TEXT; the last of an interface counts */
struct plan_client_id {
	const char *ifname;
	const uint8_t *bytes; /* type octet included */
	size_t len;
};

/* rd.net.dhcp.request=[IFNAME:]ADDR; the last of an interface counts */
struct plan_dhcp_request {
	const char *ifname; /* NULL: the interface of BOOTIF= */
	struct inet_addr addr; /* IPv4 */
	size_t word;	       /* index into words, for messages */
};

/* An RDMA port; port 0: all of the device. */
struct plan_port {
	const char *device;
	uint32_t port;
};

struct plan_roce { /* rd.rdma.roce=[DEVICE[/PORT]:]v1|v2 */
	struct plan_port port; /* device NULL: every RoCE port */
	bool v2;
};

enum plan_link_kind {
	PLAN_LINK_VLAN,
	PLAN_LINK_BOND,
	PLAN_LINK_BRIDGE,
	PLAN_LINK_TEAM,
	PLAN_LINK_KIND_MAX
};

struct plan_bond_option { /* bond.h */
	const struct bond_option *option;
	uint32_t number;  /* of a number or a word */
	const char *text; /* the value as given */
};

/* An interface made of others: vlan=, bond=, bridge=. team= is refused; its row says so. */
struct plan_link {
	const char *name;
	enum plan_link_kind kind;
	const char *const *lower; /* a VLAN's parent (one), slaves, ports; no name twice */
	size_t n_lower;
	uint16_t vlan_id;	  /* VLAN: 1 to 4094 */
	uint8_t mode;		  /* bond: 0 (balance-rr) to 6, as the kernel numbers them */
	/* bond: in the kernel's order, with what is added to them; mode is one, if it was given */
	const struct plan_bond_option *options;
	size_t n_options;
	const char *instead;	  /* team: the option line of a bond that does the same */
	uint32_t mtu;		  /* bond; 0: leave it */
	size_t word;		  /* index into words, for messages */
};

/* Waits of single steps, seconds; 0: no limit of its own. */
struct plan_net_timeouts {
	uint32_t iflink_s;  /* default 60: netdev appears */
	uint32_t ifup_s;    /* default 20; this and the next two have no effect */
	uint32_t carrier_s; /* default 10 */
	uint32_t route_s;   /* default 20 */
	uint32_t ipv6dad_s; /* default 50: link-local address usable */
	uint32_t ipv6auto_s;/* default 40: automatic IPv6 address */
	uint32_t dhcp_s;    /* default 0 */
	uint32_t dhcp_retry;/* rd.net.dhcp.retry: default 0, as often as the budget allows */
};

/* plan_link_kind_name: "vlan", "bond", "bridge", "team": the option's name and the kernel's. */
const char *plan_link_kind_name(enum plan_link_kind kind);
/* plan_link_module: the kernel module that makes them; NULL: nothing does (team). */
const char *plan_link_module(enum plan_link_kind kind);

/*
 * plan_is_ipoib: is an interface of that name IPoIB's? By the address of its ifname=, else by the
 * name: ib0, ibp3s0 (systemd's), and partitions of such. ibft0 is what dracut calls the Ethernet
 * interface of the firmware's iBFT.
 */
bool plan_is_ipoib(const struct plan_ifname *ifnames, size_t n, const char *name);

struct plan_net {
	uint32_t min_rate;  /* bytes a second, default 4096; 0: any new byte counts */
	bool neednet;	    /* rd.neednet: bring the network up whatever the root is */
	bool alone;	    /* neednet, and nothing of dracut's that needs its own network */
	bool wanted;	    /* neednet, or the root or an ip=, BOOTIF= asks for it */
	bool peerdns;	    /* rd.peerdns: take DNS servers from DHCP (default) */
	const struct plan_ip *ips;
	const struct inet_addr *nameservers;
	const struct plan_route *routes;
	const struct plan_ifname *ifnames;
	const struct plan_link *links;
	const struct plan_rdma_link *rdma_links;
	const struct plan_roce *roces;
	const struct plan_client_id *client_ids;
	const struct plan_dhcp_request *dhcp_requests;
	const struct inet_addr *dhcp_servers; /* leases only from these; none: from anybody */
	size_t n_ips, n_nameservers, n_routes, n_ifnames, n_rdma_links, n_roces, n_dhcp_servers,
		n_client_ids, n_dhcp_requests, n_links;
	struct hw_addr bootif; /* BOOTIF= unless rd.bootif=0; without the hardware type octet */
	uint8_t bootif_type;   /* ARP hardware type: 1 Ethernet, 0x20 InfiniBand (IANA) */
	const char *bootdev;   /* bootdev=, else the first interface named by ip=; or NULL */
	bool bootdev_hint;     /* by netdev=: the real root's name, which may be none here */
	const char *hostname;  /* hostname= or systemd.hostname= or the first of ip=; or NULL */
	struct plan_net_timeouts timeouts;
};

/* --- InfiniBand --------------------------------------------------------------------------- */

/* The IPoIB interface of one partition. */
struct plan_pkey {
	const char *parent; /* netdev; NULL: every IPoIB interface of the plan */
	uint16_t pkey;	    /* full-membership bit set */
};

enum plan_ib_mode {
	PLAN_IB_MODE_UNSET, /* as the driver has it */
	PLAN_IB_MODE_DATAGRAM,
	PLAN_IB_MODE_CONNECTED,
};

/* What DHCP's client identifier (option 61) is on InfiniBand. */
enum plan_clientid_kind {
	PLAN_CLIENTID_AUTO,
	PLAN_CLIENTID_FLEXBOOT,
	PLAN_CLIENTID_HW,
	PLAN_CLIENTID_RFC4361,
	PLAN_CLIENTID_UUID,
	PLAN_CLIENTID_HEX, /* bytes as given, type octet included */
};

struct plan_clientid {
	enum plan_clientid_kind kind;
	const uint8_t *bytes; /* PLAN_CLIENTID_HEX only */
	size_t len;
};

struct plan_ib {
	const struct plan_port *ports; /* only these ports; none given: all */
	const struct hw_addr *guids;   /* likewise; ports and guids add up */
	const struct plan_pkey *pkeys;
	size_t n_ports, n_guids, n_pkeys;
	enum plan_ib_mode mode;
	bool umcast;		/* IPoIB's umcast attribute */
	bool smprobe;		/* a port counts only when the SA behind its SM LID answers */
	const char *nodedesc;	/* NULL: made from host name or GUID */
	struct plan_clientid clientid;
};

/* --- root --------------------------------------------------------------------------------- */

enum plan_root_kind {
	PLAN_ROOT_NONE,	 /* no root=: fatal */
	PLAN_ROOT_NFS,	 /* ours */
	PLAN_ROOT_DHCP,	 /* root=dhcp, netroot=dhcp: root_spec_parse() on the root-path option */
	PLAN_ROOT_LIVE,	 /* [live:]http[s]://...: an image that is fetched; ours */
	PLAN_ROOT_REMOTE, /* nvmf:, nbd:, srp: a block device over the network; ours */
	PLAN_ROOT_WWINIT, /* wwinit[:tmpfs]: Warewulf's layers, unpacked; ours */
	PLAN_ROOT_BLOCK, /* a block device of this machine: left to dracut */
	PLAN_ROOT_OTHER, /* iscsi:, cifs: ...: left to dracut */
};

/* Longest URL taken: what servers and proxies in use accept in a request line. */
#define PLAN_URL_MAX 2000

/* A public key in minisign's binary form: "Ed", key number (8 bytes), ed25519 key (32 bytes). */
#define PLAN_KEY_BYTES 42

struct plan_key { /* rd.root.key=; one of the two */
	const char *path; /* absolute; a file of the initramfs */
	uint8_t bytes[PLAN_KEY_BYTES];
};

/*
 * The writable layer above an image that is mounted (rd.overlay=); always in memory. A block or NFS
 * root has one where it is asked for.
 */
struct plan_overlay {
	bool asked;
	bool off;	     /* rd.overlay=none: the root stays read-only */
	uint64_t size;	     /* bytes; 0: not given */
	uint32_t percent;    /* of the memory; 0: not given. Neither: the kernel's half */
	uint64_t nr_blocks;  /* of a page each; 0: not given */
	uint64_t nr_inodes;  /* 0: not given */
};

/* A root image: whence, what proves it, and how it becomes a root. */
struct plan_image {
	const char *url;	    /* http:// or https://; NULL: from DHCP, or no origin yet */
	bool manifest;		    /* url names a manifest (.manifest, .json), not the image */
	const char *const *mirrors; /* URLs of the same thing, in order of the command line */
	size_t n_mirrors;
	bool has_digest;
	uint8_t digest[32];	    /* SHA-256 of what url names */
	const struct plan_key *keys;/* any of them will do, or one of the initramfs's own */
	size_t n_keys;
	const char *ca;		    /* PEM file of the initramfs, absolute; NULL: its usual ones */
	bool unprovable;	    /* digest or key given, but unreadable: fatal */
	bool must_prove;	    /* a digest or key must be there, if only in the initramfs */
	bool sums;		    /* else: its SHA-256 is in a file beside it */
	bool insecure;		    /* rd.noverifyssl, and something else proves the image */
	const char *cache;	    /* DEVICE[:/DIR]; NULL: none */
	const char *proxy;	    /* http://...; NULL: none */
	struct plan_overlay overlay;
	bool ram;		    /* run from memory even if the cache holds the image */
	uint32_t minmem_mib;	    /* must stay free when the image is in memory */
	const char *size;	    /* of the tmpfs of an archive, for the kernel; NULL: the rest */
	uint32_t part;		    /* of a disk image, by number; 0: the one of the root's type */
	const char *volume;	    /* the same, /dev/disk/by-label/root; NULL: not by name */
	const char *live_dir;	    /* folder of an ISO's squashfs; NULL: the usual ones */
	const char *squashimg;	    /* its file name there; NULL: the usual ones */
	bool xcat;		    /* of an xCAT stateless node: there is XCAT= */
};

/* Warewulf's layers; plan_image.url is their server. */
struct plan_wwinit {
	const char *server, *uri; /* wwinit.server=, wwinit.uri= as written; NULL: not given */
	const char *id;		  /* how the server knows this node; NULL: by its address */
	const char *device;	  /* of the root: path or LABEL=...; NULL: in memory */
	const char *size;	  /* of the tmpfs, for the kernel; NULL: what memory there is */
	bool staged; /* wwinit.uri= alone (4.6): url is the node's, its query names a layer */
};

enum plan_block_kind {
	PLAN_BLOCK_NVMF, /* NVMe over fabrics */
	PLAN_BLOCK_NBD,
	PLAN_BLOCK_SRP,
	PLAN_BLOCK_LOCAL, /* a disk of this machine; plan_block.name is LABEL=... or a path */
	PLAN_BLOCK_KIND_MAX,
};

/* Where a block device is offered. */
struct plan_portal {
	const char *server;	/* name or address without brackets */
	struct inet_addr addr;	/* server, if it is an address literal */
	const char *zone;	/* of a link-local one: its interface; NULL: none is named */
	uint16_t port;		/* 0: the protocol's own */
	bool rdma;		/* over RDMA; else TCP */
	bool discovery;		/* asks its discovery service first (rd.nvmf.discover=) */
	const char *source;	/* NVMe: this node's address to use; NULL: whichever */
};

/* A root on a block device that a server lends. */
struct plan_block {
	enum plan_block_kind kind;
	const struct plan_portal *portals; /* in this order; SRP over InfiniBand: none */
	size_t n_portals;
	/*
	 * NVMe: the subsystem's NQN, NULL: the only one there; NBD: the export, "" the default one;
	 * SRP: id_ext and ioc_guid, as add_target has them.
	 */
	const char *name;
	const char *options;	/* for the kernel, comma-separated; "" */
	uint32_t unit;		/* NVMe: namespace number, 0: the first; SRP: LUN */
	const char *uuid;	/* NVMe: of the namespace, lower case; NULL: any */
	uint32_t part;		/* partition number; 0: the whole device */
	uint32_t timeout_s;	/* NBD: for one request; 0: none */
	uint32_t block_size;	/* NBD; 0: the server's */
	const char *fstype;	/* NULL: told from content */
	const char *flags;	/* mount options, comma-separated, without ro and rw; "" */
	int rw;			/* in rootflags=, where that counts: rw 1, ro -1; 0: neither */
	const char *hostnqn, *hostid; /* NVMe: this node; NULL: from its identity */
	bool nbft;		/* NVMe: left to the firmware's table, no server yet */
};

struct plan_root {
	enum plan_root_kind kind;
	const char *text;   /* as written (of root=, netroot= or nfsroot=); NULL if none */
	struct plan_nfs nfs;/* only for PLAN_ROOT_NFS */
	const struct plan_statelite *statelite; /* over it; NULL: nothing */
	/* for PLAN_ROOT_LIVE and PLAN_ROOT_WWINIT, without url also for PLAN_ROOT_DHCP */
	struct plan_image image;
	struct plan_wwinit wwinit; /* PLAN_ROOT_WWINIT; server, uri, id, size always */
	struct plan_block block; /* PLAN_ROOT_REMOTE; fstype, flags, hostnqn, hostid always */
	bool rw;	    /* mount read-write; default read-only. Last of ro, rw wins */
	bool no_nbft, no_nvmf; /* rd.nvmf.nonbft, rd.nonvmf */
	const char *dracut_module; /* dracut's that brings up such a root; NULL: none known */
	bool legacy_nfs;    /* root=/dev/nfs: path defaults to /tftpboot/%s when DHCP names none */
};

/* --- init, failure policy, debugging ------------------------------------------------------- */

enum plan_action {
	PLAN_ACTION_NONE, /* nothing follows the shell: it may be left to try again */
	PLAN_ACTION_REBOOT,
	PLAN_ACTION_POWEROFF,
	PLAN_ACTION_HALT,
};

enum plan_switch { PLAN_UNSET, PLAN_OFF, PLAN_ON };

/*
 * What a failed boot does: a shell first if shell is set, then the action.
 *	neither option		shell, NONE		(dracut's default)
 *	rd.shell=0		no shell, HALT		(dracut's)
 *	rd.emergency=X		no shell, X		(dracut opens a shell first and stays there)
 *	rd.shell rd.emergency=X	shell, X when it is left
 *	rd.break		shell as well, unless rd.shell=0
 */
struct plan_failure {
	bool shell;
	enum plan_action action;
};

/* rd.break stages in boot order; a bare rd.break is PLAN_BREAK_SWITCH_ROOT. */
enum plan_break {
	PLAN_BREAK_CMDLINE = 1 << 0,
	PLAN_BREAK_PRE_UDEV = 1 << 1,
	PLAN_BREAK_PRE_TRIGGER = 1 << 2,
	PLAN_BREAK_INITQUEUE = 1 << 3,
	PLAN_BREAK_PRE_MOUNT = 1 << 4,
	PLAN_BREAK_MOUNT = 1 << 5,
	PLAN_BREAK_PRE_PIVOT = 1 << 6,
	PLAN_BREAK_CLEANUP = 1 << 7,
	PLAN_BREAK_SWITCH_ROOT = 1 << 8,
};

/* --- reports ------------------------------------------------------------------------------- */

enum plan_report_kind {
	PLAN_REPORT_SYSLOG_UDP,
	PLAN_REPORT_SYSLOG_TCP,
	PLAN_REPORT_HTTP,
	PLAN_REPORT_XCAT,     /* the node's state, to xcatd */
	PLAN_REPORT_XCAT_LOG, /* syslog over UDP, as xCAT's own initramfs sends it */
	PLAN_REPORT_EFI, PLAN_REPORT_PSTORE, /* no host: the last failure, for the next boot */
	PLAN_REPORT_KIND_MAX,
};

/* Most that are told; further ones are reported and left out. */
#define PLAN_REPORTS_MAX 8

struct plan_report {
	enum plan_report_kind kind;
	const char *text;	/* as written: for HTTP the URL */
	const char *host;	/* name or address without brackets; "" without */
	struct inet_addr addr;	/* host, if it is an address literal */
	uint16_t port;
};

/* --- the real root's network manager ------------------------------------------------------- */

/* For which of them profiles are written at hand-over. */
enum plan_handover {
	PLAN_HANDOVER_NETWORKD = 1 << 0,
	PLAN_HANDOVER_NETWORKMANAGER = 1 << 1,
	PLAN_HANDOVER_IFUPDOWN = 1 << 2,
	PLAN_HANDOVER_IFCFG = 1 << 3,
};
#define PLAN_HANDOVER_ALL 0xf

/* --- the words themselves ------------------------------------------------------------------ */

enum plan_word_kind {
	PLAN_WORD_OPTION,  /* has a row in the option table */
	PLAN_WORD_PARAM,   /* module.param=value */
	PLAN_WORD_KERNEL,  /* the kernel's own (console=, panic=, BOOT_IMAGE= ...) */
	PLAN_WORD_SYSTEM,  /* the real system's (systemd.*, 3, single ...) */
	PLAN_WORD_DRACUT,  /* of dracut's modules (rd.lvm.*, rd.luks.* ...): left to them */
	PLAN_WORD_INIT,	   /* after "--": an argument of init */
	PLAN_WORD_UNKNOWN,
};

struct plan_word {
	enum plan_word_kind kind;
	const struct option_row *row; /* PLAN_WORD_OPTION only */
	const char *name;	      /* as the kernel splits it, quotes gone */
	const char *value;	      /* NULL without '=' */
	const char *effect;	      /* in plain words what it does; NULL if nothing */
	unsigned int source;
	size_t pos, len;	      /* the raw text in its source, quotes included */
	size_t value_pos;	      /* where value begins in the source */
	bool kept;		      /* an option that counts; see plan_image_options() */
	const struct plan_word *by;   /* what counts in its place; NULL: nothing does */
};

struct boot_plan {
	struct plan_drivers drivers;
	struct plan_net net;
	struct plan_ib ib;
	struct plan_root root;
	const struct plan_extension *extensions;
	uint32_t retry_s;   /* for network and root to become ready; 0: no limit of its own */
	uint32_t timeout_s; /* for the whole boot; 0: none */
	const char *init;   /* init=, default "/sbin/init" */
	const char *const *init_args; /* words after "--", and run level words before it */
	size_t n_init_args, n_extensions, n_reports;
	struct plan_failure failure;
	enum plan_switch shell;	    /* rd.shell as given */
	unsigned int breaks;	    /* enum plan_break bits */
	const struct plan_report *reports; /* rd.report= */
	unsigned int handover;	    /* enum plan_handover bits; only if */
	bool handover_given;	    /* rd.handover= is there; else what the real root has */
	bool debug;		    /* rd.debug */
	bool info;		    /* rd.info: show progress although "quiet" */
	bool quiet;		    /* the kernel's quiet */
	bool hostonly;		    /* rd.hostonly: keep the options that the image has */
	bool fatal;		    /* a DIAG_FATAL was reported */
	const struct plan_word *words;
	size_t n_words;
	bool given[OPTION_N];	    /* was the option on the line, well-formed or not? */
	struct arena *arena;	    /* holds all of the plan */
};

/* One text the plan is made of, for example /proc/cmdline or a file of /etc/cmdline.d. */
struct plan_source {
	const char *name; /* of a file; NULL for a line that some kernel is to get */
	const char *text; /* any bytes; ends at len or at the first NUL */
	size_t len;
	bool running;	  /* /proc/cmdline: what this kernel has got */
	bool firmware, credential; /* the last, firmware_options()'s; a set_credential='s */
};

/*
 * plan_parse: one text. plan_parse_sources: sources in the order of increasing weight. dracut's
 * order is /etc/cmdline.d files by name, /etc/cmdline, /proc/cmdline (last wins). Each source is
 * split by itself, so an unbalanced quote or a "--" ends with its file. White space incl. newlines
 * separates words, as in the kernel.
 *
 * diags may be NULL. Returns 0 or -ENOMEM; *ret only on 0.
 */
int plan_parse_sources(struct boot_plan **ret, const struct plan_source *src, size_t n_src,
	struct diag_list *diags);
int plan_parse(struct boot_plan **ret, const char *cmdline, size_t len, struct diag_list *diags);

struct boot_plan *plan_free(struct boot_plan *p);
DEFINE_FREEP(struct boot_plan, plan_free)

/* plan_network_deadline, plan_deadline: absolute times (ns) by which the network must
 * be operational and the whole boot done; NSEC_NEVER: no limit. The first is never later. */
uint64_t plan_network_deadline(const struct boot_plan *p, uint64_t start);
uint64_t plan_deadline(const struct boot_plan *p, uint64_t start);

/*
 * plan_server_families: the address families of the root's servers that the command line names by
 * address. plan_ip_families: those that ip= sets up; without it every interface asks by DHCP, and
 * by IPv6 where a server has such an address. Bits of enum plan_family.
 */
enum plan_family { PLAN_FAMILY_4 = 1 << 0, PLAN_FAMILY_6 = 1 << 1 };
unsigned int plan_server_families(const struct boot_plan *p);
unsigned int plan_ip_families(const struct boot_plan *p);

/*
 * plan_modules: the modules that the command line insists on, for those who judge an image. Strings
 * are the plan's. *ret is to be freed. 0 or -ENOMEM.
 */
struct plan_module {
	const char *option; /* "rd.driver.post=" */
	const char *name;
};
int plan_modules(const struct boot_plan *p, struct plan_module **ret, size_t *ret_n);

/*
 * plan_print_modules: them as rows like those of drivers.list, "asked NAME OPTION", for the image
 * builders that are shell, and "dracut NAME" for plan_root.dracut_module. 0 or -ENOMEM.
 */
int plan_print_modules(const struct boot_plan *p, FILE *out);

/*
 * plan_image_options: the options that an image for this machine alone has to have where the boot
 * loader no longer gives them, in one line, quoted as for the kernel: those that count, but for
 * those of one boot (ONCE in options.def) and of the firmware's tables. root: those of the root as
 * well, which is the agent's. The caller frees it. NULL: none, or out of memory.
 */
char *plan_image_options(const struct boot_plan *p, bool root);

/* plan_wants_proof: does the command line name a digest or a key, that can be read or not? The
 * initramfs may have keys as well. */
bool plan_wants_proof(const struct boot_plan *p);

/* plan_ip_is_open: no interface is named: ip= is for whichever is there. */
static inline bool plan_ip_is_open(const struct plan_ip *ip)
{
	return !ip->ifname && !ip->match.len;
}

/* plan_is_fetched: does plan_image.url name the root? */
static inline bool plan_is_fetched(enum plan_root_kind kind)
{
	return kind == PLAN_ROOT_LIVE || kind == PLAN_ROOT_WWINIT;
}

/* plan_is_manifest: does the URL's path (or a file's name) end as a manifest's does? */
bool plan_is_manifest(const char *url, size_t len);

/* plan_dump: one "key=value" line for each field, in a fixed order; without all only those that
 * differ from what an empty command line gives. Bytes outside of printable ASCII are written as
 * \xNN. Returns 0, -ENOMEM or -EIO. */
int plan_dump(const struct boot_plan *p, FILE *out, bool all);
