package fmitest_test

import (
	_ "embed" // for the table
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/internal/fmitest"
)

// cells holds the expected result of every function in every state; the file contains the legend. A
// C program in test/host compares it with packed FMUs.
//
//go:embed testdata/cells.txt
var cells string

// row is one line of the table.
type row struct {
	function, arguments string
	cells               []string
}

var gaps = regexp.MustCompile(`  +`)

// readCells reads the table and expands the rows of *.
func readCells(t *testing.T) (states []string, rows []row) {
	var lines []string
	for line := range strings.Lines(cells) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	states = strings.Fields(gaps.Split(lines[0], 3)[2])
	for _, line := range lines[1:] {
		parts := gaps.Split(line, 3)
		require.Len(t, parts, 3, line)
		r := row{parts[0], parts[1], strings.Fields(parts[2])}
		require.Len(t, r.cells, len(states), line)
		functions := []string{r.function}
		if r.function == "*" {
			functions = withComponent()
		}
		for _, f := range functions {
			rows = append(rows, row{f, r.arguments, r.cells})
		}
	}
	return states, rows
}

// probe is an instance in one of the states, with everything that the calls in the table need.
type probe struct {
	host      *fmitest.Host
	c         fmitest.Component
	state     string
	name      string
	component fmitest.Component // the number passed as component: c or an invalid one
	saved     fmitest.State     // a valid state of this FMU, in step complete
	stale     fmitest.State     // a state that has been freed
	bytes     []byte            // saved, serialized
}

// reach creates a probe in a state, by the shortest legal sequence of calls, with no pending log
// lines.
func reach(t require.TestingT, state string) *probe {
	p := &probe{host: fmitest.NewHost(), state: state, name: "probe in " + state}
	p.c = p.host.Instantiate(fmitest.Usual(p.name))
	require.NotZero(t, p.c)
	p.component = p.c
	p.saveOthers(t)
	stop := 1.0
	if state != "I" {
		require.Equal(t, fmi.OK, p.c.SetupExperiment(0, &stop))
		require.Equal(t, fmi.OK, p.c.EnterInitializationMode())
	}
	if state != "I" && state != "M" {
		require.Equal(t, fmi.OK, p.c.ExitInitializationMode())
		require.Equal(t, fmi.OK, p.c.DoStep(0, 0.5))
	}
	switch state {
	case "F":
		p.stepBehaves(t, fmitest.StepDiscards, fmi.Discard)
	case "T":
		require.Equal(t, fmi.OK, p.c.Terminate())
	case "E":
		p.stepBehaves(t, fmitest.StepFails, fmi.Error)
	case "D":
		p.stepBehaves(t, fmitest.StepPanics, fmi.Fatal)
	}
	p.host.Lines()
	return p
}

func (p *probe) stepBehaves(t require.TestingT, behaviour string, want fmi.Status) {
	require.Equal(t, fmi.OK, p.behave(behaviour))
	require.Equal(t, want, p.c.DoStep(0.5, 0.25))
}

// behave sets the behavior of the model for the following calls.
func (p *probe) behave(behaviour string) fmi.Status {
	return p.c.SetString([]uint32{fmitest.StringBehaviour}, 1, []*string{&behaviour})
}

// saveOthers fills in the states; the valid state comes from the instance itself while the instance
// is still sound.
func (p *probe) saveOthers(t require.TestingT) {
	require.Equal(t, fmi.OK, p.c.SetupExperiment(0, nil))
	require.Equal(t, fmi.OK, p.c.EnterInitializationMode())
	require.Equal(t, fmi.OK, p.c.ExitInitializationMode())
	require.Equal(t, fmi.OK, p.c.GetFMUstate(&p.stale))
	gone := p.stale
	require.Equal(t, fmi.OK, p.c.FreeFMUstate(&gone))
	require.Zero(t, gone)
	require.Equal(t, fmi.OK, p.c.GetFMUstate(&p.saved))
	var size uint
	require.Equal(t, fmi.OK, p.c.SerializedFMUstateSize(p.saved, &size))
	p.bytes = make([]byte, size)
	require.Equal(t, fmi.OK, p.c.SerializeFMUstate(p.saved, p.bytes, size))
	require.Equal(t, fmi.OK, p.c.Reset())
}

func (p *probe) close() {
	p.c.Free()
	p.host.Close()
}

