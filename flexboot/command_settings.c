// SPDX-License-Identifier: GPL-2.0-or-later
/* command_settings: "initagent-flexboot settings want|check". */
#include "base/io.h"
#include "flexboot/advice.h"
#include "flexboot/command.h"

struct request {
	struct intent intent;
	const char *device;
	const char *file; /* of the query; NULL: standard input */
	bool json;
};

static int parse(struct request *q, int argc, char **argv)
{
	const char *fault;

	for (int i = 1; i < argc; i++) {
		int r = -ENOENT;

		if (strncmp(argv[i], "--", 2) == 0 && i + 1 < argc)
			r = intent_set(&q->intent, argv[i] + 2, argv[i + 1]);
		if (r == -EINVAL)
			return complain(EXIT_USAGE, "%s cannot be %s", argv[i], argv[i + 1]);
		if (r == 0)
			i++;
		else if (streq(argv[i], "--json"))
			q->json = true;
		else if (streq(argv[i], "--device") && i + 1 < argc)
			q->device = argv[++i];
		else if (argv[i][0] != '-' && !q->file)
			q->file = argv[i];
		else
			return complain(EXIT_USAGE, "settings: unexpected argument %s", argv[i]);
	}
	fault = intent_fault(&q->intent);
	return fault ? complain(EXIT_USAGE, "%s", fault) : 0;
}

static int run_want(const struct request *q)
{
	struct setting list[SETTINGS_MAX];
	size_t n = settings_want(&q->intent, list);

	if (q->file)
		return complain(EXIT_USAGE, "settings want: unexpected argument %s", q->file);
	if (!q->json)
		setting_print(q->device ? q->device : ADVICE_DEVICE, list, n, stdout);
	else if (setting_json(list, n, stdout) < 0)
		return complain(EXIT_NOT_READ, "out of memory");
	return 0;
}

static int read_query(const struct request *q, struct query *query)
{
	const char *name = q->file ? q->file : "standard input";
	size_t size = QUERY_SIZE_MAX + 1; /* of one that is larger, which query_read() reports */
	_cleanup_free_ void *text = NULL;
	int r = io_read_file(q->file ? q->file : "-", QUERY_SIZE_MAX, &text, &size);

	if (r < 0 && r != -EFBIG)
		return complain(EXIT_NOT_READ, "%s: %s", name, strerror(-r));
	if (query_read(query, text, size) == 0)
		return 0;
	if (query->line)
		return complain(EXIT_NOT_READ, "%s: line %zu: %s", name, query->line, query->fault);
	return complain(EXIT_NOT_READ, "%s: %s", name, query->fault);
}

/* check_device: the verdict on one device of the query. */
static int check_device(const struct request *q, const struct query *query, size_t device)
{
	const struct query_device *d = &query->devices[device];
	const char *name = q->device ? q->device : d->name;
	struct setting list[SETTINGS_MAX];
	struct advice rows[SETTINGS_MAX];
	size_t n = settings_want(&q->intent, list);

	advise(query, device, list, n, rows);
	if (!q->json)
		advice_print(name, d->type, rows, n, stdout);
	else if (advice_json(name, rows, n, stdout) < 0)
		return complain(EXIT_NOT_READ, "out of memory");
	return advice_good(rows, n) ? 0 : EXIT_FOUND;
}

static int run_check(const struct request *q)
{
	_cleanup_free_ struct query *query = calloc(1, sizeof(*query));
	int status;

	if (!query)
		return complain(EXIT_NOT_READ, "out of memory");
	status = read_query(q, query);
	if (status)
		return status;
	for (size_t i = 0; i < query->n_devices; i++)
		status |= check_device(q, query, i);
	return status;
}

int command_settings(int argc, char **argv)
{
	struct request q = {.intent = INTENT_DEFAULT};
	int status;

	if (!argc || (!streq(argv[0], "want") && !streq(argv[0], "check")))
		return complain(EXIT_USAGE, "settings: want or check");
	status = parse(&q, argc, argv);
	if (status)
		return status;
	return streq(argv[0], "want") ? run_want(&q) : run_check(&q);
}
