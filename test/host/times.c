//go:build ignore

/* Steps an FMU and writes, for each step, the requested times and the timestamp of its SensorData.
 *
 *   times GUID RESOURCES LIBRARY HOW N DIVIDEND DIVISOR > RECORDS
 *
 * The step size is DIVIDEND/DIVISOR seconds. HOW is product (the communication point is the number
 * of the step times the step size), sum (step sizes are added up, as some importers do) or random
 * (sizes between a microsecond and DIVIDEND/DIVISOR, added up). A record consists of the
 * communication point and the size as doubles and the timestamp in nanoseconds as a 64-bit integer,
 * in the byte order of this machine. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulation.h"

/* varint decodes a protobuf varint and advances the pointer. */
static uint64_t varint(const unsigned char **p, const unsigned char *end)
{
	uint64_t value = 0;
	for (int shift = 0; *p < end && shift < 64; shift += 7) {
		unsigned char byte = *(*p)++;
		value |= (uint64_t)(byte & 0x7F) << shift;
		if (byte < 0x80)
			break;
	}
	return value;
}

/* field finds a field of a message; for a length-delimited field, *end becomes its end. */
static const unsigned char *field(const unsigned char *p, const unsigned char **end,
                                  unsigned wanted)
{
	while (p < *end) {
		uint64_t key = varint(&p, *end);
		uint64_t n = (key & 7) == 2   ? varint(&p, *end)
		             : (key & 7) == 1 ? 8
		             : (key & 7) == 5 ? 4
		                              : 0;
		if (key >> 3 == wanted) {
			if ((key & 7) == 2)
				*end = p + n;
			return p;
		}
		if ((key & 7) == 0)
			varint(&p, *end);
		p += n;
	}
	return NULL;
}

/* part returns a varint of the timestamp, osi3.SensorData field 2: field 1 contains seconds, 2
 * nanoseconds. A field with value 0 may be absent. */
static int64_t part(const unsigned char *stamp, const unsigned char *end, unsigned number)
{
	const unsigned char *p = field(stamp, &end, number);
	return p != NULL ? (int64_t)varint(&p, end) : 0;
}

static int64_t stamp_of(const unsigned char *data, size_t n)
{
	const unsigned char *end = data + n, *stamp = field(data, &end, 2);
	if (stamp == NULL)
		exit(!trouble("SensorData has no timestamp"));
	return part(stamp, end, 1) * 1000000000 + part(stamp, end, 2);
}

static int record(const fmu *f, fmi2Component c, double t, double size)
{
	message m;
	if (f->fmi2DoStep(c, t, size, fmi2True) != fmi2OK || !read_message(f, c, sensor_data, &m))
		return trouble("the step from %.17g by %.17g", t, size);
	const int64_t stamp = stamp_of(m.bytes, m.size);
	return fwrite(&t, sizeof t, 1, stdout) == 1 && fwrite(&size, sizeof size, 1, stdout) == 1 &&
	       fwrite(&stamp, sizeof stamp, 1, stdout) == 1;
}

int main(int count, char **words)
{
	fmu f;
	if (count != 8)
		return 2;
	const simulation s = {.guid = words[1], .resources = words[2], .path = words[3]};
	const int steps = atoi(words[5]), product = strcmp(words[4], "product") == 0,
			  random = strcmp(words[4], "random") == 0;
	const double dividend = atof(words[6]), divisor = atof(words[7]);
	fmi2Component c = load(&f, s.path) ? instantiate(&f, &s) : NULL;
	if (c == NULL || !initialize(&f, c))
		return 1;
	unsigned seed = 7;
	double t = 0;
	for (int k = 0; k < steps; k++) {
		double size = dividend / divisor;
		if (product)
			t = k * dividend / divisor;
		if (random) {
			seed = seed * 1664525u + 1013904223u;
			size = 1e-6 + size * seed / 4294967296.0;
		}
		if (!record(&f, c, t, size))
			return 1;
		t += size;
	}
	f.fmi2FreeInstance(c);
	return 0;
}
