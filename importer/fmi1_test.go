//go:build linux && cgo

package importer_test

import (
	"context"
	"math"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

func TestFMI1_AllTypesAndNegatedAliases(t *testing.T) {
	r := newRun(open(t, testfmu.Recipe{Version: 1}), "out", "opposite", "counted", "discounted",
		"flagged", "unflagged", "texted", "resources")
	r.options.Start = []importer.StartValue{{Name: "in", Value: "0.5"}, {Name: "gain", Value: "3"},
		{Name: "count", Value: "-7"}, {Name: "mode", Value: "auto"}, {Name: "flag", Value: "1"},
		{Name: "text", Value: "größer"}}
	r.spec.Stop = timebase.Second / 10
	require.NoError(t, r.do(t))
	require.Equal(t, `"time","out","opposite","counted","discounted","flagged","unflagged"`+`
0.0,1.5,-1.5,-7,7,1,0
0.1,1.5,-1.5,-7,7,1,0
`, r.csv.String())
	require.Equal(t, []string{"größer", "größer"}, r.blobs["texted"])
	location, err := url.Parse(r.blobs["resources"][0])
	require.NoError(t, err)
	require.Equal(t, "file", location.Scheme)
	require.Equal(t, r.folder, location.Path)
}

func TestFMI1_VariablesOfTheModelDescription(t *testing.T) {
	roles := map[string]cosim.Role{}
	for _, v := range open(t, testfmu.Recipe{Version: 1}).Variables() {
		roles[v.Name] = v.Role
	}
	require.Equal(t, cosim.Parameter, roles["gain"], "an input that is a parameter")
	require.Equal(t, cosim.Parameter, roles["temperature"])
	require.Equal(t, cosim.Input, roles["in"])
	require.Equal(t, cosim.Output, roles["opposite"])

	r := newRun(open(t, testfmu.Recipe{Version: 1}))
	r.options.Start = []importer.StartValue{{Name: "opposite", Value: "1"}}
	require.ErrorIs(t, r.do(t), importer.ErrValue)
}

func TestFMI1_DerivativesOfInputs(t *testing.T) {
	f := open(t, testfmu.Recipe{Version: 1})
	table, err := cosim.ReadTable(strings.NewReader("time,in\n0,10\n0.5,15\n0.5,5\n2,5\n"),
		"ramp.csv", f.Variables())
	require.NoError(t, err)
	r := newRun(f, "out")
	r.spec = cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.25)}
	r.sources, r.options.Derivatives = []cosim.Source{table}, true
	require.NoError(t, r.do(t))
	require.Equal(t, "\"time\",\"out\"\n0.0,10.0\n0.25,12.5\n0.5,15.0\n0.75,5.0\n1.0,5.0\n",
		r.csv.String())
}

func TestFMI1_SpecialSteps(t *testing.T) {
	asynchronous := func(xml string) string {
		return strings.Replace(xml, "<Capabilities ",
			`<Capabilities canRunAsynchronuously="true" `, 1)
	}
	r := newRun(open(t, testfmu.Recipe{Version: 1, Orders: []string{"DoStep pending"},
		Describe: asynchronous}), "steps")
	require.NoError(t, r.do(t))
	require.Equal(t, int64(10), r.result.Steps)

	for order, want := range map[string]string{
		"DoStep error 0 3": "x: at 0.2 s, step 3: ",
		"DoStep crash 0 3": "SIGSEGV in fmiDoStep(currentCommunicationPoint=0.2, " +
			"communicationStepSize=0.1)",
		"DoStep discard 0 3":    "x: at 0.2 s, step 3: step discarded",
		"Initialize error":      "fmiInitializeSlave returned fmiError",
		"Instantiate crash":     "SIGSEGV in fmiInstantiateSlave",
		"FreeInstance abort":    "SIGABRT in fmiFreeSlaveInstance",
		"GetReal crash 0 2":     "SIGSEGV in fmiGetReal(out)",
		"Instantiate error 0 1": "fmiInstantiateSlave returned NULL",
	} {
		r := newRun(open(t, testfmu.Recipe{Version: 1, Orders: []string{order}}), "out")
		require.ErrorContains(t, r.do(t), want, order)
	}
	r = newRun(open(t, testfmu.Recipe{Version: 1, Orders: []string{"GetVersion version"}}))
	require.NoError(t, r.do(t))
	require.Contains(t, strings.Join(r.warnings, "\n"),
		`its library reports FMI "2.0", its model description FMI 1.0`)
}

func TestFMI1_LogsBeforeItIsInstantiated(t *testing.T) {
	r := newRun(open(t, testfmu.Recipe{Version: 1, Orders: []string{"DoStep log 0 1"}}))
	r.options.LoggingOn, r.options.Categories = true, []string{"logEvents"}
	require.NoError(t, r.do(t))
	var texts []string
	for _, m := range r.messages {
		texts = append(texts, m.Instance+": "+m.Text)
	}
	require.Equal(t, "x: instantiated", texts[0])
	require.Greater(t, len(texts), 1)
}

func TestFMI1_WarnsOfATolerance(t *testing.T) {
	f := open(t, testfmu.Recipe{Version: 1})
	require.Nil(t, f.Tolerance(), "no function takes it")
	wanted := 1e-6
	r := newRun(f)
	r.options.Tolerance = &wanted
	require.NoError(t, r.do(t))
	require.Contains(t, strings.Join(r.warnings, "\n"), "FMI 1.0 slaves receive no tolerance")
}

// A chain of FMUs works in any order of the standards, in one process and in several, and computes
// the same after a reset. It has no delay at the start.
func TestFMI1_ConnectedToOtherVersions(t *testing.T) {
	ctx, eight := context.Background(), math.Float64bits(8)
	for _, versions := range [][3]int{{1, 1, 1}, {1, 2, 1}, {3, 1, 2}} {
		for _, shared := range []bool{false, true} {
			pool := &importer.Pool{}
			e := cosim.New(cosim.Spec{Stop: timebase.Second / 2, Step: cosim.Every(0.1)})
			for k, version := range versions {
				i, err := open(t, testfmu.Recipe{Version: version}).NewInstance(
					string(rune('a'+k)), pool, importer.Options{Shared: shared,
						Start: []importer.StartValue{{Name: "gain", Value: "2"}}})
				require.NoError(t, err)
				e.Add(string(rune('a'+k)), i)
			}
			e.Connect("a.out", "b.in")
			e.Connect("b.out", "c.in")
			e.Connect("a.flagged", "c.flag")
			last, steps := e.Watch("c.out"), e.Watch("c.steps")
			require.NoError(t, e.Start(ctx))
			for range 2 {
				if versions == [3]int{1, 1, 1} { // others compute outputs when they leave the mode
					require.Equal(t, eight, last.Cells()[0])
				}
				for more := true; more; {
					var err error
					more, err = e.Step(ctx)
					require.NoError(t, err)
				}
				require.Equal(t, eight, last.Cells()[0])
				require.Equal(t, uint64(5), steps.Cells()[0])
				require.NoError(t, e.Reset(ctx))
				require.Zero(t, steps.Cells()[0])
			}
			_, err := e.Finish(ctx)
			require.NoError(t, err)
			require.NoError(t, pool.Close())
		}
	}
}
