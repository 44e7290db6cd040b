/* Binary variables of OSMP: messages by address, in three integers base.lo, base.hi and size. */
#ifndef GOSMP_MESSAGE_H
#define GOSMP_MESSAGE_H

#include <stdio.h>

#include "fmu.h"
#include "triple.h"

/* A message in the memory of the FMU, and the hash of its bytes at the time of reading. */
typedef struct {
	const unsigned char *bytes;
	size_t size;
	uint64_t hash;
} message;

/* read_message gets a binary output, and returns 0 if the FMU refuses. "No message" has size 0.
 */
int read_message(const fmu *f, fmi2Component c, const fmi2ValueReference references[3], message *m);

/* is_intact reports whether the bytes are still readable and unchanged. */
int is_intact(const message *m);

/* write_message sets a binary input or parameter to bytes that stay where they are. */
int write_message(const fmu *f, fmi2Component c, const fmi2ValueReference references[3],
                  const void *bytes, size_t size);

/* Files of messages: each message follows its size in 4 bytes, the least significant first. */
enum { MOST_MESSAGES = 256 };
typedef struct {
	unsigned char *bytes;
	size_t size;
} input_message;

/* read_next reads one message from an open file. */
int read_next(FILE *file, input_message *m);

/* write_next appends a message to an open file. */
int write_next(FILE *file, const message *m);

/* read_inputs reads the messages of a file into memory that stays. The result is their number, 0
 * after trouble. */
size_t read_inputs(const char *path, input_message list[MOST_MESSAGES]);

/* The references of OSMPDummySensor's SensorView and SensorData. */
extern const fmi2ValueReference sensor_view[3], sensor_data[3];

#endif
