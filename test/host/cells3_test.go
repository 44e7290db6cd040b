package host_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/chost"
)

// packedTwin finds the FMU for FMI 3.0: GOSMP_FMU3, by default the one beside that for FMI 2.0.
func packedTwin(t testing.TB) string {
	path := os.Getenv("GOSMP_FMU3")
	if path == "" {
		path = strings.TrimSuffix(packed(t), ".fmu") + "-fmi3.fmu"
	}
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no FMU at %s: run `make fmu` or set GOSMP_FMU3", path)
	}
	return path
}

// states3 are the states of an instance that the FMU can have, as the table calls them, with an
// instance after an error and one that does not exist.
var states3 = []string{"I", "M", "S", "T", "E", "N"}

// readLegal3 returns the states of each function, by letters.
func readLegal3(t *testing.T) (table map[string]string) {
	text, err := os.ReadFile("../../fmu/testdata/legal3.txt")
	require.NoError(t, err)
	_, rows, found := strings.Cut(string(text), " I K M S V U R T\n")
	require.True(t, found)
	table = map[string]string{}
	for _, line := range strings.Split(strings.TrimSpace(rows), "\n") {
		words := strings.Fields(line)
		names, cells := words[:len(words)-8], strings.Join(words[len(words)-8:], "")
		states := ""
		for k, letter := range "IKMSVURT" {
			if cells[k] == 'x' {
				states += string(letter)
			}
		}
		for _, name := range names {
			table["fmi3"+name] = states
		}
	}
	return table
}

// variants are the ways to call a function: arrays without elements and valid pointers to single
// values; arrays of two elements that are NULL; more elements than memory has.
var variants = []string{"empty", "null", "huge"}

// argument is a parameter's value in C.
func argument(kind, name, variant string) string {
	single := map[string]string{"nDependencies": "&count", "size": "&count",
		"nContinuousStates": "&count", "nEventIndicators": "&count"}
	switch {
	case kind == "size_t":
		return map[string]string{"empty": "0", "null": "2", "huge": "SIZE_MAX"}[variant]
	case kind == "fmi3Boolean*" && variant == "empty":
		return "&flag"
	case kind == "fmi3FMUState*" && variant == "empty":
		return "&state"
	case kind == "fmi3FMUState":
		return "NULL"
	case kind == "size_t*" && variant == "empty" && single[name] != "":
		return single[name]
	case kind == "fmi3Float64*" && variant == "empty" &&
		slices.Contains([]string{"nextEventTime", "lastSuccessfulTime"}, name):
		return "&number"
	case chost.IsPointer(kind):
		return "NULL"
	case name == "communicationStepSize":
		return "0.25"
	case name == "currentCommunicationPoint":
		return "0.5"
	}
	return "(" + kind + ")0"
}

// lacking are functions of capabilities that the FMU does not have: always an error.
func lacking(name string) bool {
	for _, part := range []string{"Derivative", "Dependencies", "Interval", "Shift", "Clock",
		"EnterConfigurationMode", "EnterEventMode"} {
		if strings.Contains(name, part) && name != "fmi3GetOutputDerivatives" {
			return true
		}
	}
	return false
}

// wanted3 is what a call has to return, and how many lines it has to log.
func wanted3(p chost.Prototype, state, variant, legal string) string {
	short := strings.TrimPrefix(p.Name, "fmi3")
	points := slices.ContainsFunc(p.Types[1:], chost.IsPointer)
	switch {
	case state == "N":
		return "3 0"
	case state == "E" && !strings.Contains(legal, "T"), state != "E" && !strings.Contains(legal, state):
		return "3 1"
	case lacking(p.Name), points && variant != "empty" && short != "FreeFMUState",
		slices.Contains([]string{"SetFMUState", "SerializedFMUStateSize", "SerializeFMUState",
			"DeserializeFMUState"}, short):
		return "3 1"
	}
	return "0 0"
}

// TestCells3_EveryFunctionInEveryState calls every function of FMI 3.0 in every state that the FMU
// has, with arrays that are empty, NULL or too long, and on components that do not exist. The C
// host is written from the header, and the results follow from the standard's table of legal calls.
func TestCells3_EveryFunctionInEveryState(t *testing.T) {
	i := unpack(t, packedTwin(t))
	source, want := cells3(t)
	requireLines(t, run3(t, i, source), want)
}

// cells3 writes the host, and the lines that it has to print.
func cells3(t *testing.T) (source string, want []string) {
	table := readLegal3(t)
	var b strings.Builder
	b.WriteString(host3)
	for _, p := range chost.Prototypes(t) {
		if p.Result != "fmi3Status" {
			continue
		}
		legal, known := table[p.Name]
		if !known {
			legal = table["fmi3*"]
		}
		for _, state := range states3 {
			for _, variant := range variants {
				arguments := []string{"i"}
				for k, kind := range p.Types[1:] {
					arguments = append(arguments, argument(kind, p.Names[k+1], variant))
				}
				fmt.Fprintf(&b, "\tCELL(%s, '%s', %s, %s)\n", p.Name, state, strconv.Quote(variant),
					strings.Join(arguments, ", "))
				want = append(want, fmt.Sprintf("%s %s %s: %s", p.Name, state, variant,
					wanted3(p, state, variant, legal)))
			}
		}
	}
	b.WriteString("\treturn 0;\n}\n")
	require.Len(t, want, 70*len(states3)*len(variants))
	return b.String(), want
}

