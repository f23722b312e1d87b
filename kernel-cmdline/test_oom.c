/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_oom: every allocation fails once. calloc() is replaced by the linker (--wrap, see
 * rules.mk); the sanitizers see to it that nothing leaks or is used after it was freed.
 */
#include "check.h"
#include "lint.h"
#include "plan.h"
#include "root_spec.h"

static const char line[] =
	"rd.driver.pre=a,b,c rd.driver.post=d,e rd.retry=5s ip=192.0.2.5::192.0.2.1:24:n:eth0:none "
	"nameserver=192.0.2.1 rd.route=192.0.2.0/24:192.0.2.1 ifname=x:52:54:00:12:34:56 "
	"root=nfs:vers=4:192.0.2.1:/srv:rsize=1,wsize=2 mlx4_core.x=y rd.foo rd.rdma.link=a,rxe,b "
	"rd.break=mount -- a b=c \"d e\" f";

static long left; /* allocations until one fails; negative: none does */

void *__wrap_calloc(size_t n, size_t size);
void *__real_calloc(size_t n, size_t size);

void *__wrap_calloc(size_t n, size_t size)
{
	if (left >= 0 && left-- == 0)
		return NULL;
	return __real_calloc(n, size);
}

static int parse_all(void)
{
	_cleanup_(diag_list_freep) struct diag_list *diags = NULL;
	_cleanup_(plan_freep) struct boot_plan *plan = NULL;
	_cleanup_(root_spec_freep) struct root_spec *spec = NULL;
	int r = diag_list_new(&diags);

	if (r == 0)
		r = plan_parse(&plan, line, strlen(line), diags);
	if (r == 0)
		r = root_spec_parse(&spec, plan, "nfs:h:/p:rw", 11, diags);
	return r;
}

TEST(every_allocation_fails_once)
{
	long n;
	int r = -ENOMEM;

	for (n = 0; r < 0 && n < 10000; n++) {
		left = n;
		r = parse_all();
		CHECK(r == 0 || r == -ENOMEM);
	}
	left = -1;
	/*
	 * the parser allocates in blocks of 4 KB: a handful of calls, but more than the two objects
	 */
	CHECK(r == 0 && n > 5);
}

TEST(lint_without_memory)
{
	_cleanup_fclose_ FILE *null = fopen("/dev/null", "we");
	long n;
	int r = -ENOMEM;

	for (n = 0; r == -ENOMEM && n < 10000; n++) {
		left = n;
		r = cmdline_lint(line, strlen(line), null, LINT_PLAN);
	}
	left = -1;
	CHECK_INT(r, LINT_WARNINGS);
}
