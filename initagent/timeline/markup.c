// SPDX-License-Identifier: GPL-2.0-or-later
#include "markup.h"

#include <stdarg.h>

#include "base/utf8.h"

/* Code points that are never shown as they are. */
static const struct {
	uint32_t from, to;
} hidden[] = {
	{0x00, 0x1f}, {0x7f, 0x9f},	  /* control characters */
	{0xad, 0xad}, {0x061c, 0x061c},	  /* soft hyphen, Arabic letter mark */
	{0x200b, 0x200f}, {0x2028, 0x202e}, /* zero width, direction, line separators */
	{0x2060, 0x206f}, {0xfeff, 0xfeff}, /* word joiner, isolates, byte order mark */
	{0xfdd0, 0xfdef},		  /* no characters */
	{0xfff0, 0xffff}, {0xe0000, 0xe0fff}, /* specials, tags */
};

static bool is_hidden(uint32_t c)
{
	for (size_t i = 0; i < ARRAY_SIZE(hidden); i++)
		if (c >= hidden[i].from && c <= hidden[i].to)
			return true;
	return (c & 0xfffe) == 0xfffe;
}

static const char *entity(char c)
{
	switch (c) {
	case '&': return "&amp;";
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '"': return "&quot;";
	case '\'': return "&#39;";
	default: return NULL;
	}
}

/* One character as shown; its bytes in *ret_bytes. Returns how many characters that is. */
static size_t show(char *buf, size_t size, const char *s, size_t *ret_bytes)
{
	uint32_t c = 0;
	size_t n = utf8_decode(s, &c);

	*ret_bytes = n ? n : 1;
	if (!n)
		return (size_t)snprintf(buf, size, "\\x%02x", (unsigned char)*s);
	if (is_hidden(c))
		return (size_t)snprintf(buf, size, c < 0x80 ? "\\x%02x" : "\\u{%x}", c);
	if (n == 1 && entity(*s))
		snprintf(buf, size, "%s", entity(*s));
	else
		snprintf(buf, size, "%.*s", (int)n, s);
	return 1;
}

size_t markup_length(const char *s)
{
	size_t bytes, sum = 0;
	char buf[16];

	for (; *s; s += bytes)
		sum += show(buf, sizeof(buf), s, &bytes);
	return sum;
}

static void put_cut(FILE *out, const char *s, size_t characters)
{
	bool cut = characters != SIZE_MAX && markup_length(s) > characters;
	size_t bytes, shown = 0;
	char buf[16];

	for (; *s; s += bytes) {
		shown += show(buf, sizeof(buf), s, &bytes);
		if (cut && shown >= characters)
			break;
		fputs(buf, out);
	}
	if (cut)
		fputs("\xe2\x80\xa6", out);
}

/* The argument of the conversion at fmt. Returns what is behind it. */
static const char *put_argument(FILE *out, const char *fmt, va_list *ap)
{
	int precision = fmt[1] != '.' ? -1 :
		fmt[2] == '*' ? va_arg(*ap, int) : (int)strtoul(fmt + 2, NULL, 10);
	const char *end = fmt + 1 + strspn(fmt + 1, ".*0123456789");
	bool size = *end == 'z';

	end += size;
	if (*end == 's')
		put_cut(out, va_arg(*ap, const char *),
			precision < 0 ? SIZE_MAX : (size_t)precision);
	else if (*end == 'f')
		fprintf(out, "%.*f", precision, va_arg(*ap, double));
	else if (*end == 'u')
		fprintf(out, "%zu", size ? va_arg(*ap, size_t) : va_arg(*ap, unsigned int));
	else if (*end == 'c')
		fputc(va_arg(*ap, int), out);
	else
		fputc('%', out);
	return end + 1;
}

void markup_printf(FILE *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	for (const char *next; *fmt; fmt = next) {
		size_t n = strcspn(fmt, "%");

		next = fmt + n;
		fwrite(fmt, 1, n, out);
		if (*next)
			next = put_argument(out, next, &ap);
	}
	va_end(ap);
}
