// SPDX-License-Identifier: GPL-2.0-or-later

#include "handover/interfaces.h"

#include <fnmatch.h>

#include "base/sysmount.h"

/* "eth0", "eth*", "/eth*", each with what ifupdown calls it behind a "=". */
static bool word_names(char *word, const char *ifname)
{
	word += *word == '/';
	word[strcspn(word, "/=")] = 0;
	return fnmatch(word, ifname, 0) == 0;
}

/* "auto", "allow-hotplug" ... have a list of names or patterns, "iface" has one name. */
static bool line_names(char *line, const char *ifname)
{
	char *save = NULL, *word = strtok_r(line, " \t", &save);
	bool list;

	if (!word)
		return false;
	list = streq(word, "auto") || strncmp(word, "allow-", 6) == 0;
	if (!list && !streq(word, "iface"))
		return false;
	for (word = strtok_r(NULL, " \t", &save); word;
		word = list ? strtok_r(NULL, " \t", &save) : NULL)
		if (word_names(word, ifname))
			return true;
	return false;
}

bool interfaces_text_names(char *text, const char *ifname)
{
	char *line;
	bool found = false;

	/* A line goes on after a backslash; at the end of the file nothing follows. */
	for (char *at = text; (at = strstr(at, "\\\n"));)
		memset(at, ' ', 2);
	if (*text && text[strlen(text) - 1] == '\\')
		text[strlen(text) - 1] = ' ';
	while (!found && (line = strsep(&text, "\n")))
		found = line_names(line, ifname);
	return found;
}

static bool file_names(const char *root, const char *path, const char *ifname)
{
	_cleanup_free_ char *text = sys_text_beneath(root, path);

	return text && interfaces_text_names(text, ifname);
}

static bool directory_names(const char *root, const char *ifname)
{
	_cleanup_closedir_ DIR *dir = sys_list_beneath(root, "/etc/network/interfaces.d");
	const struct dirent *e;
	bool found = false;
	char path[512];

	while (!found && (e = dir_next(dir))) {
		snprintf(path, sizeof(path), "/etc/network/interfaces.d/%s", e->d_name);
		found = e->d_name[0] != '.' && file_names(root, path, ifname);
	}
	return found;
}

bool interfaces_name(const char *sysroot, const char *ifname)
{
	return file_names(sysroot, "/etc/network/interfaces", ifname) ||
		directory_names(sysroot, ifname);
}
