/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * check.c: runs the cases of a test program and prints TAP. Each case runs in a forked child with
 * an alarm, so that a crash, a hang or a leak is that case's failure and nobody else's. What the
 * child prints is kept back and shown, as TAP comments, only when the case fails. Rows of a table
 * share a child as long as all goes well in it.
 *
 * Arguments: names of cases to run; none runs all of them.
 */
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "check.h"

/*
 * A case that takes longer hangs; CHECK_SECONDS in the environment sets another limit. The longest
 * takes 22 s, in which it sleeps; what it does beside that a busy machine does ten times slower.
 */
#define CASE_SECONDS 120

enum verdict {
	VERDICT_PASS,
	VERDICT_FAIL,
	VERDICT_SKIP,
};

/* Rows that share a child: starting and ending one takes far longer than a row. */
#define ROWS_TOGETHER 32

/* A case that needs more folders than this fails. */
#define DIRS_MAX 64

/* What the child tells the parent, in memory both see. */
struct outcome {
	enum verdict verdict;
	char text[4096];
	size_t n_done;
	size_t n_dirs;
	char dirs[DIRS_MAX][64];
};

static struct outcome *outcome;

/* The linker's bounds of the section that TEST() fills. */
extern const struct check_case *const __start_check_cases[];
extern const struct check_case *const __stop_check_cases[];

/* The n-th case of the program, NULL after the last. */
static const struct check_case *case_at(size_t n)
{
	size_t bytes = (uintptr_t)__stop_check_cases - (uintptr_t)__start_check_cases;

	return n < bytes / sizeof(struct check_case *) ? __start_check_cases[n] : NULL;
}

void check_fail(const char *file, int line, const char *fmt, ...)
{
	size_t size = sizeof(outcome->text);
	va_list ap;
	int n;

	n = snprintf(outcome->text, size, "%s:%d: ", file, line);
	va_start(ap, fmt);
	vsnprintf(outcome->text + n, size - (size_t)n, fmt, ap);
	va_end(ap);
	outcome->verdict = VERDICT_FAIL;
	fflush(NULL);
	_exit(1);
}

void check_skip(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(outcome->text, sizeof(outcome->text), fmt, ap);
	va_end(ap);
	outcome->verdict = VERDICT_SKIP;
	fflush(NULL);
	_exit(0);
}

void check_str(const char *file, int line, const char *got, const char *want)
{
	if (got == want || (got && want && streq(got, want)))
		return;
	check_fail(file, line, "\n  got  %s%s%s\n  want %s%s%s", got ? "\"" : "",
		got ? got : "NULL", got ? "\"" : "", want ? "\"" : "", want ? want : "NULL",
		want ? "\"" : "");
}

void check_has(const char *file, int line, const char *text, const char *part)
{
	if (!strstr(text, part))
		check_fail(file, line, "no \"%s\" in:\n%s", part, text);
}

void check_int(const char *file, int line, long long got, long long want, const char *expr)
{
	if (got != want)
		check_fail(file, line, "%s\n  got  %lld (%#llx)\n  want %lld (%#llx)", expr, got,
			   (unsigned long long)got, want, (unsigned long long)want);
}

void check_mem(const char *file, int line, const void *got, const void *want, size_t len)
{
	const unsigned char *g = got, *w = want;
	char text[3 * 2 * 16 + 64];
	size_t at = 0, n = 0, i;

	if (len == 0 || memcmp(g, w, len) == 0)
		return;
	while (g[at] == w[at])
		at++;
	for (i = at; i < len && i < at + 16; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " %02x", g[i]);
	n += (size_t)snprintf(text + n, sizeof(text) - n, "\n  want");
	for (i = at; i < len && i < at + 16; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, " %02x", w[i]);
	check_fail(file, line, "bytes differ from offset %zu of %zu\n  got %s", at, len, text);
}

