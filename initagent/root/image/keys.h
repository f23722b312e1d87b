/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keys: the public keys that root images and manifests must be signed with. It owns a copy of each.
 * In: those of the command line and the files built into the initramfs; both are trusted as the
 * initramfs itself is. Out: keys for minisig.h, none at all, or which one cannot be read.
 * Callers: root/, root/web/. Tests: test_proof.c, boot/test_boot_proof.c, tests/manifest.bats.
 */
#pragma once

#include "base/env.h"
#include "root/image/minisig.h"
#include "plan.h"

#define KEYS_MAX 16
#define KEYS_DIR "/etc/initagent/keys"
#define KEYS_CA	 "/etc/initagent/ca.pem" /* certificates, where rd.root.ca= names none */

struct keys {
	struct minisig_key keys[KEYS_MAX];
	size_t n;
	char text[200]; /* why keys_load() failed */
};

/*
 * keys_load: rd.root.key= (text or file), then every *.pub of KEYS_DIR. None at all is fine (n is
 * 0): then no signature is asked for. A key that is there and cannot be read is an error, since
 * leaving it out could mean that none is left. Returns 0, -EINVAL, -E2BIG (more than KEYS_MAX) or
 * -errno.
 */
int keys_load(const struct env *env, const struct plan_image *image, struct keys *ret);
