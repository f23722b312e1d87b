// SPDX-License-Identifier: GPL-2.0-or-later
/* names: words for the numbers in a ROM. */
#include "flexboot/rom.h"

struct name {
	uint16_t number;
	const char *text;
};

static const char *name_of(const struct name *names, size_t n, uint16_t number, const char *other)
{
	for (size_t i = 0; i < n; i++)
		if (names[i].number == number)
			return names[i].text;
	return other;
}

/* PCI Firmware Specification 3.3, table 5-3. 0xff is what iPXE gives the payload of an .mrom. */
const char *rom_code_name(uint8_t code)
{
	static const struct name names[] = {{ROM_X86, "x86"}, {ROM_OPEN_FIRMWARE, "Open Firmware"},
		{ROM_HP_PA_RISC, "HP PA-RISC"}, {ROM_EFI, "EFI"}, {0xff, "payload"}};

	return name_of(names, ARRAY_SIZE(names), code, "other");
}

/* PE/COFF specification, machine types. */
const char *rom_machine_name(uint16_t machine)
{
	static const struct name names[] = {{0x014c, "i386"}, {0x8664, "x86-64"}, {0xaa64, "arm64"},
		{0x01c2, "arm"}, {0x0ebc, "EFI byte code"}, {0x5064, "riscv64"}, {0x6264, "loongarch64"}};

	return name_of(names, ARRAY_SIZE(names), machine, "unknown machine");
}

const char *rom_subsystem_name(uint16_t subsystem)
{
	static const struct name names[] = {
		{10, "application"}, {11, "boot service driver"}, {12, "runtime driver"}};

	return name_of(names, ARRAY_SIZE(names), subsystem, "unknown subsystem");
}

/* As mstflint names them (mlxfwops/lib/fw_ops.cpp). */
const char *rom_product_name(uint16_t product)
{
	static const struct name names[] = {{0x01, "CLP1"}, {0x02, "CLP2"}, {0x03, "CLP3"},
		{0x04, "CLP4"}, {0x0f, "CLP"}, {0x10, "PXE"}, {0x11, "UEFI"}, {0x12, "CLP"},
		{0x13, "NVMe"}, {0x14, "UEFI virtio-net"}, {0x15, "UEFI virtio-blk"},
		{0x16, "PXE virtio-net"}, {0x21, "FCODE"}};

	return name_of(names, ARRAY_SIZE(names), product, "unknown product");
}

const char *rom_protocol_name(uint8_t protocol)
{
	static const struct name names[] = {{0, "IB"}, {1, "ETH"}, {2, "VPI"}, {0xff, "none"}};

	return name_of(names, ARRAY_SIZE(names), protocol, "unknown protocol");
}

const char *rom_version(const struct rom_tag *t, char *buf, size_t size)
{
	if (t->text[0])
		snprintf(buf, size, "%s", t->text);
	else if (t->n_version == 3)
		snprintf(buf, size, "%u.%u.%u", t->version[0], t->version[1], t->version[2]);
	else
		snprintf(buf, size, "%u", t->version[0]);
	return buf;
}
