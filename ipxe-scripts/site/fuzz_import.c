// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fuzz_import: any bytes as the list of each provisioner. What is written is a site file that is
 * read without error of syntax or structure, and that check refuses: its kernel is not known.
 */
#include "site/import.h"
#include "site/site.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What only a value of the list, not the writer, can be the cause of. */
static bool is_of_value(const char *fault)
{
	static const char *const causes[] = {"is not valid here", "is not an IPv4",
		"is not a port GUID", "is not a MAC address", "holds byte ", "is not a host name",
		"no host can have the address", "more than ", " ports, at most ", NULL};

	for (size_t i = 0; causes[i]; i++)
		if (strstr(fault, causes[i]))
			return true;
	return false;
}

static void check_site(const struct text *out)
{
	struct faults *report = faults_new();
	struct site *s = site_read(out->data, out->len, "", report);

	for (size_t i = 0; i < faults_count(report); i++) {
		const struct fault *f = faults_at(report, i);

		if (f->severity == SEVERITY_ERROR && !is_of_value(f->text)) {
			fprintf(stderr, "%s\n%u: %s\n", out->data, f->at.line, f->text);
			abort();
		}
	}
	if (!faults_total(report, SEVERITY_ERROR))
		abort();
	site_free(s);
	faults_free(report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const provisioners[] = {"warewulf", "xcat"};

	for (size_t i = 0; i < ARRAY_SIZE(provisioners); i++) {
		struct faults *report = faults_new();
		_cleanup_text_ struct text out = {0};

		import_run(provisioners[i], (const char *)data, size, report, &out);
		if (!out.len != !!faults_total(report, SEVERITY_ERROR))
			abort();
		if (out.len)
			check_site(&out);
		faults_free(report);
	}
	return 0;
}
