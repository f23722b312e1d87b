// SPDX-License-Identifier: GPL-2.0-or-later

#include "address/duid.h"

#include <net/if_arp.h>

#include "base/cursor.h"
#include "value.h"

#define DUID_LL	  3 /* RFC 8415 section 11.4 */
#define DUID_UUID 4 /* RFC 6355 */
#define GUID_SIZE 8

/* The address, or of IPoIB's 20 bytes the port GUID; NULL when there is neither. */
static const uint8_t *stable_hw(const struct netdev *dev, size_t *ret_len)
{
	const struct link_hw *hw =
		dev->permanent.len && dev->hwtype == ARPHRD_ETHER ? &dev->permanent : &dev->hw;

	if (dev->hwtype == ARPHRD_INFINIBAND && hw->len > GUID_SIZE) {
		*ret_len = GUID_SIZE;
		return hw->bytes + hw->len - GUID_SIZE;
	}
	*ret_len = hw->len;
	return hw->len >= 6 ? hw->bytes : NULL;
}

int duid_make(struct duid *ret, const struct env *env, const struct netdev *dev)
{
	uint8_t uuid[UUID_SIZE];
	const uint8_t *hw;
	size_t len;

	*ret = (struct duid){0};
	if (machine_uuid(env, uuid) == 0) {
		ret->len = 2 + UUID_SIZE;
		ret->bytes[1] = DUID_UUID;
		memcpy(ret->bytes + 2, uuid, UUID_SIZE);
		return 0;
	}
	hw = stable_hw(dev, &len);
	if (!hw)
		return -EINVAL;
	ret->len = (uint16_t)(4 + len);
	ret->bytes[1] = DUID_LL;
	ret->bytes[2] = (uint8_t)(dev->hwtype >> 8);
	ret->bytes[3] = (uint8_t)dev->hwtype;
	memcpy(ret->bytes + 4, hw, len);
	return 0;
}

uint32_t duid_iaid(const struct netdev *dev)
{
	size_t len;
	const uint8_t *hw = stable_hw(dev, &len);

	if (!hw)
		return (uint32_t)dev->ifindex;
	return (uint32_t)get_be(hw + len - 4, 4);
}

/* --- the machine's UUID ---------------------------------------------------------------------- */

#define UUID_TEXT 36 /* five groups of hex digits, joined by '-' */

static bool read_uuid(const char *s, size_t len, uint8_t uuid[static UUID_SIZE])
{
	static const uint8_t groups[] = {4, 2, 2, 2, 6}; /* bytes */
	const char *end = s + len;

	if (len != UUID_TEXT)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		if (value_hex(s, 2 * groups[i], uuid, groups[i]) < 0)
			return false;
		s += 2 * groups[i];
		if (s < end && *s++ != '-')
			return false;
		uuid += groups[i];
	}
	return true;
}

/* All zeroes or all ones: not set (SMBIOS 7.2.1). Two more are known to be on every board of some
 * makers. */
static bool is_own(const uint8_t uuid[static UUID_SIZE])
{
	static const uint8_t common[][UUID_SIZE] = {
		{0x03, 0x00, 0x02, 0x00, 0x04, 0x00, 0x05, 0x00, 0x00, 0x06, 0x00, 0x07, 0x00,
			0x08, 0x00, 0x09},
		{0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe, 0xfe,
			0xfe, 0xfe, 0xfe},
	};
	bool same = uuid[0] == 0 || uuid[0] == 0xff;

	for (size_t i = 1; i < UUID_SIZE; i++)
		same = same && uuid[i] == uuid[0];
	for (size_t i = 0; i < ARRAY_SIZE(common); i++)
		same = same || !memcmp(uuid, common[i], UUID_SIZE);
	return !same;
}

int machine_uuid(const struct env *env, uint8_t ret[static UUID_SIZE])
{
	uint8_t uuid[UUID_SIZE] = {0};
	char text[64];
	int len = env_read(env, text, sizeof(text), "/sys/class/dmi/id/product_uuid");

	if (len < 0)
		return len;
	if (!read_uuid(text, (size_t)len, uuid))
		return -EINVAL;
	if (!is_own(uuid))
		return -ENODATA;
	memcpy(ret, uuid, UUID_SIZE);
	return 0;
}
