/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzz_main.c: drives a fuzz target (LLVMFuzzerTestOneInput) where libFuzzer is not at hand, which
 * is what make check does. The inputs are every file of the folders and files given as arguments.
 *
 *   fuzz_X DIR...             runs every input once
 *   fuzz_X -mutate N DIR...   then N inputs mutated from them. -seed S chooses others, the same S
 * the same ones again; -seconds T ends the mutations early
 *
 * Prints TAP. The target runs in a child; the input it died of is kept beside the program, as
 * fuzz_X-crash-NUMBER.
 */
#include <dirent.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/util.h"

/* One input may take this long; nothing the agent parses takes a hundredth of it. */
#define INPUT_SECONDS 10
#define INPUT_MAX     (64 * 1024)
#define INPUTS_MAX    16384

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	char *name;
	uint8_t *data;
	size_t size;
};

static struct input inputs[INPUTS_MAX];
static size_t input_count;

/* The input being run, in memory that outlives the child. */
static struct {
	size_t size;
	uint64_t done;
	bool finished;
	uint8_t data[INPUT_MAX];
} *shared;

static void die(const char *what)
{
	fprintf(stderr, "%s: %m\n", what);
	exit(2);
}

static void add_file(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct input *in = &inputs[input_count];
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0)
		die(path);
	if (!S_ISREG(st.st_mode))
		return;
	if (input_count == INPUTS_MAX || st.st_size > INPUT_MAX) {
		fprintf(stderr, "%s: too large, or too many inputs\n", path);
		exit(2);
	}
	in->name = strdup(path);
	in->data = malloc((size_t)st.st_size + 1);
	if (!in->name || !in->data)
		die(path);
	n = read(fd, in->data, (size_t)st.st_size);
	if (n != st.st_size)
		die(path);
	in->size = (size_t)n;
	input_count++;
}

static void add_path(const char *path)
{
	struct dirent **list = NULL;
	int n, i;

	n = scandir(path, &list, NULL, alphasort);
	if (n < 0 && errno == ENOTDIR) {
		add_file(path);
		return;
	}
	if (n < 0)
		die(path);
	for (i = 0; i < n; i++) {
		_cleanup_free_ char *file = NULL;

		if (list[i]->d_name[0] != '.') {
			if (asprintf(&file, "%s/%s", path, list[i]->d_name) < 0)
				die(path);
			add_file(file);
		}
		free(list[i]);
	}
	free(list);
}

/* The target sees an allocation of the exact size: the sanitizer sees each byte beyond it. */
static void run_shared(void)
{
	uint8_t *copy = malloc(shared->size ? shared->size : 1);

	if (!copy)
		die("malloc");
	memcpy(copy, shared->data, shared->size);
	alarm(INPUT_SECONDS);
	LLVMFuzzerTestOneInput(copy, shared->size);
	alarm(0);
	free(copy);
	shared->done++;
}

static void replay_all(void)
{
	size_t i;

	for (i = 0; i < input_count; i++) {
		memcpy(shared->data, inputs[i].data, inputs[i].size);
		shared->size = inputs[i].size;
		run_shared();
	}
}

/* splitmix64: small, and good enough to choose mutations. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static size_t below(uint64_t *state, size_t limit)
{
	return limit ? (size_t)(next_random(state) % limit) : 0;
}

static void put_edge_value(uint64_t *state)
{
	static const uint8_t edges[] = {
		0, 1, 4, 0x7f, 0x80, 0xfe, 0xff, ' ', '=', ',', '"', ':', '/'};

	if (shared->size)
		shared->data[below(state, shared->size)] = edges[below(state, sizeof(edges))];
}

static void flip_bit(uint64_t *state)
{
	if (shared->size)
		shared->data[below(state, shared->size)] ^= (uint8_t)(1 << below(state, 8));
}

static void cut(uint64_t *state)
{
	size_t at = below(state, shared->size), n = below(state, shared->size - at) + 1;

	if (shared->size == 0)
		return;
	memmove(shared->data + at, shared->data + at + n, shared->size - at - n);
	shared->size -= n;
}

/* Inserts a piece of another input: lengths and options meet in orders nobody wrote down. */
static void insert_piece(uint64_t *state)
{
	const struct input *from = &inputs[below(state, input_count)];
	size_t at = below(state, shared->size + 1), start = below(state, from->size);
	size_t n = below(state, min_u64(from->size - start, 256) + 1);

	if (n > INPUT_MAX - shared->size)
		return;
	memmove(shared->data + at + n, shared->data + at, shared->size - at);
	memcpy(shared->data + at, from->data + start, n);
	shared->size += n;
}

