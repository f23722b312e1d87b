/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * owners: whose words are on a command line besides ours. Not complete and not meant to be: it
 * keeps the lint from calling everyday words of the kernel, systemd and dracut unknown.
 * A name ending in '*' stands for all that begin with it.
 */
#include "options.h"

static const char *const kernel_words[] = {
	"BOOT_IMAGE", "acpi", "acpi_*", "add_efi_memmap", "amd_iommu", "amd_pstate", "apic",
	"apparmor", "audit", "audit_backlog_limit", "bert_disable", "bgrt_disable", "blkdevparts",
	"boot_delay", "carrier_timeout", "cgroup_disable", "cgroup_enable", "cio_ignore",
	"clearcpuid", "clocksource", "cma", "condev", "conmode", "console", "consoleblank",
	"coredump_filter", "crash_kexec_post_notifiers", "crashkernel", "debug",
	"default_hugepagesz", "deferred_probe_timeout", "delayacct", "dfltcc", "dhcpclass",
	"disable_mtrr_cleanup", "disable_radix", "dma_debug", "dyndbg", "earlycon", "earlyprintk",
	"edd", "efi", "efivar_ssdt", "elevator", "enforcing", "erst_disable", "evm", "fadump",
	"fadump_reserve_mem", "fbcon", "fips", "firmware_class.path", "forcepae", "ftrace*",
	"fw_devlink", "gather_data_sampling", "hardened_usercopy", "hest_disable", "highres",
	"hpet", "hugepages", "hugepagesz", "hugetlb_cma", "hugetlb_free_vmemmap",
	"hung_task_panic", "hvc_iucv", "idle", "ignore_loglevel", "ima", "ima_*",
	"indirect_target_selection", "init_on_alloc", "init_on_free", "initcall_blacklist",
	"initcall_debug", "initramfs_async", "initrd", "initrdmem", "integrity_audit",
	"intel_idle.max_cstate", "intel_iommu", "intel_pstate", "intremap", "iomem", "iommu",
	"iommu.*", "irqaffinity", "irqpoll", "isolcpus", "ivrs_*", "kasan", "kasan.*", "kaslr",
	"keep_bootcon", "kernelcore", "kgdboc", "kmemleak", "kpti", "l1d_flush", "l1tf", "lapic",
	"libahci*", "load_ramdisk", "lockdown", "log_buf_len", "loglevel", "lpj", "lsm",
	"max_loop", "maxcpus", "mce", "md", "mds", "mem", "mem_encrypt", "mem_sleep_default",
	"memmap", "memory_corruption_check", "memtest", "mitigations", "mmio_stale_data",
	"module_blacklist", "movable_node", "movablecore", "mtrr_*", "nfsrootdebug",
	"nmi_debug", "nmi_watchdog", "no-kvmclock", "no-steal-acc", "no5lvl", "no_console_suspend",
	"no_file_caps", "no_hash_pointers", "no_timer_check", "noapic", "noautogroup", "nobp",
	"nodelayacct", "noefi", "noexec", "nohibernate", "nohlt", "nohpet", "nohz", "nohz_full",
	"noinitrd", "noiommu", "nokaslr", "nolapic", "nolapic_timer", "nomce", "nomodeset",
	"nomodule", "nopat", "nopku", "nopti", "norandmaps", "noreplace-smp", "noresume", "nosgx",
	"nosmap", "nosmep", "nosmp", "nosmt", "nosoftlockup", "nospec",
	"nospec_store_bypass_disable", "nospectre_v1", "nospectre_v2", "noswap", "nousb", "novx",
	"nowatchdog", "nox2apic", "noxsave", "noxsaveopt", "nr_cpus", "numa", "numa_balancing",
	"numa_zonelist_order", "oops", "page_alloc.shuffle", "page_owner", "page_poison", "panic",
	"panic_on_oops", "panic_on_warn", "panic_print", "pause_on_oops", "pci", "pcie_aspm",
	"pcie_port_pm", "pcie_ports", "pmtmr", "pnpacpi", "pnpbios", "possible_cpus", "powersave",
	"ppc_tm", "preempt", "print_fatal_signals", "processor.max_cstate", "prompt_ramdisk",
	"prot_virt", "psi", "pti", "quiet_*", "raid", "ramdisk_size", "ramdisk_start",
	"randomize_kstack_offset", "ras", "rcu_nocb_poll", "rcu_nocbs", "rcupdate.*", "rdinit",
	"rdt", "reboot", "reg_file_data_sampling", "relax_domain_level", "reserve", "resume",
	"resume_offset", "retain_initrd", "retbleed", "ring3mwait", "rodata", "rootdelay",
	"rootwait", "sched_*", "schedstats", "security", "selinux", "skew_tick", "slab_max_order",
	"slab_nomerge", "slub_debug", "slub_nomerge", "smt", "softlockup_all_cpu_backtrace",
	"softlockup_panic", "spec_rstack_overflow", "spec_store_bypass_disable", "spectre_bhi",
	"spectre_v2", "spectre_v2_user", "split_lock_detect", "srbds", "stack_guard_gap",
	"stacktrace", "swapaccount", "swiotlb", "sysctl.*", "sysrq_always_enabled", "threadirqs",
	"tp_printk", "trace_buf_size", "trace_event", "trace_options", "transparent_hugepage",
	"tsc", "tsx", "tsx_async_abort", "udbg-immortal", "unknown_nmi_panic", "usbcore.*", "vdso",
	"vga", "video", "vmalloc", "vmhalt", "vmpanic", "vmpoff", "vsyscall", "watchdog_thresh",
	"workqueue.*", "x2apic_phys", "xen*", "xive",
};

