#define _GNU_SOURCE
#define PSAPI_VERSION 2
#include "system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)

#include <psapi.h>
#include <shellapi.h>
#include <tlhelp32.h>

static wchar_t *wide(const char *text)
{
	int size = MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0);
	wchar_t *made = calloc((size_t)size + 1, sizeof *made);
	if (made == NULL)
		abort();
	MultiByteToWideChar(CP_UTF8, 0, text, -1, made, size);
	return made;
}

library open_library(const char *path)
{
	wchar_t *name = wide(path);
	library l = LoadLibraryW(name);
	free(name);
	return l;
}

int close_library(library l) { return FreeLibrary(l) != 0; }

function symbol(library l, const char *name)
{
	FARPROC address = GetProcAddress(l, name);
	function found = NULL;
	memcpy(&found, &address, sizeof found);
	return found;
}

const char *open_failure(void)
{
	static char text[40];
	snprintf(text, sizeof text, "Windows error %lu", GetLastError());
	return text;
}

static DWORD WINAPI thread_main(void *t)
{
	((thread *)t)->work(((thread *)t)->argument);
	return 0;
}

int start(thread *t) { return (t->id = CreateThread(NULL, 0, thread_main, t, 0, NULL)) != NULL; }

void join(thread *t)
{
	WaitForSingleObject(t->id, INFINITE);
	CloseHandle(t->id);
}

/* The words of the command line, which Windows gives in UTF-16. */
char **utf8_words(int *count, char **words)
{
	(void)words;
	wchar_t **list = CommandLineToArgvW(GetCommandLineW(), count);
	char **made = calloc((size_t)*count + 1, sizeof *made);
	for (int k = 0; k < *count; k++) {
		int size = WideCharToMultiByte(CP_UTF8, 0, list[k], -1, NULL, 0, NULL, NULL);
		if ((made[k] = malloc((size_t)size)) == NULL)
			abort();
		WideCharToMultiByte(CP_UTF8, 0, list[k], -1, made[k], size, NULL, NULL);
	}
	LocalFree(list);
	return made;
}

/* clear removes the folder of a file, and returns how many of its files could not be removed. */
int clear(const char *file)
{
	wchar_t *path = wide(file), pattern[4096], name[8192];
	*(wcsrchr(path, L'\\') + 1) = L'\0';
	_snwprintf(pattern, 4096, L"%ls*", path);
	int left = 0;
	WIN32_FIND_DATAW found;
	HANDLE search = FindFirstFileW(pattern, &found);
	for (BOOL more = search != INVALID_HANDLE_VALUE; more; more = FindNextFileW(search, &found)) {
		_snwprintf(name, 8192, L"%ls%ls", path, found.cFileName);
		if ((found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) == 0)
			left += !DeleteFileW(name);
	}
	FindClose(search);
	RemoveDirectoryW(path);
	free(path);
	return left;
}

int count_threads(void)
{
	int n = 0;
	THREADENTRY32 t = {.dwSize = sizeof t};
	HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
	for (BOOL more = Thread32First(all, &t); more; more = Thread32Next(all, &t))
		n += t.th32OwnerProcessID == GetCurrentProcessId();
	CloseHandle(all);
	return n;
}

int count_cores(void)
{
	int n = 0;
	char name[MAX_PATH];
	HMODULE modules[1024];
	DWORD bytes = 0;
	EnumProcessModules(GetCurrentProcess(), modules, sizeof modules, &bytes);
	for (DWORD k = 0; k < bytes / sizeof *modules; k++)
		n += GetModuleBaseNameA(GetCurrentProcess(), modules[k], name, sizeof name) > 0 &&
		     strstr(name, "-core-") != NULL;
	return n;
}

int count_files(void)
{
	DWORD handles = 0;
	GetProcessHandleCount(GetCurrentProcess(), &handles);
	return (int)handles;
}

long resident_memory(void)
{
	PROCESS_MEMORY_COUNTERS m = {.cb = sizeof m};
	GetProcessMemoryInfo(GetCurrentProcess(), &m, sizeof m);
	return (long)(m.WorkingSetSize / 1024);
}

long address_space(void) { return 0; }

double now(void)
{
	LARGE_INTEGER ticks, frequency;
	QueryPerformanceCounter(&ticks);
	QueryPerformanceFrequency(&frequency);
	return 1e9 * (double)ticks.QuadPart / (double)frequency.QuadPart;
}

#else

#include <dirent.h>
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

library open_library(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
int close_library(library l) { return dlclose(l) == 0; }
const char *open_failure(void) { return dlerror(); }

function symbol(library l, const char *name)
{
	void *address = dlsym(l, name);
	function found = NULL;
	memcpy(&found, &address, sizeof found);
	return found;
}

static void *thread_main(void *t)
{
	((thread *)t)->work(((thread *)t)->argument);
	return NULL;
}

int start(thread *t) { return pthread_create(&t->id, NULL, thread_main, t) == 0; }
void join(thread *t) { pthread_join(t->id, NULL); }

char **utf8_words(int *count, char **words)
{
	(void)count;
	return words;
}

/* clear removes the folder of a file, and returns how many of its files could not be removed. */
int clear(const char *file)
{
	char folder[4096], name[8192];
	snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(file, '/') - file), file);
	int left = 0;
	DIR *d = opendir(folder);
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;) {
		snprintf(name, sizeof name, "%s/%s", folder, e->d_name);
		if (e->d_name[0] != '.')
			left += unlink(name) != 0;
	}
	if (d != NULL)
		closedir(d);
	rmdir(folder);
	return left;
}

#if defined(__linux__)

static int entries(const char *folder)
{
	int n = 0;
	DIR *d = opendir(folder);
	for (struct dirent *e; d != NULL && (e = readdir(d)) != NULL;)
		n += e->d_name[0] != '.';
	if (d != NULL)
		closedir(d);
	return n;
}

/* Every mapped file with a text of its own and "-core-" in its name is a core. */
int count_cores(void)
{
	int n = 0;
	char line[8192];
	FILE *maps = fopen("/proc/self/maps", "r");
	while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
		n += strstr(line, "-core-") != NULL && strstr(line, " r-xp ") != NULL;
	if (maps != NULL)
		fclose(maps);
	return n;
}

int count_threads(void) { return entries("/proc/self/task"); }

/* Reading the folder of open files opens it. */
int count_files(void) { return entries("/proc/self/fd") - 1; }

/* pages reads one column of statm, in KiB. */
static long pages(int column)
{
	long value[2] = {0, 0};
	FILE *statm = fopen("/proc/self/statm", "r");
	if (statm != NULL && fscanf(statm, "%ld %ld", &value[0], &value[1]) != 2)
		value[column] = 0;
	if (statm != NULL)
		fclose(statm);
	return value[column] * (sysconf(_SC_PAGESIZE) / 1024);
}

long address_space(void) { return pages(0); }
long resident_memory(void) { return pages(1); }

#else

int count_threads(void) { return 0; }
int count_files(void) { return 0; }
int count_cores(void) { return 0; }
long address_space(void) { return 0; }
long resident_memory(void) { return 0; }

#endif

double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

#endif

void print_holdings(const char *when)
{
	printf("%s: threads %d files %d cores %d\n", when, count_threads(), count_files(),
	       count_cores());
}
