// SPDX-License-Identifier: GPL-2.0-or-later

#include "state/state_read.h"

#include "state/record.h"
#include "state/state.h"
#include "report/console.h"

/* No member of a state is as large; what is printed of a number has its bound by this. */
#define NUMBER_MAX 1e15

int state_read(const struct env *env, char **ret)
{
	/* One byte more than a state may have shows that it has too many. */
	_cleanup_free_ char *buf = malloc(RECORD_BYTES_MAX + 2);
	int n = buf ? env_read(env, buf, RECORD_BYTES_MAX + 2, STATE_DIR "/state.json") : -ENOMEM;

	if (n < 0)
		return n;
	if (n > RECORD_BYTES_MAX)
		return -EFBIG;
	*ret = buf;
	buf = NULL;
	return n;
}

int state_parse(const char *text, cJSON **ret)
{
	cJSON *top = cJSON_Parse(text);
	const cJSON *schema = cJSON_GetObjectItem(top, "schema");
	int r = 0;

	if (!cJSON_IsObject(top))
		r = -EBADMSG;
	else if (schema && state_number(top, "schema") != STATE_SCHEMA)
		r = -EPROTONOSUPPORT;
	if (r < 0)
		cJSON_Delete(top);
	else
		*ret = top;
	return r;
}

static void complain(int error)
{
	const char *why = error == -EBADMSG ? "damaged" :
		error == -EPROTONOSUPPORT ?
			"written by another version of the agent (other schema)" :
		error == -EFBIG ? "too large for a state file" : strerror(-error);

	if (error == -ENOENT)
		console_complain("this system was not booted by initagent",
			"there is no " STATE_DIR "/state.json");
	else
		console_complain("no state: " STATE_DIR "/state.json", why);
}

int state_load(const struct env *env, char **ret_text, cJSON **ret)
{
	_cleanup_free_ char *text = NULL;
	int r = state_read(env, &text);

	if (r >= 0)
		r = state_parse(text, ret);
	if (r < 0) {
		complain(r);
		return r;
	}
	*ret_text = text;
	text = NULL;
	return 0;
}

const char *state_text(const cJSON *o, const char *key)
{
	const char *s = cJSON_GetStringValue(cJSON_GetObjectItem(o, key));

	return s ? s : "";
}

double state_number(const cJSON *o, const char *key)
{
	const cJSON *n = cJSON_GetObjectItem(o, key);

	return cJSON_IsNumber(n) && n->valuedouble > -NUMBER_MAX &&
		n->valuedouble < NUMBER_MAX ? n->valuedouble : 0;
}

bool state_true(const cJSON *o, const char *key)
{
	return cJSON_IsTrue(cJSON_GetObjectItem(o, key));
}