static void truncate_input(uint64_t *state)
{
	shared->size = below(state, shared->size + 1);
}

/* What the second pass does: how many mutated inputs, which ones, and for how long at most. */
struct plan {
	uint64_t mutations;
	uint64_t seed;
	uint64_t seconds;
};

static void mutate_all(const struct plan *p)
{
	static void (*const mutations[])(uint64_t *) = {
		flip_bit,
		flip_bit,
		put_edge_value,
		put_edge_value,
		cut,
		insert_piece,
		truncate_input,
	};
	/* Scrambled: seeds that are close, as times are, would share most of their inputs. */
	uint64_t seed = p->seed, first = next_random(&seed);
	uint64_t start = now_ns(), i, steps;

	for (i = 0; i < p->mutations; i++) {
		uint64_t state = first + i;
		const struct input *from = &inputs[below(&state, input_count)];

		if (p->seconds && now_ns() - start > p->seconds * NSEC_PER_SEC)
			break;
		memcpy(shared->data, from->data, from->size);
		shared->size = from->size;
		for (steps = 1 + below(&state, 8); steps; steps--)
			mutations[below(&state, ARRAY_SIZE(mutations))](&state);
		run_shared();
	}
}

/* Keeps the input that the target died of beside the program. */
static void save_crash(const char *program, int status)
{
	char path[512];
	_cleanup_fclose_ FILE *f = NULL;

	printf("# died on input %llu (%s %d)\n", (unsigned long long)shared->done + 1,
	       WIFSIGNALED(status) ? "signal" : "exit status",
	       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	if (shared->done < input_count && inputs[shared->done].size == shared->size &&
	    memcmp(inputs[shared->done].data, shared->data, shared->size) == 0)
		printf("# which is %s\n", inputs[shared->done].name);
	snprintf(
		path, sizeof(path), "%s-crash-%llu", program, (unsigned long long)shared->done + 1);
	f = fopen(path, "w");
	if (!f || fwrite(shared->data, 1, shared->size, f) != shared->size)
		printf("# cannot write %s: %m\n", path);
	else
		printf("# the input is in %s\n", path);
}

static void run_child(const struct plan *mutate)
{
	/* What the target prints is not TAP. */
	dup2(STDERR_FILENO, STDOUT_FILENO);
	if (mutate)
		mutate_all(mutate);
	else
		replay_all();
	shared->finished = true;
	/* Not _exit(): the leak checker works at exit. */
	exit(0);
}

/* Runs one pass, over the corpus or mutated from it, in a child and prints its TAP line. */
static bool pass(int number, const char *program, const struct plan *mutate)
{
	const char *target = strrchr(program, '/') ? strrchr(program, '/') + 1 : program;
	const char *what = mutate ? "mutated inputs" : "corpus inputs";
	int status = 0;
	pid_t pid;

	shared->done = 0;
	shared->finished = false;
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0)
		run_child(mutate);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status == 0 && shared->finished) {
		printf("ok %d - %s: %llu %s\n", number, target, (unsigned long long)shared->done,
			what);
		return true;
	}
	printf("not ok %d - %s: %s\n", number, target, what);
	save_crash(program, status);
	return false;
}

int main(int argc, char **argv)
{
	struct plan plan = {.seed = 1};
	bool ok;
	int i;

	for (i = 1; i < argc; i++) {
		if (streq(argv[i], "-mutate") && i + 1 < argc)
			plan.mutations = strtoull(argv[++i], NULL, 10);
		else if (streq(argv[i], "-seed") && i + 1 < argc)
			plan.seed = strtoull(argv[++i], NULL, 10);
		else if (streq(argv[i], "-seconds") && i + 1 < argc)
			plan.seconds = strtoull(argv[++i], NULL, 10);
		else
			add_path(argv[i]);
	}
	shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		die("mmap");
	if (input_count == 0) {
		fprintf(stderr, "usage: %s [-mutate N [-seed S] [-seconds T]] FILE|DIR...\n",
			argv[0]);
		return 2;
	}
	printf("1..%d\n", plan.mutations ? 2 : 1);
	ok = pass(1, argv[0], NULL);
	if (plan.mutations)
		ok = pass(2, argv[0], &plan) && ok;
	return !ok;
}
