#include <stdlib.h>
#include <string.h>

#include "loader.h"

char *copy_text(const char *text)
{
	size_t size = strlen(text) + 1;
	char *made = malloc(size);
	return made != NULL ? memcpy(made, text, size) : NULL;
}

/* utf8_length returns the length of the UTF-8 character at the beginning of a text, or 0 if there
 * is none (Unicode 15, table 3-7). */
static size_t utf8_length(const char *text)
{
	static const struct {
		unsigned char first, last, low, high,
			length; /* of the first byte, of the second one, and of the whole */
	} forms[] = {
		{0x01, 0x7F, 0x00, 0xFF, 1}, {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
		{0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
		{0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
	const unsigned char *s = (const unsigned char *)text;
	size_t k = 0, n = 2;
	while (k < sizeof forms / sizeof *forms && (s[0] < forms[k].first || s[0] > forms[k].last))
		k++;
	if (k == sizeof forms / sizeof *forms || s[1] < forms[k].low || s[1] > forms[k].high)
		return 0;
	while (n < forms[k].length && s[n] >= 0x80 && s[n] <= 0xBF)
		n++;
	return n < forms[k].length ? 0 : forms[k].length;
}

/* In FMI '#' starts a reference to a variable, and in printf, which FMI 2.0 follows, '%' starts a
 * directive, so both are doubled. A run of bytes that is not UTF-8, as in the name of a folder,
 * becomes U+FFFD. */
void escape(char *to, const char *text)
{
	for (int broken = 0; *text != '\0';) {
		size_t n = utf8_length(text);
		if (n == 0 && !broken)
			to = (char *)memcpy(to, "\xEF\xBF\xBD", 3) + 3;
		if ((*text == '%' && GOSMP_FMI == 2) || *text == '#')
			*to++ = *text;
		to = (char *)memcpy(to, text, n) + n;
		broken = n == 0;
		text += broken ? 1 : n;
	}
	*to = '\0';
}
