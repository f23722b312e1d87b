// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * iowitness: what a real root on the network lives through while its own network manager takes
 * over.
 *
 *   iowitness FOLDER OUT SECONDS LIMIT [FILE]
 *
 * One of the first services of the root. It says READY (sd_notify) when it watches the network
 * (netwatch), sends echo requests to the root's server (echothread) and the first round of I/O in
 * FOLDER (iothread) is done, so that no manager starts before. It goes on until an address was set
 * anew over SECONDS, which is what a manager does when the DHCP server answers it the first time
 * (not dhclient, which only adds what is not there) and when the lease is renewed; and LATE times
 * after OUT/FILE is there (with SECONDS of 0 until then alone); but never for more than LIMIT
 * seconds. OUT/events has everything seen, OUT/result.json the sums.
 */
#include "echothread.h"
#include "guest.h"
#include "iothread.h"
#include "netwatch.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)
/* What was under way when the file appeared may be one answer. */
#define LATE 2
/* So often it looks up when the network is silent. */
#define LOOK_MS 100

static void ready(void)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (path && fd >= 0 && strlen(path) < sizeof(addr.sun_path)) {
		memcpy(addr.sun_path, path, strlen(path));
		sendto(fd, "READY=1", 7, 0, (struct sockaddr *)&addr, sizeof(addr));
	}
	if (fd >= 0)
		close(fd);
}

/* What an operation that never ended took so far counts as well. Its begin is read before the
 * clock. */
static uint64_t longest(const struct iothread *io)
{
	uint64_t since = atomic_load(&io->busy_since_ns);
	uint64_t done = atomic_load(&io->longest_ns);
	uint64_t now = guest_now();

	return since && now - since > done ? now - since : done;
}

static int write_result(const char *out, const struct iothread *io, const struct echothread *e,
	const struct netwatch *w, uint64_t began)
{
	uint64_t now = guest_now(), lost_at = 0, lost = echothread_longest_lost(e, &lost_at);
	char path[300];
	char whole[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/result.new", out);
	snprintf(whole, sizeof(whole), "%s/result.json", out);
	f = fopen(path, "we");
	if (!f)
		return -errno;
	fprintf(f, "{\"began_s\": %.3f, \"seconds\": %.3f, ", (double)began / 1e9,
		(double)(now - began) / 1e9);
	fprintf(f,
		"\"rounds\": %lu, \"io_errors\": %lu, \"damaged\": %lu, \"first_error\": \"%s\", ",
		io->rounds, io->errors, io->damaged, io->first_error);
	fprintf(f, "\"longest_s\": %.3f, \"longest_at_s\": %.3f, ", (double)longest(io) / 1e9,
		(double)io->longest_at_ns / 1e9);
	fprintf(f, "\"echoes\": %u, \"echoes_lost\": %u, ", e->sent, e->sent - e->answered);
	fprintf(f, "\"longest_lost_s\": %.3f, \"longest_lost_at_s\": %.3f, ", (double)lost / 1e9,
		(double)lost_at / 1e9);
	fprintf(f, "\"link_down\": %u, \"carrier_lost\": %u, \"link_gone\": %u, \"renamed\": %u, ",
		w->link_down, w->carrier_lost, w->link_gone, w->renamed);
	fprintf(f, "\"address_gone\": %u, \"route_gone\": %u, \"port_changes\": %u, ",
		w->address_gone, w->route_gone, w->port_changes);
	fprintf(f, "\"overruns\": %u, \"refreshed\": %u, \"renewed_s\": %.3f, ", w->overruns,
		w->refreshed, (double)(w->answered - w->first_answered) / 1e9);
	fprintf(f, "\"unanswered_s\": %.3f}\n", (double)w->unanswered / 1e9);
	if (fclose(f) != 0)
		return -errno;
	/* whole, or not there: its appearance is waited for */
	return rename(path, whole) == 0 ? 0 : -errno;
}

/* span: so long the address is set anew; awaited: the file that is waited for, or NULL. */
static void watch_until_end(struct netwatch *w, const struct iothread *io, uint64_t span,
	uint64_t most, const char *awaited)
{
	struct pollfd p = {.fd = w->fd, .events = POLLIN};
	unsigned late = awaited && span ? LATE : 0, early = 0;
	bool told = false;

	do {
		poll(&p, 1, LOOK_MS);
		netwatch_dispatch(w);
		if (!told && atomic_load(&io->rounds) > 0) {
			ready();
			told = true;
		}
		if (awaited && access(awaited, F_OK) == 0) {
			awaited = NULL;
			early = w->refreshed;
		}
	} while (guest_now() < most &&
		(awaited || w->answered - w->first_answered < span ||
			w->refreshed - early < late));
}

int main(int argc, char **argv)
{
	static struct netwatch watch;
	static struct echothread echo;
	static struct iothread io;
	uint64_t began = guest_now();
	char path[300];
	FILE *events;

	if (argc != 5 && argc != 6) {
		fprintf(stderr, "usage: iowitness FOLDER OUT SECONDS LIMIT [FILE]\n");
		return 2;
	}
	mkdir(argv[1], 0700);
	mkdir(argv[2], 0755);
	io.folder = argv[1];
	snprintf(path, sizeof(path), "%s/events", argv[2]);
	events = fopen(path, "we");
	if (!events || netwatch_open(&watch, events) < 0 || echothread_start(&echo) < 0 ||
		iothread_start(&io) != 0) {
		perror("iowitness");
		return 1;
	}
	if (argc == 6)
		snprintf(path, sizeof(path), "%s/%s", argv[2], argv[5]);
	watch_until_end(&watch, &io, strtoul(argv[3], NULL, 10) * SECOND,
		began + strtoul(argv[4], NULL, 10) * SECOND, argc == 6 ? path : NULL);
	/* written before the thread is waited for: a hanging one is a result, too */
	return write_result(argv[2], &io, &echo, &watch, began) == 0 ? 0 : 1;
}
