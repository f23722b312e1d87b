// SPDX-License-Identifier: GPL-2.0-or-later
/* timeline: see commands.h. Pictures and pages are another program's: no image carries them. */
#include "state/commands.h"

#include <limits.h>
#include <sys/stat.h>

#include "state/phase_table.h"
#include "state/record.h"
#include "report/console.h"

/* EX_UNAVAILABLE of sysexits(3). */
enum { EXIT_READ = 0, EXIT_UNREADABLE = 1, EXIT_NO_HELPER = 69 };

/* initagent-timeline, from this program's folder: in the build folder, and installed. */
static const char *const helpers[] = {"initagent-timeline",
	"../libexec/initagent/initagent-timeline"};

static int print_one(const char *path)
{
	_cleanup_(record_freep) struct record *r = NULL;
	struct phase_style style = phase_style_of(STDOUT_FILENO);
	int fault = record_read(&r, path);

	if (fault == -ENOENT && streq(path, RECORD_OWN_FILE)) {
		console_complain("this system was not booted by initagent",
			"there is no " RECORD_OWN_FILE "; name the state file of another node or "
			"boot");
		return EXIT_UNREADABLE;
	}
	if (fault) {
		console_complain(path, fault < 0 ? strerror(-fault) :
			record_fault_text((enum record_fault)fault));
		return EXIT_UNREADABLE;
	}
	phase_table_print(stdout, r, &style);
	return EXIT_READ;
}

static int run_helper(char **argv)
{
	char self[PATH_MAX], path[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	self[n > 0 ? n : 0] = 0;
	slash = strrchr(self, '/');
	for (size_t i = 0; slash && i < ARRAY_SIZE(helpers); i++) {
		snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - self), self, helpers[i]);
		execv(path, argv);
	}
	fprintf(stderr,
		"initagent: only the phases of one boot can be shown here: pictures and reports "
			"are made by\n"
		"initagent-timeline, which 'make install' puts beside the agent, but not into boot "
			"images.\n"
		"Copy " RECORD_OWN_FILE " to a machine that has it.\n");
	return EXIT_NO_HELPER;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

int timeline_command(int argc, char **argv)
{
	if (argc == 1)
		return print_one(RECORD_OWN_FILE);
	if (argc == 2 && (argv[1][0] != '-' || !argv[1][1]) && !is_folder(argv[1]))
		return print_one(argv[1]);
	return run_helper(argv);
}
