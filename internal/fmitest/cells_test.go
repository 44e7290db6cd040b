package fmitest_test

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmu"
	"gosmp/internal/fmitest"
)

// cells is what every function answers in every state of a slave, written down from FMI 2.0.5 (tables of 4.2.4 and 2.1), not
// from the program. Columns are the states
//
//	I instantiated   M initialization mode   C step complete   F step failed   T terminated   E error   D fatal
//
// and each cell is what the call answers there:
//
//	o  fmi2OK, nothing logged            i  fmi2Error because of the state, one line
//	w  fmi2Warning, one line             e  fmi2Error because of an argument or a missing capability, one line
//	d  fmi2Discard, one line             n  fmi2Error, nothing logged: no instance whose logger could be called
//	f  fmi2Fatal, one line               t  the text of the standard      v  nothing, NULL with one line from fmi2Instantiate
//	c  a new component that works
//
// In step complete the instance stands at 0.5 s and the stop time is 1 s. A row of * is for every function with a component.
// How the model behaves can be set in the first three states only; the row of a model that panics is that of a sound one in the
// others.
const cells = `
function                      arguments                        I M C F T E D
fmi2GetTypesPlatform          none                             t t t t t t t
fmi2GetVersion                none                             t t t t t t t

fmi2SetDebugLogging           all on                           o o o o o o f
fmi2SetDebugLogging           all off                          o o o o o o f
fmi2SetDebugLogging           two categories                   o o o o o o f
fmi2SetDebugLogging           NULL array, n = 0                o o o o o o f
fmi2SetDebugLogging           NULL array, n = 2                e e e e e e f
fmi2SetDebugLogging           NULL category                    e e e e e e f
fmi2SetDebugLogging           unknown category                 e e e e e e f
fmi2SetDebugLogging           huge n                           e e e e e e f

fmi2Instantiate               good                             c c c c c c c
fmi2Instantiate               guid in braces and capitals      c c c c c c c
fmi2Instantiate               wrong guid                       v v v v v v v
fmi2Instantiate               NULL guid                        v v v v v v v
fmi2Instantiate               model exchange                   v v v v v v v
fmi2Instantiate               NULL name                        v v v v v v v
fmi2Instantiate               empty name                       v v v v v v v
fmi2Instantiate               NULL callbacks                   c c c c c c c
fmi2Instantiate               NULL logger                      c c c c c c c
fmi2Instantiate               logging off                      c c c c c c c
fmi2Instantiate               NULL resource location           c c c c c c c
fmi2Instantiate               percent-encoded resources        c c c c c c c
fmi2Instantiate               broken escape in resources       c c c c c c c
fmi2Instantiate               resources of another scheme      v v v v v v v
fmi2Instantiate               model panics                     v v v v v v v

fmi2FreeInstance              good                             v v v v v v v

fmi2SetupExperiment           good                             o i i i i i f
fmi2SetupExperiment           with stop time                   o i i i i i f
fmi2SetupExperiment           negative start                   o i i i i i f
fmi2SetupExperiment           start NaN                        e i i i i i f
fmi2SetupExperiment           start infinite                   e i i i i i f
fmi2SetupExperiment           stop NaN                         e i i i i i f
fmi2SetupExperiment           stop infinite: there is no end   o i i i i i f
fmi2SetupExperiment           stop before start                e i i i i i f
fmi2EnterInitializationMode   none                             o i i i i i f
fmi2ExitInitializationMode    none                             i o i i i i f
fmi2ExitInitializationMode    model warns                      i w i i i i f
fmi2ExitInitializationMode    model discards                   i e i i i i f
fmi2ExitInitializationMode    model fails                      i e i i i i f
fmi2ExitInitializationMode    model panics                     i f i i i i f
fmi2Terminate                 none                             i i o o i i f
fmi2Reset                     none                             o o o o o o f
fmi2Reset                     model panics                     f f f o o o f

fmi2GetReal                   all                              i o o o o o f
fmi2GetReal                   NULL arrays, n = 0               i o o o o o f
fmi2GetReal                   NULL references, n = 1           i e e e e e f
fmi2GetReal                   NULL values, n = 1               i e e e e e f
fmi2GetReal                   unknown reference                i e e e e e f
fmi2GetReal                   reference of another type        i e e e e e f
fmi2GetReal                   largest reference                i e e e e e f
fmi2GetReal                   huge n                           i e e e e e f
fmi2GetReal                   model warns to initialize        i w o o o o f
fmi2GetReal                   model fails to initialize        i e o o o o f
fmi2GetInteger                all                              i o o o o o f
fmi2GetInteger                NULL arrays, n = 0               i o o o o o f
fmi2GetInteger                NULL references, n = 1           i e e e e e f
fmi2GetInteger                NULL values, n = 1               i e e e e e f
fmi2GetInteger                unknown reference                i e e e e e f
fmi2GetInteger                largest reference                i e e e e e f
fmi2GetInteger                huge n                           i e e e e e f
fmi2GetBoolean                all                              i o o o o o f
fmi2GetBoolean                NULL arrays, n = 0               i o o o o o f
fmi2GetBoolean                NULL references, n = 1           i e e e e e f
fmi2GetBoolean                NULL values, n = 1               i e e e e e f
fmi2GetBoolean                unknown reference                i e e e e e f
fmi2GetBoolean                reference of another type        i e e e e e f
fmi2GetBoolean                largest reference                i e e e e e f
fmi2GetBoolean                huge n                           i e e e e e f
fmi2GetString                 all                              i o o o o o f
fmi2GetString                 NULL arrays, n = 0               i o o o o o f
fmi2GetString                 NULL references, n = 1           i e e e e e f
fmi2GetString                 NULL values, n = 1               i e e e e e f
fmi2GetString                 unknown reference                i e e e e e f
fmi2GetString                 reference of another type        i e e e e e f
fmi2GetString                 largest reference                i e e e e e f
fmi2GetString                 huge n                           i e e e e e f

fmi2SetReal                   fixed parameter                  o o e i i i f
fmi2SetReal                   tunable parameter                o o o i i i f
fmi2SetReal                   input                            o o o i i i f
fmi2SetReal                   calculated output                e e e i i i f
fmi2SetReal                   constant                         e e e i i i f
fmi2SetReal                   calculated parameter             e e e i i i f
fmi2SetReal                   above the maximum                e e e i i i f
fmi2SetReal                   NaN                              e e e i i i f
fmi2SetReal                   infinite                         e e e i i i f
fmi2SetReal                   NULL arrays, n = 0               o o o i i i f
fmi2SetReal                   NULL references, n = 1           e e e i i i f
fmi2SetReal                   NULL values, n = 1               e e e i i i f
fmi2SetReal                   unknown reference                e e e i i i f
fmi2SetReal                   reference of another type        e e e i i i f
fmi2SetReal                   largest reference                e e e i i i f
fmi2SetReal                   huge n                           e e e i i i f
fmi2SetInteger                fixed parameter                  o o e i i i f
fmi2SetInteger                tunable parameter                o o o i i i f
fmi2SetInteger                input                            o o o i i i f
fmi2SetInteger                output with start value          o o e i i i f
fmi2SetInteger                above the maximum                e e e i i i f
fmi2SetInteger                NULL arrays, n = 0               o o o i i i f
fmi2SetInteger                NULL references, n = 1           e e e i i i f
fmi2SetInteger                NULL values, n = 1               e e e i i i f
fmi2SetInteger                unknown reference                e e e i i i f
fmi2SetInteger                largest reference                e e e i i i f
fmi2SetInteger                huge n                           e e e i i i f
fmi2SetBoolean                fixed parameter                  o o e i i i f
fmi2SetBoolean                input                            o o o i i i f
fmi2SetBoolean                output with start value          o o e i i i f
fmi2SetBoolean                neither 0 nor 1                  o o o i i i f
fmi2SetBoolean                NULL arrays, n = 0               o o o i i i f
fmi2SetBoolean                NULL references, n = 1           e e e i i i f
fmi2SetBoolean                NULL values, n = 1               e e e i i i f
fmi2SetBoolean                unknown reference                e e e i i i f
fmi2SetBoolean                reference of another type        e e e i i i f
fmi2SetBoolean                largest reference                e e e i i i f
fmi2SetBoolean                huge n                           e e e i i i f
fmi2SetString                 tunable parameter                o o o i i i f
fmi2SetString                 input                            o o o i i i f
fmi2SetString                 calculated output                e e e i i i f
fmi2SetString                 NULL string                      e e e i i i f
fmi2SetString                 invalid UTF-8                    o o o i i i f
fmi2SetString                 NULL arrays, n = 0               o o o i i i f
fmi2SetString                 NULL references, n = 1           e e e i i i f
fmi2SetString                 NULL values, n = 1               e e e i i i f
fmi2SetString                 unknown reference                e e e i i i f
fmi2SetString                 reference of another type        e e e i i i f
fmi2SetString                 largest reference                e e e i i i f
fmi2SetString                 huge n                           e e e i i i f

fmi2GetFMUstate               new                              o o o o o o f
fmi2GetFMUstate               into an old one                  o o o o o o f
fmi2GetFMUstate               NULL place                       e e e e e e f
fmi2GetFMUstate               into a stale one                 e e e e e e f
fmi2GetFMUstate               into a foreign one               e e e e e e f
fmi2GetFMUstate               model panics                     f f f o o o f
fmi2SetFMUstate               good                             o o o o o o f
fmi2SetFMUstate               NULL                             e e e e e e f
fmi2SetFMUstate               stale                            e e e e e e f
fmi2SetFMUstate               foreign                          e e e e e e f
fmi2SetFMUstate               a component                      e e e e e e f
fmi2FreeFMUstate              good                             o o o o o o f
fmi2FreeFMUstate              place of NULL                    o o o o o o f
fmi2FreeFMUstate              NULL place                       o o o o o o f
fmi2FreeFMUstate              stale                            e e e e e e f
fmi2FreeFMUstate              foreign                          e e e e e e f
fmi2SerializedFMUstateSize    good                             o o o o o o f
fmi2SerializedFMUstateSize    NULL place                       e e e e e e f
fmi2SerializedFMUstateSize    NULL                             e e e e e e f
fmi2SerializedFMUstateSize    stale                            e e e e e e f
fmi2SerializedFMUstateSize    foreign                          e e e e e e f
fmi2SerializeFMUstate         good                             o o o o o o f
fmi2SerializeFMUstate         one byte short                   e e e e e e f
fmi2SerializeFMUstate         NULL array, n = 0                e e e e e e f
fmi2SerializeFMUstate         NULL array, n = 1                e e e e e e f
fmi2SerializeFMUstate         NULL                             e e e e e e f
fmi2SerializeFMUstate         stale                            e e e e e e f
fmi2SerializeFMUstate         foreign                          e e e e e e f
fmi2SerializeFMUstate         huge n                           e e e e e e f
fmi2DeSerializeFMUstate       good                             o o o o o o f
fmi2DeSerializeFMUstate       one byte short                   e e e e e e f
fmi2DeSerializeFMUstate       one bit changed                  e e e e e e f
fmi2DeSerializeFMUstate       NULL array, n = 0                e e e e e e f
fmi2DeSerializeFMUstate       NULL array, n = 1                e e e e e e f
fmi2DeSerializeFMUstate       NULL place                       e e e e e e f
fmi2DeSerializeFMUstate       huge n                           e e e e e e f

fmi2GetDirectionalDerivative  good                             i e e e e e f
fmi2GetDirectionalDerivative  NULL arrays, n = 0               i e e e e e f
fmi2GetDirectionalDerivative  NULL arrays, n = 1               i e e e e e f
fmi2SetRealInputDerivatives   good                             e e e i i i f
fmi2SetRealInputDerivatives   NULL arrays, n = 0               e e e i i i f
fmi2SetRealInputDerivatives   NULL arrays, n = 1               e e e i i i f
fmi2GetRealOutputDerivatives  good                             i i o o o o f
fmi2GetRealOutputDerivatives  NULL arrays, n = 0               i i o o o o f
fmi2GetRealOutputDerivatives  NULL references, n = 1           i i e e e e f
fmi2GetRealOutputDerivatives  NULL orders, n = 1               i i e e e e f
fmi2GetRealOutputDerivatives  NULL values, n = 1               i i e e e e f
fmi2GetRealOutputDerivatives  order 0                          i i e e e e f
fmi2GetRealOutputDerivatives  no output                        i i e e e e f
fmi2GetRealOutputDerivatives  unknown reference                i i e e e e f
fmi2GetRealOutputDerivatives  huge n                           i i e e e e f

fmi2DoStep                    good                             i i o i i i f
fmi2DoStep                    to the stop time                 i i o i i i f
fmi2DoStep                    an ulp beyond the stop time      i i o i i i f
fmi2DoStep                    10 ns beyond the stop time       i i e i i i f
fmi2DoStep                    a step beyond the stop time      i i e i i i f
fmi2DoStep                    an ulp off in time               i i o i i i f
fmi2DoStep                    the same step again              i i e i i i f
fmi2DoStep                    a gap in time                    i i e i i i f
fmi2DoStep                    time NaN                         i i e i i i f
fmi2DoStep                    time infinite                    i i e i i i f
fmi2DoStep                    step 0                           i i e i i i f
fmi2DoStep                    step negative                    i i e i i i f
fmi2DoStep                    step NaN                         i i e i i i f
fmi2DoStep                    step infinite                    i i e i i i f
fmi2DoStep                    step below the resolution        i i e i i i f
fmi2DoStep                    model warns                      i i w i i i f
fmi2DoStep                    model discards                   i i d i i i f
fmi2DoStep                    model fails                      i i e i i i f
fmi2DoStep                    model panics                     i i f i i i f
fmi2DoStep                    model follows nil                i i f i i i f
fmi2CancelStep                none                             i i i i i i f

fmi2GetStatus                 fmi2DoStepStatus                 i i d d d i f
fmi2GetStatus                 fmi2PendingStatus                i i d d d i f
fmi2GetStatus                 NULL place                       i i d d d i f
fmi2GetStatus                 unknown kind                     i i e e e i f
fmi2GetRealStatus             fmi2LastSuccessfulTime           i i o o o i f
fmi2GetRealStatus             fmi2Terminated                   i i d d d i f
fmi2GetRealStatus             NULL place                       i i e e e i f
fmi2GetRealStatus             unknown kind                     i i e e e i f
fmi2GetIntegerStatus          fmi2DoStepStatus                 i i d d d i f
fmi2GetIntegerStatus          unknown kind                     i i e e e i f
fmi2GetBooleanStatus          fmi2Terminated                   i i o o o i f
fmi2GetBooleanStatus          fmi2LastSuccessfulTime           i i d d d i f
fmi2GetBooleanStatus          NULL place                       i i e e e i f
fmi2GetBooleanStatus          unknown kind                     i i e e e i f
fmi2GetStringStatus           fmi2PendingStatus                i i d d d i f
fmi2GetStringStatus           fmi2DoStepStatus                 i i d d d i f
fmi2GetStringStatus           unknown kind                     i i e e e i f

*                             NULL component                   n n n n n n n
*                             stale component                  n n n n n n n
*                             foreign component                n n n n n n n
*                             a state as component             n n n n n n n
`

