/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rendezvous: in which order a node asks the mirrors. Each node draws a number for each mirror from its own
 * identity and the mirror's URL and takes the highest first: nodes spread evenly without knowing of
 * each other, always ask in the same order, and when a mirror is added or lost only its share moves. Pure.
 */
#pragma once

#include "base/util.h"

/* rendezvous_weight: the number drawn. node: the port GUID, or any number that is the node's own. */
uint64_t rendezvous_weight(uint64_t node, const char *url);

/* rendezvous_order: writes the indexes of urls into order, the one to ask first in front. */
void rendezvous_order(uint64_t node, const char *const *urls, size_t n, uint8_t *order);