char *check_dir(char *template)
{
	if (outcome->n_dirs == DIRS_MAX || !mkdtemp(template))
		check_fail(__FILE__, __LINE__, "no folder %s: %m", template);
	(void)strscpy(outcome->dirs[outcome->n_dirs++], template, sizeof(outcome->dirs[0]));
	return template;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

/* The folders of the case that ended, however it did. */
static void remove_dirs(void)
{
	for (size_t i = 0; i < outcome->n_dirs; i++)
		(void)nftw(outcome->dirs[i], remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Prints text as TAP comments, line by line. */
static void comment(const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		printf("# %.*s\n", (int)len, text);
		text += len + (text[len] == '\n');
	}
}

/* Shows what the child wrote, which may hold anything. */
static void comment_file(FILE *f)
{
	char line[1024];

	rewind(f);
	while (fgets(line, sizeof(line), f))
		comment(line);
}

static unsigned int case_seconds(void)
{
	const char *text = getenv("CHECK_SECONDS");
	unsigned long seconds = text ? strtoul(text, NULL, 10) : 0;

	return seconds ? (unsigned int)seconds : CASE_SECONDS;
}

static void run_child(const struct check_case *c, size_t n, FILE *output)
{
	dup2(fileno(output), STDOUT_FILENO);
	dup2(fileno(output), STDERR_FILENO);
	alarm(case_seconds());
	for (; outcome->n_done < n; outcome->n_done++, c++) {
		if (c->run)
			c->run();
		else
			c->run_row(c->row);
	}
	/* Not _exit(): the leak checker works at exit. */
	exit(0);
}

/* Runs n cases one after the other in one child. The child's wait status, -1 when there is none. */
static int run_in_child(const struct check_case *c, size_t n, FILE *output)
{
	int status = 0;
	pid_t pid;

	memset(outcome, 0, sizeof(*outcome));
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		run_child(c, n, output);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	remove_dirs();
	return pid > 0 ? status : -1;
}

/* Says how a child ended that did not end by itself with a verdict. */
static void explain(int status)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		printf("# still running after %u s\n", case_seconds());
	else if (WIFSIGNALED(status))
		printf("# killed by signal %d (%s)\n", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) == 0 && outcome->verdict == VERDICT_PASS)
		printf("# ended before its end\n");
	else if (outcome->verdict != VERDICT_FAIL)
		printf("# exit status %d\n", WEXITSTATUS(status));
}

/* The name of a case in its TAP line, and if $CHECK_TIMING asks for it how long it took, in the
 * words of bats. */
static void print_name(const struct check_case *c, uint64_t start)
{
	printf("%s", c->name);
	if (getenv("CHECK_TIMING"))
		printf(" in %" PRIu64 "ms", (now_ns() - start) / 1000000);
}

/* Runs one case and prints its TAP line. Returns whether it did not fail. */
static bool run_case(const struct check_case *c, int number)
{
	_cleanup_fclose_ FILE *output = tmpfile();
	uint64_t start = now_ns();
	int status;

	if (!output) {
		printf("not ok %d - %s\n# tmpfile: %m\n", number, c->name);
		return false;
	}
	status = run_in_child(c, 1, output);
	if (status == 0 && (outcome->verdict == VERDICT_SKIP || outcome->n_done == 1)) {
		printf("ok %d - ", number);
		print_name(c, start);
		if (outcome->verdict == VERDICT_SKIP)
			printf(" # SKIP %s", outcome->text);
		printf("\n");
		return true;
	}
	printf("not ok %d - ", number);
	print_name(c, start);
	printf("\n");
	comment(outcome->text);
	if (status != -1)
		explain(status);
	comment_file(output);
	return false;
}

/* Did these rows pass, together in one child? If not, each has to show by itself. */
static bool rows_pass(const struct check_case *rows, size_t n)
{
	_cleanup_fclose_ FILE *output = tmpfile();

	return output && run_in_child(rows, n, output) == 0 && outcome->verdict == VERDICT_PASS &&
	       outcome->n_done == n;
}

static bool wanted(const struct check_case *c, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (streq(argv[i], c->name))
			return true;
	return argc == 1;
}

/* Runs all rows. Returns how many failed. */
static int run_rows(const struct check_case *rows, size_t n_rows, int *number)
{
	int failed = 0;

	for (size_t i = 0, n; i < n_rows; i += n) {
		n = n_rows - i < ROWS_TOGETHER ? n_rows - i : ROWS_TOGETHER;
		if (rows_pass(&rows[i], n))
			for (size_t k = i; k < i + n; k++)
				printf("ok %d - %s\n", ++*number, rows[k].name);
		else
			for (size_t k = i; k < i + n; k++)
				failed += !run_case(&rows[k], ++*number);
	}
	return failed;
}

/* Runs the cases that are wanted; a dry run only counts them. Returns how many failed. */
static int run_cases(const struct check_case *rows, size_t n_rows, int argc, char **argv, bool dry,
		     int *number)
{
	const struct check_case *c;
	int failed = 0;
	size_t i;

	for (i = 0; (c = case_at(i)); i++)
		if (wanted(c, argc, argv) && ++*number && !dry)
			failed += !run_case(c, *number);
	if (!dry && argc == 1)
		return failed + run_rows(rows, n_rows, number);
	for (i = 0; i < n_rows; i++)
		if (wanted(&rows[i], argc, argv) && ++*number && !dry)
			failed += !run_case(&rows[i], *number);
	return failed;
}

int main(int argc, char **argv)
{
	const struct check_case *rows = NULL;
	int planned = 0, number = 0, failed;
	size_t n_rows = 0;

	outcome = mmap(
		NULL, sizeof(*outcome), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (outcome == MAP_FAILED) {
		perror("mmap");
		return 2;
	}
	if (check_rows)
		rows = check_rows(&n_rows);
	run_cases(rows, n_rows, argc, argv, true, &planned);
	printf("1..%d\n", planned);
	failed = run_cases(rows, n_rows, argc, argv, false, &number);
	return failed > 0 || planned == 0;
}
