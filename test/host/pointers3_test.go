package host_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/internal/chost"
)

// pointers3 continues host3: the bytes of standard input choose calls and their arguments. Arrays
// have MOST elements in a block of exactly that size, or are NULL; lengths are at most MOST, or
// exceed the memory. Nothing may crash, and each status other than OK has one log line.
const pointers3 = `
#include <math.h>

enum { MOST = 5 };

static void *blocks[64];
static size_t used;
static fmi3FMUState states[4];
static fmi3Float64 now, last;

static unsigned choose(unsigned n)
{
	int c = getchar();
	if (c == EOF)
		exit(0);
	return (unsigned)c % n;
}

static void *block(size_t element)
{
	if (choose(8) == 0 || used == 64)
		return NULL;
	unsigned char *b = malloc(MOST * element);
	for (size_t k = 0; k < MOST * element; k++)
		b[k] = (unsigned char)(k * choose(3));
	return blocks[used++] = b;
}

static size_t count(void)
{
	const unsigned c = choose(16);
	return c > 12 ? SIZE_MAX / (c - 12) : c % (MOST + 1);
}

static fmi3Float64 number(void)
{
	const fmi3Float64 list[] = {0, 0.25, 1, -1, INFINITY, NAN, 1e300, now};
	return list[choose(8)];
}

static fmi3ValueReference *references(void)
{
	fmi3ValueReference *list = block(sizeof *list);
	for (int k = 0; list != NULL && k < MOST; k++)
		list[k] = choose(24);
	return list;
}

static size_t *sizes(void)
{
	size_t *list = block(sizeof *list);
	for (int k = 0; list != NULL && k < MOST; k++)
		list[k] = count();
	return list;
}

/* pointers are addresses of blocks or NULL, for texts with an end. */
static void *pointers(void)
{
	void **list = block(sizeof *list);
	for (int k = 0; list != NULL && k < MOST; k++)
		if ((list[k] = block(1)) != NULL)
			((char *)list[k])[MOST - 1] = 0;
	return list;
}

static fmi3Instance begin(void)
{
	now = 0;
	lines = 0;
	return reach("IMSV"[choose(4)]);
}

static fmi3Status call(fmi3Instance i, unsigned which);
`

// main3p is the rest of that host, after the function call.
const main3p = `
	fmi3Instance i = begin();
	for (;;) {
		lines = 0;
		const unsigned which = choose(CALLS);
		fmi3Status status = call(i, which);
		check(status < fmi3Fatal, "stay alive");
		if (lines != (status > fmi3OK))
			printf("call %u: status %d, %d lines\n", which, status, lines);
		check(lines == (status > fmi3OK), "log each failure once");
		while (used > 0)
			free(blocks[--used]);
		if (status == fmi3OK)
			now = last > now ? last : now;
		if (status < fmi3Error && choose(16) != 0)
			continue;
		FIND(fmi3FreeInstance)(i);
		memset(states, 0, sizeof states);
		i = begin();
	}
}
`

// chosen returns an argument for the host.
func chosen(kind, name string) string {
	switch {
	case name == "loggingOn":
		return "true"
	case name == "currentCommunicationPoint":
		return "choose(8) == 0 ? number() : now"
	case name == "communicationStepSize":
		return "choose(8) == 0 ? number() : 0.25"
	case name == "lastSuccessfulTime":
		return "choose(8) == 0 ? NULL : &last"
	case kind == "size_t":
		return "count()"
	case kind == "fmi3Float64":
		return "number()"
	case kind == "fmi3FMUState":
		return "states[choose(4)]"
	case kind == "fmi3FMUState*":
		return "choose(8) == 0 ? NULL : &states[choose(4)]"
	case kind == "const fmi3ValueReference*":
		return "references()"
	case kind == "const size_t*":
		return "sizes()"
	case kind == "const fmi3String*", kind == "const fmi3Binary*":
		return "pointers()"
	case kind == "fmi3String":
		return `"text"`
	case strings.HasSuffix(kind, "*"):
		return "block(sizeof(" + strings.TrimSuffix(strings.TrimPrefix(kind, "const "), "*") + "))"
	}
	return "(" + kind + ")choose(3)"
}

// pointerHost compiles the host, with sanitizers where the compiler has them.
func pointerHost(t testing.TB) string {
	var calls strings.Builder
	n := 0
	for _, p := range chost.Prototypes(t) {
		if p.Result != "fmi3Status" {
			continue
		}
		arguments := []string{"i"}
		for k, kind := range p.Types[1:] {
			arguments = append(arguments, chosen(kind, p.Names[k+1]))
		}
		fmt.Fprintf(&calls, "\tcase %d:\n\t\treturn FIND(%s)(%s);\n", n, p.Name,
			strings.Join(arguments,
				", "))
		n++
	}
	source := "#define MODES true\n" + host3 + pointers3 +
		"\nstatic fmi3Status call(fmi3Instance i, unsigned which)\n{\n\tswitch (which) {\n" +
		calls.String() + fmt.Sprintf("\t}\n\treturn fmi3OK;\n}\n\nenum { CALLS = %d };\n", n) +
		main3 + main3p
	folder := t.TempDir()
	path, program := filepath.Join(folder, "pointers3.c"), filepath.Join(folder, "pointers3")
	require.NoError(t, os.WriteFile(path, []byte(source), 0o600))
	words := []string{"-std=gnu11", "-Wall", "-Werror", "-Wno-unused-function", "-g", "-I",
		chost.Include(t), "-o", program, path, "-ldl", "-lm"}
	text, err := exec.Command("cc", slices.Concat([]string{"-fsanitize=address,undefined",
		"-fno-sanitize-recover=all"}, words)...).CombinedOutput()
	if err != nil {
		text, err = exec.Command("cc", words...).CombinedOutput()
	}
	require.NoError(t, err, string(text))
	return program
}

// FuzzPointers3 calls all functions of FMI 3.0 that have pointer arguments, in the order and states
// that the input chooses.
func FuzzPointers3(f *testing.F) {
	i := newModes(f)
	program := pointerHost(f)
	for seed := range uint64(8) {
		source := rand.New(rand.NewPCG(seed, 3)) //nolint:gosec // inputs that can be repeated
		data := make([]byte, 20_000)
		for k := range data {
			data[k] = byte(source.Uint32())
		}
		f.Add(data)
	}
	library := filepath.Join(i.folder, "binaries", "x86_64-linux", i.ModelIdentifier()+".so")
	f.Fuzz(func(t *testing.T, data []byte) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		c := exec.CommandContext(ctx, program, library, i.InstantiationToken,
			filepath.Join(i.folder, "resources")+"/")
		c.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1")
		c.Stdin = bytes.NewReader(data)
		text, err := c.CombinedOutput()
		require.NoError(t, err, string(text))
	})
}
