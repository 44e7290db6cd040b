/* A stand-in for the library of that name in Windows 10, which wine 8 lacks: it returns random
 * bytes. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);

/* Windows exports the function under its undecorated name on 32 bits too. */
#if defined(__i386__)
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T n) __asm__("_ProcessPrng");
#else
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T n);
#endif

BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T n) { return SystemFunction036(bytes, (ULONG)n); }
