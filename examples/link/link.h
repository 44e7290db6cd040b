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

// The states of an instance, and the set of states in which the simulation has not ended.
enum { BORN = 1, SHAPING = 2, STARTING = 4, STEPPING = 8, ENDED = 16, ALIVE = 15 };

// refuse logs why a call fails, and returns its status. The instance can be read, reset and freed
// after that.
int refuse(instance *c, const char *text);

// permitted reports whether a call is legal now, FMI 3.0, 4.2.1; if not, it has been refused.
bool permitted(instance *c, int states, const char *function);
#define NEED(states, name)                     \
	if (!permitted(c, states, "fmi3" #name)) { \
		return ERROR;                          \
	}

#endif
