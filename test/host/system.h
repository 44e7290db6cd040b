/* What the hosts ask of the system: libraries, threads, files, and what the process holds. One interface for Linux and Windows;
 * macOS has libraries and threads only. All texts are UTF-8. */
#ifndef GOSMP_SYSTEM_H
#define GOSMP_SYSTEM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*function)(void);

#if defined(_WIN32)

#define WIN32_LEAN_AND_MEAN
#define PSAPI_VERSION 2
#include <windows.h>
#include <psapi.h>
#include <shellapi.h>
#include <tlhelp32.h>

typedef HMODULE library;

static wchar_t *wide(const char *text)
{
	int size = MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0);
	wchar_t *made = calloc((size_t)size + 1, sizeof *made);
	if (made == NULL)
		abort();
	MultiByteToWideChar(CP_UTF8, 0, text, -1, made, size);
	return made;
}

static library open_library(const char *path)
{
	wchar_t *name = wide(path);
	library l = LoadLibraryW(name);
	free(name);
	return l;
}

static void close_library(library l) { FreeLibrary(l); }

static function symbol(library l, const char *name)
{
	FARPROC address = GetProcAddress(l, name);
	function found = NULL;
	memcpy(&found, &address, sizeof found);
	return found;
}

static const char *open_failure(void)
{
	static char text[40];
	snprintf(text, sizeof text, "Windows error %lu", GetLastError());
	return text;
}

typedef struct {
	void (*work)(void *);
	void *argument;
	HANDLE id;
} thread;

static DWORD WINAPI thread_main(void *t)
{
	((thread *)t)->work(((thread *)t)->argument);
	return 0;
}

static int start(thread *t) { return (t->id = CreateThread(NULL, 0, thread_main, t, 0, NULL)) != NULL; }

static void join(thread *t)
{
	WaitForSingleObject(t->id, INFINITE);
	CloseHandle(t->id);
}

/* The words of the command line, which Windows gives in UTF-16. */
static char **utf8_words(int *count, char **words)
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

/* clear removes the folder that a file lies in, and returns how many of its files could not be removed. */
static int clear(const char *file)
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

static int count_threads(void)
{
	int n = 0;
	THREADENTRY32 t = {.dwSize = sizeof t};
	HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
	for (BOOL more = Thread32First(all, &t); more; more = Thread32Next(all, &t))
		n += t.th32OwnerProcessID == GetCurrentProcessId();
	CloseHandle(all);
	return n;
}

static int count_cores(void)
{
	int n = 0;
	char name[MAX_PATH];
	HMODULE modules[1024];
	DWORD bytes = 0;
	EnumProcessModules(GetCurrentProcess(), modules, sizeof modules, &bytes);
	for (DWORD k = 0; k < bytes / sizeof *modules; k++)
		n += GetModuleBaseNameA(GetCurrentProcess(), modules[k], name, sizeof name) > 0 && strstr(name, "-core-") != NULL;
	return n;
}

static void print_holdings(const char *when)
{
	DWORD handles = 0;
	GetProcessHandleCount(GetCurrentProcess(), &handles);
	printf("%s: threads %d files %lu cores %d\n", when, count_threads(), handles, count_cores());
}

#else

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

typedef void *library;

static library open_library(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
static void close_library(library l) { dlclose(l); }
static const char *open_failure(void) { return dlerror(); }

static function symbol(library l, const char *name)
{
	void *address = dlsym(l, name);
	function found = NULL;
	memcpy(&found, &address, sizeof found);
	return found;
}

typedef struct {
	void (*work)(void *);
	void *argument;
	pthread_t id;
} thread;

static void *thread_main(void *t)
{
	((thread *)t)->work(((thread *)t)->argument);
	return NULL;
}

static int start(thread *t) { return pthread_create(&t->id, NULL, thread_main, t) == 0; }
static void join(thread *t) { pthread_join(t->id, NULL); }

static char **utf8_words(int *count, char **words)
{
	(void)count;
	return words;
}

/* clear removes the folder that a file lies in, and returns how many of its files could not be removed. */
static int clear(const char *file)
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
static int count_cores(void)
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

static void print_holdings(const char *when)
{
	/* Reading the folder of open files opens it. */
	printf("%s: threads %d files %d cores %d\n", when, entries("/proc/self/task"), entries("/proc/self/fd") - 1, count_cores());
}

#else
static void print_holdings(const char *when) { printf("%s: not counted here\n", when); }
#endif

#endif

#endif
