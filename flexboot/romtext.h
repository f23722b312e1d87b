/* SPDX-License-Identifier: GPL-2.0-or-later */
/* romtext: a ROM as text for people and as JSON for programs. */
#pragma once

#include "flexboot/rom.h"

/* romtext_list: images, devices, signatures, and then the faults with their offsets. */
void romtext_list(const struct rom *r, const char *name, FILE *out);

/* romtext_faults: the faults alone, one a line, each with name and offset. */
void romtext_faults(const struct rom *r, const char *name, FILE *out);

/* romtext_json: the same as one JSON object. 0 or -ENOMEM. */
int romtext_json(const struct rom *r, const char *name, FILE *out);

/* Words for numbers; never NULL. */
const char *rom_code_name(uint8_t code);
const char *rom_machine_name(uint16_t machine);
const char *rom_product_name(uint16_t product);

/* rom_version: "3.7.400" or the free text. */
const char *rom_version(const struct rom_tag *t, char *buf, size_t size);
