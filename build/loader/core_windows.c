/* Finding and loading the core on Windows. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include "loader.h"

const atomic_int always_alive = 1;

#define WIDE_(text) L##text
#define WIDE(text) WIDE_(text)

/* utf8 converts a Windows text for the host's logger. */
static char *utf8(const wchar_t *text)
{
	int size = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
	char *made = size > 0 ? malloc((size_t)size) : NULL;
	if (made != NULL)
		WideCharToMultiByte(CP_UTF8, 0, text, -1, made, size, NULL, NULL);
	return made;
}

/* beside returns the path of a file in the loader's folder, in UTF-16 because a folder's name may
 * not survive conversion to another encoding. */
static wchar_t *beside(const wchar_t *name)
{
	static const char here = 0;
	HMODULE loader = NULL;
	if (!GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
	                            GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
	                        (const wchar_t *)(const void *)&here, &loader))
		return NULL;
	enum { LONGEST = 32768 }; /* the longest path on Windows */
	size_t size = wcslen(name) + 1;
	wchar_t *path = malloc((LONGEST + size) * sizeof *path);
	if (path == NULL)
		return NULL;
	DWORD length = GetModuleFileNameW(loader, path, LONGEST);
	while (length > 0 && path[length - 1] != L'\\' && path[length - 1] != L'/')
		length--;
	memcpy(path + length, name, size * sizeof *path);
	return path;
}

static wchar_t *wide_path(void) { return beside(WIDE(GOSMP_CORE)); }

char *resources_path(void)
{
	wchar_t *around = beside(L"..\\..\\resources"), *path = NULL;
	DWORD size = around != NULL ? GetFullPathNameW(around, 0, NULL, NULL) : 0;
	char *found = NULL;
	if (size > 0 && (path = malloc(size * sizeof *path)) != NULL &&
	    GetFullPathNameW(around, size, path, NULL) < size &&
	    GetFileAttributesW(path) != INVALID_FILE_ATTRIBUTES)
		found = utf8(path);
	free(path);
	free(around);
	return found;
}

/* There is no fork on Windows. */
const atomic_int *alive_mark(void *library)
{
	(void)library;
	return &always_alive;
}

/* Windows has no signal handlers that could interrupt a thread. */
void move_signal_handlers(void) {}

char *core_path(void)
{
	wchar_t *wide = wide_path();
	char *path = wide != NULL ? utf8(wide) : NULL;
	free(wide);
	return path;
}

/* reason returns the text of a Windows error as one line. */
static char *reason(DWORD error)
{
	wchar_t *text = NULL;
	DWORD length = FormatMessageW(FORMAT_MESSAGE_ALLOCATE_BUFFER | FORMAT_MESSAGE_FROM_SYSTEM |
	                                  FORMAT_MESSAGE_IGNORE_INSERTS | FORMAT_MESSAGE_MAX_WIDTH_MASK,
	                              NULL, error, 0, (wchar_t *)(void *)&text, 0, NULL);
	while (length > 0 && text[length - 1] <= L' ')
		text[--length] = L'\0';
	char *plain = length > 0 ? utf8(text) : NULL;
	LocalFree(text);
	size_t size = (plain != NULL ? strlen(plain) : 0) + sizeof "Windows error 4294967295: ";
	char *made = malloc(size);
	if (made != NULL)
		snprintf(made, size, "Windows error %lu%s%s", error, plain != NULL ? ": " : "",
		         plain != NULL ? plain : "");
	free(plain);
	return made;
}

/* lock_process serializes threads that load the core at the same time, through this or other copies
 * of the loader: all copies in this process use the same mutex name. If the mutex cannot be created
 * for lack of memory, two cores may be loaded. */
static HANDLE lock_process(void)
{
	wchar_t name[sizeof "Local\\" GOSMP_CORE "-4294967295"] = WIDE("Local\\" GOSMP_CORE "-");
	wchar_t *end = name + wcslen(name);
	for (DWORD id = GetCurrentProcessId(); id != 0; id /= 10)
		*end++ = (wchar_t)(L'0' + id % 10);
	HANDLE mutex = CreateMutexW(NULL, FALSE, name);
	if (mutex != NULL)
		WaitForSingleObject(mutex, INFINITE);
	return mutex;
}

static void unlock_process(HANDLE mutex)
{
	if (mutex != NULL) {
		ReleaseMutex(mutex);
		CloseHandle(mutex);
	}
}

/* open_core uses a library with this name if one is already loaded, and otherwise loads the one
 * next to the loader. It pins the library because Go's threads keep running in it and would crash
 * if it were unmapped. */
void *open_core(const char *path, load_failure *failure)
{
	(void)path;
	HMODULE library = NULL;
	HANDLE mutex = lock_process();
	DWORD error = 0;
	if (!GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN, WIDE(GOSMP_CORE), &library)) {
		wchar_t *wide = wide_path();
		library = wide != NULL ? LoadLibraryExW(wide, NULL, LOAD_WITH_ALTERED_SEARCH_PATH) : NULL;
		error = wide != NULL ? GetLastError() : ERROR_NOT_ENOUGH_MEMORY;
		free(wide);
		HMODULE same = NULL;
		if (library != NULL)
			GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN, WIDE(GOSMP_CORE), &same);
	}
	unlock_process(mutex);
	failure->reason = library == NULL ? reason(error) : NULL;
	return library;
}

void yield_processor(void) { SwitchToThread(); }

function find_symbol(void *library, const char *name)
{
	FARPROC address = GetProcAddress(library, name);
	function found = NULL;
	memcpy(&found, &address, sizeof found);
	return found;
}
