package host_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/chost"
)

// packedTwin finds the FMU for FMI 3.0: GOSMP_FMU3, by default the one next to the FMU for FMI 2.0.
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

// The states of an instance that an FMU can have, as the table calls them, with an instance after
// an error and one that does not exist: for the twin, and for an FMU with all modes.
var (
	statesOfTwin  = []string{"I", "M", "S", "T", "E", "N"}
	statesOfModes = []string{"I", "K", "M", "S", "V", "U", "R", "T", "E", "N"}
)

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

// variants lists the ways to call a function: arrays without elements and valid pointers to single
// values; arrays of two elements that are NULL; more elements than fit into memory.
var variants = []string{"empty", "null", "huge"}

// argument returns a parameter's value in C.
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
		return "MODES ? 0.25 : 0.5"
	}
	return "(" + kind + ")0"
}

// lacking reports whether a function belongs to a capability that the FMU does not have; calling it
// is always an error.
func lacking(name string, modes bool) bool {
	for _, part := range []string{"Derivative", "Dependencies", "Interval", "Shift",
		"EvaluateDiscreteStates"} {
		if strings.Contains(name, part) && name != "fmi3GetOutputDerivatives" {
			return true
		}
	}
	return !modes && (name == "fmi3EnterConfigurationMode" || name == "fmi3EnterEventMode")
}

// wanted3 returns the status that a call has to return, and the number of lines that it has to log.
func wanted3(p chost.Prototype, state, variant, legal string, modes bool) string {
	short := strings.TrimPrefix(p.Name, "fmi3")
	points := slices.ContainsFunc(p.Types[1:], chost.IsPointer)
	switch {
	case state == "N":
		return "3 0"
	case state == "E" && !strings.Contains(legal, "T"), state != "E" &&
		!strings.Contains(legal, state):
		return "3 1"
	case lacking(p.Name, modes), points && variant != "empty" && short != "FreeFMUState",
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
	source, want := cells3(t, statesOfTwin, false)
	requireLines(t, run3(t, i, source), want)
}

// cells3 returns the source of the host, and the lines that it has to print.
func cells3(t *testing.T, states []string, modes bool) (source string, want []string) {
	table := readLegal3(t)
	var functions, calls strings.Builder
	for _, p := range chost.Prototypes(t) {
		if p.Result != "fmi3Status" {
			continue
		}
		legal, known := table[p.Name]
		if !known {
			legal = table["fmi3*"]
		}
		for _, variant := range variants {
			arguments := []string{"i"}
			for k, kind := range p.Types[1:] {
				arguments = append(arguments, argument(kind, p.Names[k+1], variant))
			}
			fmt.Fprintf(&functions, "CALL(%s, %s, %s)\n", p.Name, variant,
				strings.Join(arguments, ", "))
		}
		for _, state := range states {
			for _, variant := range variants {
				fmt.Fprintf(&calls, "\tCELL(%s, '%s', %s)\n", p.Name, state, variant)
				want = append(want, fmt.Sprintf("%s %s %s: %s", p.Name, state, variant,
					wanted3(p, state, variant, legal, modes)))
			}
		}
	}
	require.Len(t, want, 70*len(states)*len(variants))
	flag := fmt.Sprintf("#define MODES %t\n", modes)
	return flag + host3 + cell3 + functions.String() + main3 + calls.String() + "\treturn 0;\n}\n",
		want
}

// requireLines requires equal lines, and shows only the differences.
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
		flags, []string{"-o", program, path, "-ldl", "-lm"})
	text, err := exec.Command("cc", words...).CombinedOutput()
	require.NoError(t, err, string(text))
	libraries, err := filepath.Glob(filepath.Join(i.folder, "binaries", "*-linux",
		i.ModelIdentifier()+".so"))
	require.NoError(t, err)
	require.NotEmpty(t, libraries)
	c := exec.Command(program, libraries[0], i.InstantiationToken,
		filepath.Join(i.folder, "resources")+"/")
	text, err = c.CombinedOutput()
	require.NoError(t, err, string(text))
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// ModelIdentifier returns the name of the library.
func (i importer) ModelIdentifier() string { return i.Interface("CoSimulation").ModelIdentifier }
