/* What a program reads and writes: lines of fields with tabs between them, and whole files. */
#ifndef GOSMP_INPUT_H
#define GOSMP_INPUT_H

#include <stddef.h>
#include <stdio.h>

/* read_line reads a line without its end into memory that stays. NULL is the end of the file. */
char *read_line(FILE *file);

/* split divides a line at its tabs, in place, and returns the number of fields. Those that it does
 * not have, up to n, become empty; the last one keeps any tabs beyond. */
size_t split(char *line, char *fields[], size_t n);

/* read_file reads a file into memory that stays, followed by a byte 0; NULL after trouble. */
unsigned char *read_file(const char *path, size_t *size);

/* write_file returns 0 after trouble. */
int write_file(const char *path, const void *bytes, size_t size);

#endif
