// SPDX-License-Identifier: GPL-2.0-or-later
/* state: the steps of a fetched root, the change from one to another, and the end. */
#include "report/report.h"
#include "root/web/private.h"

const struct web_state_row web_states[WEB_STATE_MAX] = {
	[WEB_IDLE] = {"idle", "", CAUSE_NONE},
	[WEB_MIRRORS] = {"mirrors", "list of mirrors", CAUSE_FETCH_CONNECT},
	[WEB_LISTING] = {"reading the mirrors", "reading the list of mirrors", CAUSE_FETCH_CONNECT},
	[WEB_MANIFEST] = {"manifest", "manifest", CAUSE_FETCH_CONNECT},
	[WEB_SIGNATURE] = {"signature", "signature", CAUSE_FETCH_CONNECT},
	[WEB_PROVING] = {"proving the manifest", "checking the manifest", CAUSE_MANIFEST_BAD},
	[WEB_CACHE] = {"cache", "reading the image from the cache", CAUSE_CACHE},
	[WEB_IMAGE] = {"image", "image", CAUSE_FETCH_CONNECT},
	[WEB_JUDGING] = {"verifying the signature", "checking the image's signature",
		CAUSE_SIGNATURE_BAD},
	[WEB_KEEPING] = {"keeping", "storing the image in the cache", CAUSE_CACHE},
	[WEB_MODULE] = {"module", "waiting for the module of the image's file system",
		CAUSE_MODULE_STUCK},
	[WEB_MOUNTING] = {"mounting", "mounting the image", CAUSE_IMAGE_MOUNT},
	[WEB_MOUNTED] = {"mounted", "", CAUSE_NONE},
	[WEB_STOPPED] = {"stopped", "", CAUSE_NONE},
};

void web_set_state(struct web *w, enum web_state to, uint64_t now)
{
	if (w->state != to)
		report_state(w->env->report, "web", "root", web_states[w->state].name,
			web_states[to].name, now);
	w->state = to;
}

void web_stop(struct web *w, enum cause cause, const char *text, uint64_t now)
{
	w->source.cause = cause;
	w->stream = stream_free(w->stream);
	if (text != w->source.text)
		strscpy(w->source.text, text, sizeof(w->source.text));
	source_raise(&w->source, SOURCE_FATAL);
	web_set_state(w, WEB_STOPPED, now);
}

struct fetch *web_take_fetch(struct web *w)
{
	struct fetch *f = w->fetch;

	w->fetch = NULL;
	return f;
}
