/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inquiry_line: what is asked over one port, and what is known from it. For inquiry.c only. */
#pragma once

#include "fabric/inquiry.h"

struct line;

int line_new(struct line **ret, const struct env *env, const struct mad_ops *ops,
	const struct fabric_port *port);
struct line *line_free(struct line *l);
const char *line_name(const struct line *l);

/* line_port: the port as it is now. */
void line_port(struct line *l, const struct fabric_port *port, bool smprobe, uint64_t now);
int line_ask_sm(struct line *l, const struct fabric_port *port, uint64_t now);
int line_ask_group(struct line *l, const struct fabric_port *port, uint16_t pkey, uint64_t now);

void line_fill(const struct line *l, struct fabric_port *port);

/* line_watch: has epoll watch the fd that is open now; false when there is one it cannot watch. */
bool line_watch(struct line *l, int epoll);
uint64_t line_deadline(const struct line *l);
void line_dispatch(struct line *l, uint64_t now);
bool line_pop(struct line *l, struct inquiry_event *ret);
/* line_busy: an answer or an event is to come; the endless probing of a silent SM does not count. */
bool line_busy(const struct line *l);
void line_close(struct line *l);
