/* SPDX-License-Identifier: GPL-2.0-or-later */
/* states: keeps the state files that tests make, for tests/state.bats, which holds them against the
 * schema. */
#pragma once

/* states_keep: writes the text to a file of its own in the folder $STATE_RENDER; nothing without
 * it. */
void states_keep(const char *json);
