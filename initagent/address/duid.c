// SPDX-License-Identifier: GPL-2.0-or-later
/* duid: see duid.h. */
#include "address/duid.h"

#include <net/if_arp.h>

#include "address/uuid.h"

#define DUID_LL	  3 /* RFC 8415 section 11.4 */
#define DUID_UUID 4 /* RFC 6355 */
#define GUID_SIZE 8

/* The address, or of IPoIB's 20 bytes the port GUID; NULL when there is neither. */
static const uint8_t *stable_hw(const struct netdev *dev, size_t *ret_len)
{
	const struct link_hw *hw = dev->permanent.len && dev->hwtype == ARPHRD_ETHER ? &dev->permanent : &dev->hw;

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
	hw += len - 4;
	return (uint32_t)hw[0] << 24 | (uint32_t)hw[1] << 16 | (uint32_t)hw[2] << 8 | hw[3];
}
