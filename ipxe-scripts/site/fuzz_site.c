// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_site: any bytes as a site file. What has no error must render, into files whose names stay
 * below the folder and scripts that hold only what scripts may hold; each finding has a place
 * inside of the file.
 */
#include "site/line.h"
#include "site/names.h"
#include "site/site.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(cond)                                                                         \
	do {                                                                               \
		if (!(cond)) {                                                             \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond);         \
			abort();                                                           \
		}                                                                          \
	} while (0)

static void check_report(struct faults *r, const uint8_t *data, size_t size)
{
	size_t i, lines = 1;

	/* libyaml counts CR, NEL and the Unicode separators as ends of lines as well. */
	for (i = 0; i < size; i++)
		lines += data[i] == '\n' || data[i] == '\r' || data[i] == 0x85 || data[i] == 0xa8 ||
			 data[i] == 0xa9;
	faults_sort(r);
	for (i = 0; i < faults_count(r); i++) {
		const struct fault *f = faults_at(r, i);

		MUST(f->text[0] && f->at.line <= lines + 1);
	}
}

static void check_name(const char *name)
{
	MUST(name[0] && name[0] != '.' && !strpbrk(name, "/ \n\"'$"));
}

static void check_line(const struct line *l)
{
	MUST(l->text.len && l->text.len <= LINE_MAX_BYTES && !strstr(l->text.data, "${"));
	for (size_t i = 0; i < l->text.len; i++)
		MUST((uint8_t)l->text.data[i] >= ' ' && (uint8_t)l->text.data[i] < 0x7f);
}

static void check_node(const struct site *s, const struct site_node *n)
{
	struct line l = {0};

	check_name(n->name);
	MUST(site_node_find(s, n->name) == n && n->n_ports && profile_image(s, n, NULL));
	for (size_t i = 0; i < n->n_ports; i++) {
		MUST(n->ports[i].network < s->n_networks);
		MUST(n->ports[i].has_guid || n->ports[i].has_mac);
	}
	line_add_profile(&l, s, n, NULL);
	line_add_port(&l, s, n, &n->ports[0]);
	check_line(&l);
	line_done(&l);
}

static void check_site(const struct site *s)
{
	MUST(s->n_servers && s->n_networks && s->boot.servers.n);
	for (size_t i = 0; i < s->n_images; i++)
		check_name(s->images[i].name);
	for (size_t i = 0; i < s->n_groups; i++)
		check_name(s->groups[i].name);
	for (size_t i = 0; i < s->n_files; i++)
		check_name(s->files[i].name);
	for (size_t i = 0; i < s->n_nodes; i++)
		check_node(s, &s->nodes[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(faults_freep) struct faults *report = faults_new();
	_cleanup_(site_freep) struct site *s = NULL;
	static FILE *null;

	if (!null)
		null = fopen("/dev/null", "we");
	s = site_read((const char *)data, size, "", report);
	site_check(s, report, false);
	check_report(report, data, size);
	faults_print(report, "site.yaml", SEVERITY_NOTE, null);
	if (!faults_total(report, SEVERITY_ERROR))
		check_site(s);
	return 0;
}
