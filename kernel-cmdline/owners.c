/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owners: whose words are on a command line besides ours. Not complete and not meant to be: it
 * keeps the lint from calling everyday words of the kernel, systemd and dracut unknown.
 * A name ending in '*' stands for all that begin with it.
 */
#include "options.h"

static const char *const kernel_words[] = {
	"BOOT_IMAGE", "acpi", "acpi_*", "amd_iommu", "amd_pstate", "apic", "apparmor", "audit",
	"audit_backlog_limit", "bgrt_disable", "blkdevparts", "cgroup_disable", "cgroup_enable",
	"clocksource", "cma", "console", "consoleblank", "coredump_filter",
	"crash_kexec_post_notifiers", "crashkernel", "debug", "default_hugepagesz", "delayacct",
	"disable_mtrr_cleanup", "dma_debug", "dyndbg", "earlycon", "earlyprintk", "edd", "efi",
	"elevator", "enforcing", "evm", "fbcon", "firmware_class.path", "ftrace*", "hpet",
	"hugepages", "hugepagesz", "hung_task_panic", "idle", "ignore_loglevel", "ima_*",
	"init_on_alloc", "init_on_free", "initcall_blacklist", "initcall_debug", "initrd",
	"initrdmem", "intel_idle.max_cstate", "intel_iommu", "intel_pstate", "iomem", "iommu",
	"iommu.*", "irqaffinity", "irqpoll", "isolcpus", "kaslr", "keep_bootcon", "kgdboc", "kpti",
	"l1tf", "libahci*", "load_ramdisk", "log_buf_len", "loglevel", "lpj", "lsm", "max_loop",
	"maxcpus", "mce", "mds", "mem", "mem_encrypt", "mem_sleep_default", "memmap", "memtest",
	"mitigations", "mmio_stale_data", "module_blacklist", "nfsaddrs", "nfsrootdebug",
	"nmi_watchdog", "no_console_suspend", "no_timer_check", "noapic", "nohibernate", "nohpet",
	"nohz", "nohz_full", "noinitrd", "noiommu", "nokaslr", "nolapic", "nomodeset", "nopat",
	"nopti", "noreplace-smp", "noresume", "nosmap", "nosmep", "nosmp", "nosmt",
	"nospec_store_bypass_disable", "nospectre_v1", "nospectre_v2", "noswap", "nowatchdog",
	"nox2apic", "nr_cpus", "numa", "numa_balancing", "numa_zonelist_order", "oops",
	"page_alloc.shuffle", "page_owner", "page_poison", "panic", "panic_on_oops",
	"panic_on_warn", "panic_print", "pause_on_oops", "pci", "pcie_aspm", "pcie_ports",
	"preempt", "print_fatal_signals", "processor.max_cstate", "prompt_ramdisk", "psi", "pti",
	"quiet_*", "ramdisk_size", "ramdisk_start", "ras", "rcu_nocbs", "rcupdate.*", "rdinit",
	"reboot", "reserve", "resume", "resume_offset", "retbleed", "ring3mwait", "rodata",
	"rootdelay", "rootwait", "sched_*", "security", "selinux", "skew_tick", "slab_nomerge",
	"slub_debug", "slub_nomerge", "smt", "softlockup_panic", "spec_store_bypass_disable",
	"spectre_v2", "srbds", "swapaccount", "swiotlb", "sysctl.*", "sysrq_always_enabled",
	"threadirqs", "trace_buf_size", "trace_event", "transparent_hugepage", "tsc", "tsx",
	"udbg-immortal", "usbcore.*", "vga", "video", "vmalloc", "vsyscall", "watchdog_thresh",
	"workqueue.*", "x2apic_phys", "xen*",
};

static const char *const system_words[] = {
	"FC", "LANG", "LC_*", "XCATHTTPPORT", "autofs", "biosdevname", "boot",
	"bss_referral_token", "cloud-config-url", "cloud-init", "ds", "fastboot", "forcefsck",
	"fsck.*", "ifcfg", "ignition.*", "inst.*", "ks", "locale.*", "luks", "luks.*",
	"mount.usr*", "net.ifnames", "net.naming-scheme", "net.naming_scheme", "nid",
	"nonodestatus", "overlayroot", "overlayroot_cfgdisk", "plymouth.*", "rhgb", "roothash",
	"selinux_*", "splash", "systemd", "systemd.*", "udev.*", "usrhash", "vconsole.*",
	"verity*", "vt.handoff", "xcatd", "xname", "wwinit*",
};

static const char *const dracut_words[] = {
	"cifspass", "cifsuser", "ecryptfskey", "evmkey", "evmx509", "fcoe", "gpt", "iscsi*",
	"iso-scan/filename", "live.*", "liveimg", "masterkey", "masterkeytype", "netroot",
	"rd.ccw", "rd.cio_accept", "rd.cio_ignore", "rd.cmdline", "rd.ctty", "rd.dasd", "rd.dm",
	"rd.dm.*", "rd.driver.export", "rd.ethtool", "rd.fcoe", "rd.fips*", "rd.fstab",
	"rd.iscsi.*", "rd.locale.*", "rd.luks", "rd.luks.*", "rd.lvm", "rd.lvm.*", "rd.lunmask",
	"rd.md", "rd.md.*", "rd.memdebug", "rd.multipath", "rd.net.dns*", "rd.plymouth",
	"rd.retrigger", "rd.shutdown.*", "rd.skipfsck", "rd.systemd.*", "rd.udev.*",
	"rd.vconsole.*", "rd.zfcp*", "rd.zipl", "rd.znet*", "rootfallback",
};

static bool listed(const char *const *list, size_t n, const char *s, size_t len)
{
	size_t i;

	for (i = 0; i < n; i++) {
		size_t m = strlen(list[i]);
		bool family = list[i][m - 1] == '*';

		m -= family;
		if ((family ? len >= m : len == m) && memcmp(list[i], s, m) == 0)
			return true;
	}
	return false;
}

/* dracut's and the system's lists go first: the kernel's has the shortest beginnings. */
enum word_owner word_owner(const char *s, size_t len)
{
	if (listed(system_words, ARRAY_SIZE(system_words), s, len))
		return OWNER_SYSTEM;
	if (listed(dracut_words, ARRAY_SIZE(dracut_words), s, len))
		return OWNER_DRACUT;
	if (listed(kernel_words, ARRAY_SIZE(kernel_words), s, len))
		return OWNER_KERNEL;
	return OWNER_NOBODY;
}