// requireLines shows the differences alone.
func requireLines(t *testing.T, got, want []string) {
	t.Helper()
	var wrong []string
	for k := range want {
		if k >= len(got) || got[k] != want[k] {
			found := "nothing"
			if k < len(got) {
				found = got[k]
			}
			wrong = append(wrong, fmt.Sprintf("found %q, expected %q", found, want[k]))
		}
	}
	require.Empty(t, wrong)
	require.Len(t, got, len(want))
	t.Logf("%d cells", len(want))
}

// run3 compiles a host and runs it with the FMU.
func run3(t *testing.T, i importer, source string, flags ...string) []string {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "cells3.c")
	require.NoError(t, os.WriteFile(path, []byte(source), 0o600))
	program := filepath.Join(folder, "cells3")
	words := slices.Concat([]string{"-std=gnu11", "-Wall", "-Werror", "-g", "-I", chost.Include(t)},
		flags, []string{"-o", program, path, "-ldl"})
	text, err := exec.Command("cc", words...).CombinedOutput()
	require.NoError(t, err, string(text))
	libraries, err := filepath.Glob(filepath.Join(i.folder, "binaries", "*-linux", i.ModelIdentifier()+".so"))
	require.NoError(t, err)
	require.NotEmpty(t, libraries)
	c := exec.Command(program, libraries[0], i.InstantiationToken, filepath.Join(i.folder, "resources")+"/")
	text, err = c.CombinedOutput()
	require.NoError(t, err, string(text))
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// ModelIdentifier is the name of the library.
func (i importer) ModelIdentifier() string { return i.Interface("CoSimulation").ModelIdentifier }

// host3 is the beginning of the host: it brings an instance into a state.
//
//nolint:dupword // it is C
const host3 = `#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fmi3.h"

static void *library;
static const char *token, *resources;
static int lines;

static void log_line(fmi3InstanceEnvironment e, fmi3Status s, fmi3String category, fmi3String text)
{
	lines += e == &lines && s > fmi3OK && category != NULL && text != NULL && strchr(text, '\n') == NULL;
}

#define FIND(name) ((__typeof__(name) *)dlsym(library, #name))

/* check ends the program when a state cannot be reached. */
static void check(int good, const char *what)
{
	if (good)
		return;
	printf("cannot %s\n", what);
	exit(1);
}

static fmi3Instance reach(char state)
{
	fmi3Boolean event, terminate, early;
	fmi3Float64 last;
	if (state == 'N')
		return (void *)(uintptr_t)0x1234;
	fmi3Instance i = FIND(fmi3InstantiateCoSimulation)("probe", token, resources, false, true, false, false, NULL, 0,
	                                                   &lines, log_line, NULL);
	check(i != NULL, "instantiate");
	if (state != 'I')
		check(FIND(fmi3EnterInitializationMode)(i, false, 0, 0, true, 1) == fmi3OK, "enter initialization mode");
	if (state != 'I' && state != 'M') {
		check(FIND(fmi3ExitInitializationMode)(i) == fmi3OK, "exit initialization mode");
		check(FIND(fmi3DoStep)(i, 0, 0.5, true, &event, &terminate, &early, &last) == fmi3OK, "step");
	}
	if (state == 'T')
		check(FIND(fmi3Terminate)(i) == fmi3OK, "terminate");
	if (state == 'E')
		check(FIND(fmi3ExitInitializationMode)(i) == fmi3Error, "fail");
	lines = 0;
	return i;
}

/* leave shows that the instance can be reset and completes a step, whatever was called before. */
static void leave(fmi3Instance i, char state)
{
	fmi3Boolean event, terminate, early;
	fmi3Float64 last = 0;
	if (state == 'N')
		return;
	check(FIND(fmi3Reset)(i) == fmi3OK, "reset");
	check(FIND(fmi3EnterInitializationMode)(i, false, 0, 0, false, 0) == fmi3OK, "initialize again");
	check(FIND(fmi3ExitInitializationMode)(i) == fmi3OK, "exit initialization mode again");
	check(FIND(fmi3DoStep)(i, 0, 0.5, true, &event, &terminate, &early, &last) == fmi3OK && last == 0.5, "step again");
	FIND(fmi3FreeInstance)(i);
}

#define CELL(name, letter, variant, ...)                                                              \
	{                                                                                                 \
		fmi3Boolean flag = false;                                                                     \
		fmi3Float64 number = 0;                                                                       \
		size_t count = 0;                                                                             \
		fmi3FMUState state = NULL;                                                                    \
		(void)flag, (void)number, (void)count, (void)state;                                           \
		fmi3Instance i = reach(letter);                                                               \
		int status = FIND(name)(__VA_ARGS__);                                                        \
		printf(#name " %c " variant ": %d %d\n", letter, status, lines);                              \
		lines = 0;                                                                                    \
		leave(i, letter);                                                                             \
	}

int main(int n, char **a)
{
	check(n == 4, "start");
	library = dlopen(a[1], RTLD_NOW | RTLD_LOCAL);
	check(library != NULL, "load");
	token = a[2];
	resources = a[3];
`
