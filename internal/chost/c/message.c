#include "message.h"

#include <stdlib.h>

const fmi2ValueReference sensor_view[3] = {0, 1, 2}, sensor_data[3] = {3, 4, 5};

int read_message(const fmu *f, fmi2Component c, const fmi2ValueReference references[3], message *m)
{
	fmi2Integer triple[3];
	if (f->fmi2GetInteger(c, references, 3, triple) != fmi2OK)
		return 0;
	if (sizeof(void *) == 4 && triple[1] != 0)
		return trouble("base.hi is %d where addresses have 32 bits", triple[1]);
	m->bytes = address_in(triple);
	m->size = m->bytes != NULL && triple[2] > 0 ? (size_t)triple[2] : 0;
	m->hash = hash(hash_start, m->bytes, m->size);
	return 1;
}

int is_intact(const message *m) { return hash(hash_start, m->bytes, m->size) == m->hash; }

int write_message(const fmu *f, fmi2Component c, const fmi2ValueReference references[3],
                  const void *bytes, size_t size)
{
	fmi2Integer triple[3];
	put_address(triple, bytes, size);
	return f->fmi2SetInteger(c, references, 3, triple) == fmi2OK ||
	       trouble("a message cannot be set");
}

int read_next(FILE *file, input_message *m)
{
	unsigned char head[4];
	if (fread(head, 1, 4, file) != 4)
		return 0;
	m->size = head[0] | head[1] << 8 | head[2] << 16 | (size_t)head[3] << 24;
	m->bytes = malloc(m->size);
	return m->bytes != NULL &&
	       (fread(m->bytes, 1, m->size, file) == m->size || trouble("a message is cut off"));
}

int write_next(FILE *file, const message *m)
{
	const uint32_t n = (uint32_t)m->size;
	const unsigned char head[4] = {n & 255, n >> 8 & 255, n >> 16 & 255, n >> 24};
	return (fwrite(head, 1, 4, file) == 4 && fwrite(m->bytes, 1, n, file) == n) ||
	       trouble("a message cannot be written");
}

size_t read_inputs(const char *path, input_message list[MOST_MESSAGES])
{
	size_t n = 0;
	FILE *file = fopen(path, "rb");
	while (file != NULL && n < MOST_MESSAGES && read_next(file, &list[n]))
		n++;
	if (file != NULL)
		fclose(file);
	if (n == 0)
		trouble("no messages in %s", path);
	return n;
}
