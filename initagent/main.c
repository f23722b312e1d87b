// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main: the sub-commands. One binary is the agent, /init of the stand-alone image (process 1) and
 * the kernel's modprobe helper; which one is told by the process number and by the name it is
 * called by. Tests: tests/binary.bats, tests/kernel-cmdline.bats.
 */
#include <getopt.h>

#include "boot/boot.h"
#include "state/cmdline.h"
#include "doctor/doctor.h"
#include "doctor/image_check.h"
#include "state/commands.h"
#include "state/running.h"
#include "root/image/image_tools.h"
#include "compat.h"
#include "firmware.h"
#include "lint.h"
#include "modules/modprobe.h"
#include "boot/pid1.h"
#include "report/console.h"
#include "base/io.h"

/* Exit status of a wrong call, as sysexits(3) and most tools have it. */
#define EXIT_USAGE 64

static const struct env system_env = {.prefix = ""};

struct command {
	const char *name, *arguments, *help;
	int (*run)(int argc, char **argv);
};

static int usage_error(const char *what)
{
	fprintf(stderr, "initagent: %s; see 'initagent help'\n", what);
	return EXIT_USAGE;
}

/*
 * Where systemd gave the journal as standard error (systemd.exec(5), JOURNAL_STREAM): journald
 * would show our lines when it has time for them, for which a node that reboots does not wait.
 */
static void own_console(struct boot_args *args)
{
	_cleanup_close_ int console = -1;

	if (getenv("JOURNAL_STREAM"))
		console = open("/dev/console", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (console < 0)
		return;
	args->journal_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	dup2(console, STDERR_FILENO);
}

static int cmd_boot(int argc, char **argv)
{
	static const struct option options[] = {
		{"sysroot", required_argument, NULL, 's'},
		{"notify", no_argument, NULL, 'n'},
		{"net-conf", no_argument, NULL, 'c'},
		{0},
	};
	struct boot_args args = {
		.prefix = "",
		.sysroot = "/sysroot",
		.console_fd = STDERR_FILENO,
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 's')
			args.sysroot = optarg;
		else if (c == 'n')
			args.notify = true;
		else if (c == 'c')
			args.net_conf = true;
		else
			return EXIT_USAGE;
	}
	if (optind != argc)
		return usage_error("boot takes no argument");
	if (args.notify)
		own_console(&args);
	return (int)boot_main(&args);
}

/* A command line to look at, and where it is from. */
struct given_line {
	char *text;
	size_t len;
	const char *from; /* NULL: the arguments */
	bool running;	  /* this kernel's own */
};

/* Line ends separate words, as for the kernel: a file may be a fragment as dracut's /etc/cmdline.d
 * has them. */
static int read_line(const char *path, struct given_line *ret)
{
	void *text;
	int r = io_read_file(path, CMDLINE_TEXT_MAX - 1, &text, &ret->len);

	if (r < 0)
		return r;
	ret->text = text;
	while (ret->len > 0 && ret->text[ret->len - 1] == '\n')
		ret->len--;
	for (size_t i = 0; i < ret->len; i++)
		if (ret->text[i] == '\n')
			ret->text[i] = ' ';
	return 0;
}

static int join_arguments(int argc, char **argv, struct given_line *ret)
{
	FILE *out = open_memstream(&ret->text, &ret->len);

	if (!out)
		return -ENOMEM;
	for (int i = 1; i < argc; i++)
		fprintf(out, "%s%s", i > 1 ? " " : "", argv[i]);
	return fclose(out) == 0 ? 0 : -ENOMEM;
}

/* "-": standard input, "-f FILE": that file, other arguments: joined by spaces, none: the running
 * kernel's. 0, -errno, or an exit status: what it should be is told. */
static int take_line(int argc, char **argv, struct given_line *ret)
{
	int r;

	if (argc == 2 && streq(argv[1], "-")) {
		ret->from = "standard input";
		r = read_line("-", ret);
	} else if (argc > 1 && streq(argv[1], "-f")) {
		if (argc != 3)
			return usage_error("-f takes one FILE, and nothing else");
		ret->from = argv[2];
		r = read_line(argv[2], ret);
	} else if (argc < 2) {
		ret->running = true;
		ret->from = "this system";
		r = read_line("/proc/cmdline", ret);
	} else {
		r = join_arguments(argc, argv, ret);
	}
	if (r < 0)
		console_complain(ret->from ? ret->from : "command line", strerror(-r));
	return r;
}

/* verdict: that of the line itself. */
static int lint_image(const struct given_line *line, const char *image, int verdict)
{
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	int r = plan_parse(&plan, line->text, line->len, NULL);

	r = r < 0 ? r : image_check(plan, image, stdout);
	return r > 0 ? LINT_ERRORS : r < 0 ? r : verdict;
}

