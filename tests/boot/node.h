/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * node: the whole plan runner in a network namespace, with a peer in another one that plays the
 * servers: real netlink, real neighbour entries, made-up modules and a scripted mount.
 */
#pragma once

#include <cjson/cJSON.h>
#include <sys/types.h>

#include "boot/boot.h"
#include "modtree.h"

/* ip= of the node whose peer wire_up() makes. */
#define NODE "192.0.2.2::192.0.2.1:255.255.255.0::veth0:none"

/* The modalias of a network adapter whose driver is "slow" or "card", see node.c. */
#define CARD(driver) "pci:v0000FFFEd00000001sv00000000sd00000000bc02sc00i00-" driver "\n"

/* A node: its tree, its command line, and what the boot left. */
struct node {
	struct modtree tree;
	struct boot_args args;
	char init[BOOT_INIT_MAX];
	cJSON *state; /* what the boot left */
};

/* wire_up: a new namespace with veth0, whose other end is 192.0.2.1 in the namespace of the pid
 * that is returned. */
pid_t wire_up(void);

/* With NODE_CONSOLE in the environment its console lines go to standard error. node_open: the tree
 * of a node with this command line. What the path of an NFS root is decides how its mount ends. */
void node_open(struct node *n, const char *line);
void node_close(struct node *n);

/* Set by the mount of /hang, across processes; to be mapped by the case. */
extern volatile int *hanging;

/* boot: runs it. Its outcome; state is then there, and it is checked that the agent slept while it
 * waited. */
int boot(struct node *n);

/* expect: a whole boot of one line: its outcome, and the cause that must have been met ("" for
 * none). */
void expect(const char *line, int outcome, const char *code);

/* met: how often a cause was met, wherever. */
int met(const struct node *n, const char *code);
/* met_at: where it was first met; "": it was not. */
const char *met_at(const struct node *n, const char *code);
/* says: it was met, with these words in its text. */
bool says(const struct node *n, const char *code, const char *words);

/* text_at: "" where there is none. number_at: the case fails where there is none. */
const char *text_at(const cJSON *o, const char *key);
double number_at(const cJSON *o, const char *key);