// row is one line of the table.
type row struct {
	function, arguments string
	cells               []string
}

var gaps = regexp.MustCompile(`  +`)

// readCells reads the table, with the rows of * written out.
func readCells(t *testing.T) (states []string, rows []row) {
	lines := strings.Split(strings.TrimSpace(cells), "\n")
	states = strings.Fields(gaps.Split(lines[0], 3)[2])
	for _, line := range lines[1:] {
		if line == "" {
			continue
		}
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

// probe is an instance in one of the states, with all that the calls in the table are made of.
type probe struct {
	host      *fmitest.Host
	c         fmitest.Component
	state     string
	name      string
	component fmitest.Component // what is passed as component: c, or a number that is none
	saved     fmitest.State     // a good state of this FMU, in step complete
	stale     fmitest.State     // one that was freed
	bytes     []byte            // saved, serialized
}

// reach makes a probe in a state, on the shortest legal way, with no lines waiting.
func reach(t require.TestingT, state string) *probe {
	p := &probe{host: fmitest.NewHost(), state: state, name: "probe in " + state}
	p.c = p.host.Instantiate(fmitest.Usual(p.name))
	require.NotZero(t, p.c)
	p.component = p.c
	p.saveOthers(t)
	stop := 1.0
	if state != "I" {
		require.Equal(t, fmu.OK, p.c.SetupExperiment(0, &stop))
		require.Equal(t, fmu.OK, p.c.EnterInitializationMode())
	}
	if state != "I" && state != "M" {
		require.Equal(t, fmu.OK, p.c.ExitInitializationMode())
		require.Equal(t, fmu.OK, p.c.DoStep(0, 0.5))
	}
	switch state {
	case "F":
		p.stepBehaves(t, fmitest.StepDiscards, fmu.Discard)
	case "T":
		require.Equal(t, fmu.OK, p.c.Terminate())
	case "E":
		p.stepBehaves(t, fmitest.StepFails, fmu.Error)
	case "D":
		p.stepBehaves(t, fmitest.StepPanics, fmu.Fatal)
	}
	p.host.Lines()
	return p
}

func (p *probe) stepBehaves(t require.TestingT, behaviour string, want fmu.Status) {
	require.Equal(t, fmu.OK, p.behave(behaviour))
	require.Equal(t, want, p.c.DoStep(0.5, 0.25))
}

// behave sets the behaviour of the model for what comes.
func (p *probe) behave(behaviour string) fmu.Status {
	return p.c.SetString([]uint32{fmitest.StringBehaviour}, 1, []*string{&behaviour})
}

// saveOthers fills in the states: the good one comes from the instance itself while it is still in order.
func (p *probe) saveOthers(t require.TestingT) {
	require.Equal(t, fmu.OK, p.c.SetupExperiment(0, nil))
	require.Equal(t, fmu.OK, p.c.EnterInitializationMode())
	require.Equal(t, fmu.OK, p.c.ExitInitializationMode())
	require.Equal(t, fmu.OK, p.c.GetFMUstate(&p.stale))
	gone := p.stale
	require.Equal(t, fmu.OK, p.c.FreeFMUstate(&gone))
	require.Zero(t, gone)
	require.Equal(t, fmu.OK, p.c.GetFMUstate(&p.saved))
	var size uint
	require.Equal(t, fmu.OK, p.c.SerializedFMUstateSize(p.saved, &size))
	p.bytes = make([]byte, size)
	require.Equal(t, fmu.OK, p.c.SerializeFMUstate(p.saved, p.bytes, size))
	require.Equal(t, fmu.OK, p.c.Reset())
}

func (p *probe) close() {
	p.c.Free()
	p.host.Close()
}

// TestCells_EveryFunctionInEveryState calls everything everywhere and holds the answers against the table.
func TestCells_EveryFunctionInEveryState(t *testing.T) {
	states, rows := readCells(t)
	called := map[string]bool{}
	passed, total := 0, 0
	for _, r := range rows {
		called[r.function] = true
		make := caller(r)
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
			requireLine(t, lines, fmu.Error, "newcomer", r.function)
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

// statuses is what the letters stand for.
var statuses = map[string]fmu.Status{
	"o": fmu.OK, "w": fmu.Warning, "d": fmu.Discard, "e": fmu.Error, "i": fmu.Error, "n": fmu.Error, "f": fmu.Fatal,
}

func requireStatus(t *testing.T, p *probe, function, want string, got any, lines []fmitest.Line) {
	require.Equal(t, statuses[want], got, "lines: %v", lines)
	if want == "o" || want == "n" {
		require.Empty(t, lines)
		return
	}
	requireLine(t, lines, statuses[want], p.name, function)
	require.Equal(t, want == "i", strings.Contains(lines[0].Text, "illegal call sequence"), lines[0].Text)
}

// requireLine wants exactly one line, in the category of its status, under the name of the instance.
func requireLine(t *testing.T, lines []fmitest.Line, status fmu.Status, instance, function string) {
	categories := map[fmu.Status]string{fmu.Warning: "logStatusWarning", fmu.Discard: "logStatusDiscard",
		fmu.Error: "logStatusError", fmu.Fatal: "logStatusFatal"}
	require.Len(t, lines, 1)
	require.Equal(t, status, lines[0].Status)
	require.Equal(t, categories[status], lines[0].Category)
	require.True(t, strings.HasPrefix(instance, lines[0].Instance), "instance name %q", lines[0].Instance)
	require.True(t, strings.HasPrefix(lines[0].Text, function+": "), lines[0].Text)
	require.NotContains(t, lines[0].Text, "\n")
}

// recovers shows that a bad call costs no more than itself: after fmi2Error the instance is in the error state, can be reset, and
// then lives a whole life; after fmi2Fatal every other instance does.
func recovers(t *testing.T, p *probe, function, state, want string) {
	switch {
	case function == "fmi2FreeInstance" && want == "v":
		require.Equal(t, fmu.Error, p.c.Reset(), "the component must be stale")
		return
	case state == "D" || want == "f":
		other := p.host.Instantiate(fmitest.Usual("other"))
		live(t, other)
		other.Free()
		return
	case want == "e" || want == "i":
		require.Equal(t, fmu.Error, p.c.EnterInitializationMode(), "legal in the state instantiated only")
	}
	require.Equal(t, fmu.OK, p.c.Reset())
	live(t, p.c)
}

// live takes a fresh instance through a short life.
func live(t *testing.T, c fmitest.Component) {
	require.Equal(t, fmu.OK, c.SetupExperiment(1, nil))
	require.Equal(t, fmu.OK, c.EnterInitializationMode())
	require.Equal(t, fmu.OK, c.ExitInitializationMode())
	require.Equal(t, fmu.OK, c.Rounds(1, 0.5, 3))
	count := []int32{0}
	require.Equal(t, fmu.OK, c.GetInteger([]uint32{fmitest.IntegerCount}, 1, count))
	require.Equal(t, int32(3), count[0])
	require.Equal(t, fmu.OK, c.Terminate())
}

// Numbers that the calls of the table need.
var (
	anUlpBeyond1 = math.Nextafter(1, 2)
	anUlpAfter05 = math.Nextafter(0.5, 1)
)