static int lint_line(const struct given_line *line, enum compat_backend compat, const char *image)
{
	int r;

	if (line->from)
		printf("(command line of %s)\n", line->from);
	r = cmdline_lint(line->text, line->len, stdout,
		LINT_COMPAT(compat) | (line->running ? LINT_RUNNING : 0));
	return r >= 0 && image ? lint_image(line, image, r) : r;
}

static int cmd_lint(int argc, char **argv)
{
	enum compat_backend compat = COMPAT_NONE;
	struct given_line line = {0};
	const char *image = NULL;
	int r;

	for (; argc > 1 && strncmp(argv[1], "--", 2) == 0 && argv[1][2]; argc--, argv++) {
		if (strncmp(argv[1], "--compat=", 9) == 0 && (compat = compat_find(argv[1] + 9)))
			continue;
		if (!streq(argv[1], "--image") || argc < 3)
			return usage_error("lint knows --image FILE and --compat=" COMPAT_NAMES);
		image = argv[2];
		argc--;
		argv++;
	}
	r = take_line(argc, argv, &line);
	if (r == 0)
		r = lint_line(&line, compat, image);
	free(line.text);
	return r < 0 ? LINT_FAILED : r;
}

/* "plan --modules": the kernel modules it needs. */
static int cmd_plan(int argc, char **argv)
{
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	struct given_line line = {0};
	bool modules = argc > 1 && streq(argv[1], "--modules");
	int r = take_line(argc - modules, argv + modules, &line);

	if (r > 0)
		return r;
	r = r < 0 ? r : plan_parse(&plan, line.text, line.len, NULL);
	if (r >= 0)
		r = modules ? plan_print_modules(plan, stdout) : plan_dump(plan, stdout, false);
	free(line.text);
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Without arguments all of them, with names these. */
static int cmd_options(int argc, char **argv)
{
	static const struct {
		const char *name;
		enum options_format format;
	} formats[] = {
		{"--markdown", OPTIONS_MARKDOWN},
		{"--man", OPTIONS_MAN},
		{"--completion", OPTIONS_COMPLETION},
	};
	int status = EXIT_SUCCESS;

	if (argc < 2)
		return options_print(stdout, OPTIONS_PLAIN) < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
	for (size_t i = 0; argc == 2 && i < ARRAY_SIZE(formats); i++)
		if (streq(argv[1], formats[i].name))
			return options_print(stdout, formats[i].format) < 0 ? EXIT_FAILURE
				: EXIT_SUCCESS;
	for (int i = 1; i < argc; i++)
		if (!options_print_named(stdout, argv[i])) {
			console_complain(argv[i],
				"no option of this agent; 'initagent options' lists them");
			status = EXIT_FAILURE;
		}
	return status;
}

static void print_cause(const struct cause_info *c)
{
	printf("%s  %s\n         check: %s\n", c->code, c->text, c->check);
}

/* "IA-E306", in whatever letters, or its end alone. */
static int print_cause_named(const char *name)
{
	static const char letters[] = "IA-E";
	size_t n = strcspn(name, "0123456789");
	enum cause cause = CAUSE_NONE;
	char code[16];

	snprintf(code, sizeof(code), "%s%s", letters, name + n);
	if (n <= strlen(letters) && !strncasecmp(name, letters + strlen(letters) - n, n))
		cause = cause_from_code(code);
	if (cause == CAUSE_NONE) {
		console_complain(name, "no such cause; 'initagent causes' lists them");
		return EXIT_FAILURE;
	}
	print_cause(cause_info(cause));
	return EXIT_SUCCESS;
}

static int cmd_causes(int argc, char **argv)
{
	bool table = argc == 2 && streq(argv[1], "--markdown");
	int status = EXIT_SUCCESS;

	for (int i = 1; !table && i < argc; i++)
		status |= print_cause_named(argv[i]);
	if (!table && argc > 1)
		return status;
	if (table)
		printf("| code | cause | what to check |\n|---|---|---|\n");
	for (int i = 1; i < CAUSE_MAX; i++) {
		const struct cause_info *c = cause_info((enum cause)i);

		if (table)
			printf("| %s | %s | %s |\n", c->code, c->text, c->check);
		else
			print_cause(c);
	}
	return EXIT_SUCCESS;
}

/* "ports --ask": also asks where the cables end. */
static int cmd_ports(int argc, char **argv)
{
	bool ask = argc > 1 && streq(argv[1], "--ask");
	int r;

	if (argc > (ask ? 2 : 1))
		return usage_error("ports takes --ask or nothing");
	r = doctor_ports(&system_env, ask, stdout);
	if (r < 0)
		fprintf(stderr, "initagent: /sys/class/infiniband: %s\n", strerror(-r));
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int cmd_doctor(int argc, char **argv)
{
	struct doctor_config cfg = {.ask = true};

	if (argc == 3 && streq(argv[1], "--ping"))
		return (int)doctor_ping(&system_env, argv[2], stdout);
	for (int i = 1; i < argc; i++) {
		if (streq(argv[i], "--json"))
			cfg.form = DOCTOR_JSON;
		else if (streq(argv[i], "--report"))
			cfg.form = DOCTOR_REPORT;
		else if (streq(argv[i], "--no-ask"))
			cfg.ask = false;
		else
			return usage_error("doctor takes --json, --report, --no-ask, --ping "
				"SERVER or nothing");
	}
	return (int)doctor_run(&system_env, &cfg, stdout);
}

static int status_people(int argc, char **argv)
{
	bool json = argc > 1 && streq(argv[1], "--json");

	if (argc > (json ? 2 : 1))
		return usage_error("status takes --json, --prometheus [FILE], --last-failure or "
			"nothing");
	return status_print(&system_env, stdout, now_ns(), json);
}

/* "status --prometheus [FILE]" */
static int status_metrics(int argc, char **argv)
{
	int r;

	if (argc > 1)
		return usage_error("status --prometheus takes one FILE or nothing");
	r = argc ? prometheus_write(&system_env, argv[0]) : prometheus_print(&system_env, stdout);
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int cmd_status(int argc, char **argv)
{
	if (argc > 1 && streq(argv[1], "--prometheus"))
		return status_metrics(argc - 2, argv + 2);
	if (argc == 2 && streq(argv[1], "--last-failure"))
		return last_failure_print(&system_env, stdout);
	return status_people(argc, argv);
}

static void print_options(const struct cmdline *c)
{
	_cleanup_free_ char *text = plan_image_options(c->plan, boot_claims(c->plan));

	if (text)
		puts(text);
}

/*
 * "claims --options": what an image for this machine alone needs of what it was booted with: all
 * that the agent was given, in its image too, where it has booted this machine.
 *
 * Is the root of the kernel command line one the agent brings up (0), or the network alone (2)? For
 * the dracut hooks. Prints the device that root= of such a root names: there will be none, and
 * dracut and systemd must not wait for it.
 */
static int cmd_claims(int argc, char **argv)
{
	bool options = argc == 2 && streq(argv[1], "--options");
	struct cmdline c = {0};
	int status;

	if (argc > 1 + options)
		return usage_error("claims takes --options or nothing");
	if (options && boot_options_print(&system_env, stdout) == 0)
		return EXIT_SUCCESS;
	if (cmdline_load(&system_env, &c) < 0)
		return EXIT_FAILURE;
	if (firmware_wants_origin(c.plan)) /* else the image is no root of this boot */
		cmdline_firmware(&c, &system_env, false, 0);
	status = boot_claims(c.plan) ? EXIT_SUCCESS : c.plan->net.alone ? 2 : EXIT_FAILURE;
	if (options && status != EXIT_FAILURE)
		print_options(&c);
	else if (c.plan->root.image.volume)
		puts(c.plan->root.image.volume);
	else if (c.plan->root.kind == PLAN_ROOT_LIVE &&
		strncmp(c.plan->root.text, "/dev/", 5) == 0)
		puts(c.plan->root.text);
	cmdline_done(&c);
	return status;
}

static const int wait_status[] = {
	[RUNNING_DONE] = 0, [RUNNING_NOW] = 1, [RUNNING_FAILED] = 2, [RUNNING_KILLED] = 3,
	[RUNNING_NEVER] = 4,
};

/*
 * "wait": until the agent has ended; "wait --timeout SECONDS": at most that long, 0 only looks;
 * "wait --restarts": past the death of a killed agent, until one says how it ended; "wait
 * --online": the same, but no longer than until the network is up, or for so many seconds.
 */
static int cmd_wait(int argc, char **argv)
{
	bool online = argc > 1 && streq(argv[1], "--online");
	uint64_t deadline = NSEC_NEVER;

	if (argc == 2 && streq(argv[1], "--restarts"))
		return wait_status[running_wait_outcome(&system_env, deadline)];
	argc -= online;
	argv += online;
	if (argc == 3 && streq(argv[1], "--timeout")) {
		char *end;
		unsigned long seconds = strtoul(argv[2], &end, 10);

		if (*end || end == argv[2] || seconds > UINT32_MAX)
			return usage_error("--timeout takes seconds");
		deadline = now_ns() + seconds * NSEC_PER_SEC;
	} else if (argc != 1) {
		return usage_error("wait takes --restarts, or --online, --timeout SECONDS or "
			"nothing");
	}
	return wait_status[online ? running_wait_online(&system_env, deadline)
		: running_wait(&system_env, deadline)];
}

static int cmd_version(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	printf("initagent %s\n", INITAGENT_VERSION);
	return EXIT_SUCCESS;
}

static int cmd_help(int argc, char **argv);

static const struct command commands[] = {
	{"boot", "[--sysroot DIR] [--notify] [--net-conf]",
		"bring up the network and mount the root; --net-conf: with\n"
		"/run/net-*.conf as klibc's ipconfig has them", cmd_boot},
	{"status", "[--json | --prometheus [FILE] | --last-failure]",
		"what happened in this boot, or why the previous one failed",
		cmd_status},
	{"timeline", "[FILE|DIR...] [--svg FILE] [--html FILE]",
		"where a boot's time went; pictures and pages of one boot or many",
		timeline_command},
	{"ports", "[--ask]", "RDMA ports and their state, with --ask where their cables end",
		cmd_ports},
	{"doctor", "[--json | --report] [--no-ask] | --ping SERVER",
		"check all RDMA ports: 0 all ready, 1 some, 2 none, 3 no device,\n"
		"4 cannot check; --report: one file for the maintainers;\n"
		"--ping: the path to an NFS server",
		cmd_doctor},
	{"lint", "[--image INITRD] [--compat=BACKEND] [CMDLINE... | - | -f FILE]",
		"explain a kernel command line and find its errors; --image: are the\n"
		"drivers that it needs in this image; --compat: where\n"
		COMPAT_NAMES " differ",
		cmd_lint},
	{"plan", "[--modules] [CMDLINE... | - | -f FILE]",
		"the parsed plan of a kernel command line; --modules: what it needs",
		cmd_plan},
	{"manifest", "IMAGE [--chunk-size N] [--name NAME] [--kernel RELEASE]\n[--output FILE]",
		"write the manifest of a root image, IMAGE.manifest", manifest_tool},
	{"verify", "FILE [--key KEY] [--kernel RELEASE]",
		"check a manifest or image and FILE.minisig as a node does", verify_tool},
	{"options", "[NAME... | --markdown | --man | --completion]",
		"all options of the command line, or those named", cmd_options},
	{"causes", "[CODE... | --markdown]",
		"all causes with what to check, or those named (IA-E306)", cmd_causes},
	{"claims", "[--options]",
		"exit 0 if the agent handles this kernel's root=, 2 the network only;\n"
		"--options: what an image for this machine alone needs of the command line",
		cmd_claims},
	{"wait", "[--restarts | [--online] [--timeout SECONDS]]",
		"wait for the agent, also for one that starts late: 0 done, 2 failed,\n"
		"3 killed; with --timeout also 1 running, 4 never; --online: 0 as soon\n"
		"as the network is up",
		cmd_wait},
	{"version", "", "print the version", cmd_version},
	{"help", "", "this list", cmd_help},
};

/* Every further line of the text begins where the help does. */
static void print_indented(const char *text)
{
	for (; *text; text++)
		printf(*text == '\n' ? "\n      " : "%c", *text);
	putchar('\n');
}

static void print_command(const struct command *c)
{
	printf("  initagent %s%s", c->name, *c->arguments ? " " : "");
	print_indented(c->arguments);
	printf("      ");
	print_indented(c->help);
}

static int cmd_help(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	printf("initagent %s: network root for diskless nodes\n", INITAGENT_VERSION);
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		print_command(&commands[i]);
	return EXIT_SUCCESS;
}

static bool asks_for_help(const char *word)
{
	return streq(word, "--help") || streq(word, "-h");
}

static const struct command *command_of(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (streq(word, commands[i].name))
			return &commands[i];
	return NULL;
}

/* A command, or what other tools take in place of one. */
static int run_command(int argc, char **argv)
{
	const struct command *c = command_of(argv[0]);

	if (asks_for_help(argv[0]))
		return cmd_help(argc, argv);
	if (streq(argv[0], "--version") || streq(argv[0], "-V"))
		return cmd_version(argc, argv);
	if (!c) {
		console_complain(argv[0], "no such command; see 'initagent help'");
		return EXIT_USAGE;
	}
	if (argc < 2 || !asks_for_help(argv[1]))
		return c->run(argc, argv);
	print_command(c);
	return EXIT_SUCCESS;
}

/* A full disk or broken pipe: the exit status says that the output is incomplete. */
static int said(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	console_complain("standard output", strerror(errno));
	return status ? status : EXIT_FAILURE;
}

int main(int argc, char *argv[], char *envp[])
{
	const char *name = argc > 0 ? path_last(argv[0]) : "";

	/* A container may have one of the commands as its process 1; rdinit= may name the agent. */
	if (getpid() == 1 && !(streq(name, "initagent") && argc > 1 && command_of(argv[1])))
		pid1_main(argv, envp);
	if (streq(name, "modprobe"))
		return modules_modprobe_main(argc, argv);
	if (argc < 2)
		return cmd_help(argc, argv), EXIT_USAGE;
	return said(run_command(argc - 1, argv + 1));
}
