//go:build ignore

// What the files of OSMPLink.fmu share.

#ifndef LINK_H
#define LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

enum { OK, WARNING, DISCARD, ERROR, FATAL }; // fmi3Status

typedef uint32_t reference;
typedef struct instance instance;
typedef void (*logger)(void *environment, int status, const char *category, const char *message);

// refuse logs why a call fails, and returns its status.
int refuse(instance *c, const char *text);

#endif
