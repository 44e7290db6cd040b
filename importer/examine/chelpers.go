package examine

// tracer provides memory functions that show how many blocks are in use, and report blocks that are
// not theirs.
const tracer = `
static long blocks;
static const size_t mark = 0x676f736d70626c6b; // in front of each block
static void *allocate(size_t n, size_t size)
{
	size_t *block = calloc(1, n * size + 16);
	*block = mark, SAY("  allocateMemory: %ld in use\n", ++blocks);
	return block + 2;
}
static void release(void *p)
{
	size_t *block = p == NULL ? NULL : (size_t *)p - 2;
	if (block != NULL && *block != mark) puts("  freeMemory: not from allocateMemory");
	if (block == NULL || *block != mark) return;
	*block = 0, free(block), SAY("  freeMemory: %ld in use\n", --blocks);
}`

// dirtier overwrites free memory, on the stack and on the heap.
const dirtier = `
#include <alloca.h>
static void dirty(size_t stack, size_t block)
{
	void *blocks[8];
	memset(alloca(stack + 1), 0x5b, stack + 1);
	for (int k = 0; k < 8; k++) blocks[k] = memset(malloc(block + 1), 0x5b, block + 1);
	for (int k = 0; k < 8; k++) free(blocks[k]);
}`

// copier loads a copy of the library, which is next to it until it is loaded.
const copier = `
static void *libraries[2];
static void *loaded(void)
{
	static char name[5000], bytes[65536];
	const char *base = strrchr(file, '/') == NULL ? file : strrchr(file, '/') + 1;
	snprintf(name, sizeof name, "%.*sother-%d-%s", (int)(base - file), file, (int)getpid(), base);
	FILE *from = fopen(file, "rb"), *to = fopen(name, "wbx"); // replaces no file
	if (from == NULL || to == NULL) perror(name), exit(1);
	for (size_t n; (n = fread(bytes, 1, sizeof bytes, from)) > 0;) fwrite(bytes, 1, n, to);
	fclose(from), fclose(to);
	void *copy = dlopen(strchr(name, '/') == NULL ? realpath(name, NULL) : name, RTLD_NOW);
	unlink(name);
	return copy != NULL ? copy : (puts(dlerror()), exit(1), NULL);
}`
