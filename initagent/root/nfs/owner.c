// SPDX-License-Identifier: GPL-2.0-or-later

#include "root/nfs/owner.h"

#include "base/hex.h"

#define SETTING "/sys/module/nfs/parameters/nfs4_unique_id"
/* The last octets of an IPoIB address are the port GUID (RFC 4391, 9.1.1); those before change from
 * boot to boot. */
#define GUID_LEN 8

int owner_set(const struct env *env, const struct link_hw *hw)
{
	char value[2 * OWNER_ID_MAX], id[OWNER_ID_MAX];
	size_t from = hw->len > GUID_LEN ? hw->len - GUID_LEN : 0;
	int r = env_read(env, value, sizeof(value), SETTING);

	if (r != 0)
		return r < 0 ? r : 0;
	hex_text(id, sizeof(id), hw->bytes + from, hw->len - from, "");
	r = env_write(env, id, SETTING);
	return r < 0 ? r : 1;
}
