/* The symbols that a library exports to its users. */
#ifndef GOSMP_VISIBLE_H
#define GOSMP_VISIBLE_H

#if defined(_WIN32)
#define GOSMP_EXPORT __declspec(dllexport)
#else
#define GOSMP_EXPORT __attribute__((visibility("default")))
#endif

#endif