static const char *const system_words[] = {
	"FC", "LANG", "LC_*", "LOGSERVER", "PARTITION_*", "XCATHTTPPORT", "autofs", "biosdevname",
	"boot", "bss_referral_token", "cloud-config-url", "cloud-init", "ds", "dump", "fastboot",
	"forcefsck", "fsck.*", "ifcfg", "ignition.*", "inst.*", "ks", "locale.*", "luks", "luks.*",
	"mount.usr*", "net.ifnames", "net.naming-scheme", "net.naming_scheme", "network-config",
	"nid", "ochami_ci_url*", "ostree", "overlayroot", "overlayroot_cfgdisk", "plymouth.*",
	"rhgb", "roothash", "selinux_*", "splash", "systemd", "systemd.*", "udev.*", "usrhash",
	"vconsole.*", "verity*", "vt.handoff", "xcatd", "xcatdebugmode", "xname", "wwinit*",
};

static const char *const dracut_words[] = {
	"cifspass", "cifsuser", "ecryptfskey", "evmkey", "evmx509", "fcoe", "gpt", "iscsi*",
	"iso-scan/filename", "live.*", "liveimg", "masterkey", "masterkeytype", "netroot",
	"rd.caps*", "rd.ccw", "rd.cio_accept", "rd.cio_ignore", "rd.cmdline", "rd.convertfs",
	"rd.ctty", "rd.dasd", "rd.dcssblk", "rd.distroinit", "rd.dm", "rd.dm.*",
	"rd.driver.export", "rd.ethtool", "rd.fcoe", "rd.fips*", "rd.fstab", "rd.iscsi.*",
	"rd.kiwi.*", "rd.locale.*", "rd.luks", "rd.luks.*", "rd.lvm", "rd.lvm.*", "rd.lunmask",
	"rd.md", "rd.md.*", "rd.memdebug", "rd.multipath", "rd.net.dhcp.dscp",
	"rd.net.dhcp.vendor-class", "rd.net.dns*", "rd.plymouth", "root.journaldev",
	"rd.retrigger", "rd.shutdown.*", "rd.skipfsck", "rd.systemd.*", "rd.udev.*",
	"rd.vconsole.*", "rd.zfcp*", "rd.zipl", "rd.znet*", "rootfallback", "syslog.*",
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
