package host_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// binaries3 continues main3: it sets an input of the twin in ways that involve both loader and
// core, and reads it back each time. An input consists of messages of one unknown field, which
// every step accepts.
const binaries3 = `
	fmi3ValueReference in = 1, both[] = {1, 1};
	fmi3Instance fresh = reach('I');
	size_t nothing = 1;
	fmi3Binary none = NULL;
	check(FIND(fmi3GetBinary)(fresh, &in, 1, &nothing, &none, 1) == fmi3OK && nothing == 0 && none != NULL,
	      "get an empty value with an address before the first step");
	fmi3ValueReference flag = 8;
	const unsigned char two = 2; /* a host may have stored any byte */
	fmi3Boolean is = false;
	check(FIND(fmi3SetBoolean)(fresh, &flag, 1, (const fmi3Boolean *)&two, 1) == fmi3OK, "set a flag");
	check(FIND(fmi3GetBoolean)(fresh, &flag, 1, &is, 1) == fmi3OK && is == true, "get the flag");
	leave(fresh, 'I');
	fmi3Boolean event, terminate, early;
	fmi3Float64 last;
	fmi3Instance i = reach('S');
	double t = 0.5;
	for (int k = 0; k < 200; k++, t += 0.001) {
		set(i, (size_t)(k * 37 % 1000) + (k % 10 == 0) * 100000, k);
		fmi3Binary data;
		size_t size;
		check(FIND(fmi3GetBinary)(i, &in, 1, &size, &data, 1) == fmi3OK, "get");
		if (k % 3 == 0) { /* what was read is set again, and a part of it in the same place */
			fmi3Binary twice[] = {data, data};
			size_t sizes[] = {size, size}, got[2];
			fmi3Binary back[2];
			check(FIND(fmi3SetBinary)(i, &in, 1, &size, &data, 1) == fmi3OK, "set again");
			same(i, k);
			check(FIND(fmi3SetBinary)(i, both, 2, sizes, twice, 2) == fmi3OK, "set both");
			check(FIND(fmi3GetBinary)(i, both, 2, got, back, 2) == fmi3OK && got[0] == size && got[1] == size, "get both");
			same(i, k);
		}
		if (k % 5 == 0) {
			fmi3FMUState state = NULL;
			check(FIND(fmi3GetFMUState)(i, &state) == fmi3OK, "save");
			const size_t before = length;
			set(i, 7, k + 1);
			length = before;
			check(FIND(fmi3SetFMUState)(i, state) == fmi3OK, "restore");
			same(i, k);
			check(FIND(fmi3FreeFMUState)(i, &state) == fmi3OK, "free");
		}
		if (k % 7 == 0) {
			size_t zero = 0;
			none = NULL;
			check(FIND(fmi3SetBinary)(i, &in, 1, &zero, &none, 1) == fmi3OK, "set nothing");
			check(FIND(fmi3GetBinary)(i, &in, 1, &size, &data, 1) == fmi3OK && size == 0 && data != NULL, "get nothing");
			length = 0;
		}
		check(FIND(fmi3DoStep)(i, t, 0.001, true, &event, &terminate, &early, &last) == fmi3OK, "step");
		same(i, k);
	}
	for (int k = 0; k < 5; k++, t += 0.001) {
		set(i, 1000, k);
		check(FIND(fmi3DoStep)(i, t, 0.001, true, &event, &terminate, &early, &last) == fmi3OK, "step");
		same(i, k);
	}
	/* the value lies in the message that contains it, and was not copied into it */
	fmi3ValueReference out = 2;
	fmi3Binary data, message;
	size_t size, whole;
	check(FIND(fmi3GetBinary)(i, &in, 1, &size, &data, 1) == fmi3OK, "get input");
	check(FIND(fmi3GetBinary)(i, &out, 1, &whole, &message, 1) == fmi3OK, "get output");
	check(data > message && data + size <= message + whole, "find the input in the output");
	check(FIND(fmi3Terminate)(i) == fmi3OK, "terminate");
	fmi3Binary late;
	check(FIND(fmi3GetBinary)(i, &out, 1, &size, &late, 1) == fmi3OK && size == whole && late == message,
	      "get the output where it was");
	check(FIND(fmi3Reset)(i) == fmi3OK, "reset");
	length = 0;
	same(i, 0);
	leave(i, 'S');
	/* a call with too many values reads none: the only one is followed by memory without access */
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	fmi3Binary *only = (fmi3Binary *)(pages + page) - 1;
	check(pages != MAP_FAILED && mprotect(only + 1, page, PROT_NONE) == 0, "guard a page");
	*only = (fmi3Binary)pages;
	static size_t many[600];
	i = reach('S');
	check(FIND(fmi3SetBinary)(i, &in, 1, many, only, 600) == fmi3Error && lines == 1, "refuse many values");
	leave(i, 'S');
	/* a state that was freed is gone */
	i = reach('S');
	fmi3FMUState state = NULL, gone;
	check(FIND(fmi3GetFMUState)(i, &state) == fmi3OK, "save");
	gone = state;
	check(FIND(fmi3FreeFMUState)(i, &state) == fmi3OK && state == NULL, "free");
	check(FIND(fmi3SetFMUState)(i, gone) == fmi3Error, "refuse a state that was freed");
	leave(i, 'S');
	printf("same\n");
	return 0;
}
`

// values3 sets values and compares them.
const values3 = `
#include <sys/mman.h>
#include <unistd.h>

static size_t length;

static void set(fmi3Instance i, size_t n, int mark)
{
	fmi3ValueReference in = 1;
	fmi3Byte *data = malloc(n + 5);
	fmi3Binary given = data;
	/* field 999, of n bytes, whose number and length take five bytes */
	data[0] = 0xba, data[1] = 0x3e;
	data[2] = (fmi3Byte)((n & 0x7f) | 0x80), data[3] = (fmi3Byte)((n >> 7 & 0x7f) | 0x80), data[4] = (fmi3Byte)(n >> 14);
	memset(data + 5, mark, n);
	length = n + 5;
	check(FIND(fmi3SetBinary)(i, &in, 1, &length, &given, 1) == fmi3OK, "set");
	memset(data, 0xff, length);
	free(data);
}

static void same(fmi3Instance i, int mark)
{
	fmi3ValueReference in = 1;
	fmi3Binary data;
	size_t size;
	check(FIND(fmi3GetBinary)(i, &in, 1, &size, &data, 1) == fmi3OK && size == length, "get the same size");
	for (size_t k = 5; k < size; k++)
		check(data[k] == (fmi3Byte)mark, "find the same bytes");
}
`

func TestBinaries3_KeepTheirValues(t *testing.T) {
	i := unpack(t, packedTwin(t))
	require.Equal(t, []string{"same"},
		run3(t, i, twin3+host3+values3+main3+binaries3, sanitized(t)...))
}
