#include "input.h"

#include <stdlib.h>
#include <string.h>

#include "fmu.h"

/* grown returns a block with room for one more byte after n; its size doubles whenever n is a power
 * of two. */
static unsigned char *grown(unsigned char *block, size_t n)
{
	if ((n & (n - 1)) != 0)
		return block;
	unsigned char *larger = realloc(block, n == 0 ? 1 : 2 * n);
	if (larger == NULL)
		abort();
	return larger;
}

char *read_line(FILE *file)
{
	unsigned char *line = NULL;
	size_t n = 0;
	int byte;
	while ((byte = fgetc(file)) != EOF && byte != '\n') {
		line = grown(line, n);
		line[n++] = (unsigned char)byte;
	}
	if (byte == EOF && n == 0)
		return NULL;
	line = grown(line, n);
	line[n] = '\0';
	return (char *)line;
}

size_t split(char *line, char *fields[], size_t n)
{
	size_t found = 0;
	for (char *rest = line; rest != NULL && found < n;) {
		char *tab = found + 1 < n ? strchr(rest, '\t') : NULL;
		if (tab != NULL)
			*tab++ = '\0';
		fields[found++] = rest;
		rest = tab;
	}
	for (size_t k = found; k < n; k++)
		fields[k] = line + strlen(line);
	return found;
}

unsigned char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	unsigned char *bytes = NULL;
	size_t n = 0;
	for (size_t part = 1; file != NULL && part > 0; n += part) {
		if ((bytes = realloc(bytes, 2 * n + 65537)) == NULL)
			abort();
		part = fread(bytes + n, 1, n + 65536, file);
	}
	if (file == NULL || ferror(file)) {
		trouble("%s cannot be read", path);
		free(bytes);
		bytes = NULL;
	} else {
		bytes[n] = '\0';
	}
	if (file != NULL)
		fclose(file);
	*size = n;
	return bytes;
}

int write_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "wb");
	int well = file != NULL && fwrite(bytes, 1, size, file) == size;
	well = file != NULL && fclose(file) == 0 && well;
	return well || trouble("%s cannot be written", path);
}