// TestCells_EveryFunctionInEveryState makes every call in every state and compares the results with
// the table.
func TestCells_EveryFunctionInEveryState(t *testing.T) {
	states, rows := readCells(t)
	called := map[string]bool{}
	passed, total := 0, 0
	for _, r := range rows {
		called[r.function] = true
		make := caller(r)
		if make == nil && r.arguments == "reference of another type" {
			// among the test FMU's types, Integer has the most variables; test/host uses a
			// different FMU
			continue
		}
		require.NotNil(t, make, "no caller for %s: %s", r.function, r.arguments)
		for k, state := range states {
			total++
			name := strings.Join([]string{r.function, r.arguments, state}, "/")
			if t.Run(name, func(t *testing.T) { checkCell(t, r, state, r.cells[k], make) }) {
				passed++
			}
		}
	}
	require.Len(t, called, 34, "functions in the table")
	require.Zero(t, fmitest.Strays(), "lines with a wrong componentEnvironment")
	t.Logf("%d of %d cells", passed, total)
}

func checkCell(t *testing.T, r row, state, want string, make func(*probe) any) {
	p := reach(t, state)
	defer func() { p.close() }()
	got := make(p)
	lines := p.host.Lines()
	switch want {
	case "t":
		require.Contains(t, []string{"default", "2.0"}, got)
	case "v":
		require.Nil(t, got)
		if r.function == "fmi2Instantiate" {
			requireLine(t, lines, fmi.Error, "newcomer", r.function)
			lines = nil
		}
	case "c":
		newcomer, ok := got.(fmitest.Component)
		require.True(t, ok)
		live(t, newcomer)
		newcomer.Free()
	default:
		requireStatus(t, p, r.function, want, got, lines)
		lines = nil
	}
	require.Empty(t, lines)
	recovers(t, p, r.function, state, want)
}

// statuses maps letters to their meanings.
var statuses = map[string]fmi.Status{
	"o": fmi.OK, "w": fmi.Warning, "d": fmi.Discard, "e": fmi.Error, "i": fmi.Error, "n": fmi.Error,
	"f": fmi.Fatal,
}

func requireStatus(t *testing.T, p *probe, function, want string, got any, lines []fmitest.Line) {
	require.Equal(t, statuses[want], got, "lines: %v", lines)
	if want == "o" || want == "n" {
		require.Empty(t, lines)
		return
	}
	requireLine(t, lines, statuses[want], p.name, function)
	require.Equal(t, want == "i", strings.Contains(lines[0].Text, "illegal call sequence"),
		lines[0].Text)
}

// requireLine requires exactly one log line, in the category of its status and under the instance's
// name.
func requireLine(t *testing.T, lines []fmitest.Line, status fmi.Status, instance, function string) {
	categories := map[fmi.Status]string{fmi.Warning: "logStatusWarning",
		fmi.Discard: "logStatusDiscard", fmi.Error: "logStatusError", fmi.Fatal: "logStatusFatal"}
	require.Len(t, lines, 1)
	require.Equal(t, status, lines[0].Status)
	require.Equal(t, categories[status], lines[0].Category)
	require.True(t, strings.HasPrefix(instance, lines[0].Instance), "instance name %q",
		lines[0].Instance)
	require.True(t, strings.HasPrefix(lines[0].Text, function+": "), lines[0].Text)
	require.NotContains(t, lines[0].Text, "\n")
}

// recovers verifies that a bad call has no further effect. After fmi2Error the instance is in the
// error state, can be reset, and then completes a whole life cycle; after fmi2Fatal, every other
// instance completes one.
func recovers(t *testing.T, p *probe, function, state, want string) {
	switch {
	case function == "fmi2FreeInstance" && want == "v":
		require.Equal(t, fmi.Error, p.c.Reset(), "the component must be stale")
		return
	case state == "D" || want == "f":
		other := p.host.Instantiate(fmitest.Usual("other"))
		live(t, other)
		other.Free()
		return
	case want == "e" || want == "i":
		require.Equal(t, fmi.Error, p.c.EnterInitializationMode(),
			"legal in the state instantiated only")
	}
	require.Equal(t, fmi.OK, p.c.Reset())
	live(t, p.c)
}

// live takes a fresh instance through a short life cycle.
func live(t *testing.T, c fmitest.Component) {
	require.Equal(t, fmi.OK, c.SetupExperiment(1, nil))
	require.Equal(t, fmi.OK, c.EnterInitializationMode())
	require.Equal(t, fmi.OK, c.ExitInitializationMode())
	require.Equal(t, fmi.OK, c.Rounds(1, 0.5, 3))
	count := []int32{0}
	require.Equal(t, fmi.OK, c.GetInteger([]uint32{fmitest.IntegerCount}, 1, count))
	require.Equal(t, int32(3), count[0])
	require.Equal(t, fmi.OK, c.Terminate())
}

// Numbers that the calls of the table need.
var (
	anUlpBeyond1 = math.Nextafter(1, 2)
	anUlpAfter05 = math.Nextafter(0.5, 1)
)
