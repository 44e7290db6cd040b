package campaign

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/finding"
	"gosmp/run/inputs"
	"gosmp/sweep"
)

// TestSweep_Interrupted: an interrupted sweep shows how to continue, even if a signal interrupts
// it while it keeps files.
func TestSweep_Interrupted(t *testing.T) {
	s := &Sweep{Options: Options{Out: t.TempDir()}, plan: &sweep.Plan{},
		cases: []sweep.Case{{Seed: 1}}, files: inputs.New("x.fmu", nil), base: "base"}
	s.complete()
	var err error
	s.store, err = sweep.OpenStore(t.TempDir())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, s.run(ctx, func([]sweep.Case) error { return ctx.Err() }), ErrInterrupted)
	_, err = s.keep(ctx, []sweep.Result{{Row: sweep.Row{ID: "a"}}})
	require.ErrorIs(t, err, ErrInterrupted)
	require.NoError(t, s.store.Close())
}

// TestSweep_InterruptedBeforeTheFirstRow: a build server does not read the results of an earlier
// sweep, but those of this one, which has none.
func TestSweep_InterruptedBeforeTheFirstRow(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sweep.xml")
	require.NoError(t, os.WriteFile(file, []byte("<testsuite/>"), 0o600))
	s := &Sweep{Options: Options{File: "p.yaml", Out: t.TempDir(), JUnit: file, Jobs: new(int),
		WriteFile: func(name string, write func(io.Writer) error) error {
			f, err := os.Create(name)
			return errors.Join(err, write(f), f.Close())
		}}, plan: &sweep.Plan{}, cases: []sweep.Case{{Seed: 1}, {Seed: 2}},
		files: inputs.New("x.fmu", nil), base: "base", experiment: "x.fmu",
		examined: func() finding.List { return nil }}
	s.complete()
	var err error
	s.store, err = sweep.OpenStore(t.TempDir())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	results, err := s.Run(ctx)
	require.Error(t, err)
	require.Nil(t, results)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), `errors="1"`)
	require.Contains(t, string(text), "2 of 2 runs were not computed")
}

// TestOptions_CommandThatRepeatsTheSweep: it has all options that determine what is run, quoted for
// a shell.
func TestOptions_CommandThatRepeatsTheSweep(t *testing.T) {
	o := Options{File: "my plan.yaml", Out: "out", Shard: "1/2", Until: "failure",
		Require: []string{"gap > 2"}, Select: []string{"v>3"}, SUT: []string{"Ego=brake.fmu"},
		On: []string{"Ego=a.fmu", "Ego=b.fmu"}, Drive: []string{"Other=d.fmu"},
		Connect: []string{"a.y=b.u"}, StartValue: []string{"a.k=1"}, Map: "maps",
		Library: []string{"lib"}}
	require.Equal(t, "gosmp sweep 'my plan.yaml' --shard 1/2 --until failure --require 'gap > 2' "+
		"--select 'v>3' --sut Ego=brake.fmu --on Ego=a.fmu --on Ego=b.fmu --drive Other=d.fmu "+
		"--connect a.y=b.u --start-value a.k=1 --map maps --library-path lib", o.command())
	require.Equal(t, "gosmp sweep p.yaml", (&Options{File: "p.yaml"}).command())
}

// TestOptions_EachFieldIsRepeatedOrNot: a new option has to be in the table, which states whether
// the command that repeats a sweep needs it. All that it needs are there.
func TestOptions_EachFieldIsRepeatedOrNot(t *testing.T) {
	fields := map[string]bool{"File": true, "Program": true} // the plan, and gosmp itself
	o := Options{File: "p.yaml"}
	all := reflect.ValueOf(&o).Elem()
	for _, x := range options {
		fields[x.field] = true
		f := all.FieldByName(x.field)
		require.True(t, f.IsValid(), "%s: no field %s", x.name, x.field)
		switch f.Kind() {
		case reflect.String:
			f.SetString("value of " + x.name)
		case reflect.Slice:
			f.Set(reflect.ValueOf([]string{"value of " + x.name, "second of " + x.name}))
		default:
			require.Nil(t, x.values, x.name)
		}
	}
	for k := range all.NumField() {
		if field := all.Type().Field(k); field.Type.Kind() != reflect.Func {
			require.True(t, fields[field.Name], "the table has no option for %s", field.Name)
		}
	}
	for _, x := range options {
		require.Equal(t, x.values != nil, strings.Contains(o.command(), " "+x.name+" 'value of "+x.name),
			x.name)
		if all.FieldByName(x.field).Kind() == reflect.Slice {
			require.Equal(t, x.values != nil, strings.Contains(o.command(), "'second of "+x.name), x.name)
		}
	}
}

// TestSweep_UndeclaredParameter: a parameter that the scenario does not declare is reported at its
// place in the distribution, whatever the name of the file.
func TestSweep_UndeclaredParameter(t *testing.T) {
	folder := t.TempDir()
	write := func(name, content string) string {
		file := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(file, []byte(`<OpenSCENARIO><FileHeader revMajor="1" `+
			`revMinor="2"/>`+content+`</OpenSCENARIO>`), 0o600))
		return file
	}
	scene := write("s.xosc", `<ParameterDeclarations><ParameterDeclaration name="speed" `+
		`parameterType="double" value="1"/></ParameterDeclarations>`)
	for _, name := range []string{"d.xosc", "d.xml"} {
		points := write(name, `<ParameterValueDistribution><ScenarioFile filepath="s.xosc"/>`+
			`<Deterministic>`+"\n"+`<DeterministicSingleParameterDistribution parameterName="sped">`+
			`<DistributionSet><Element value="2"/></DistributionSet>`+
			`</DeterministicSingleParameterDistribution></Deterministic>`+
			`</ParameterValueDistribution>`)
		text, err := os.ReadFile(points)
		require.NoError(t, err)
		plan, err := sweep.Read(points, bytes.NewReader(text))
		require.NoError(t, err)
		s := &Sweep{experiment: scene, plan: plan}
		err = s.chooseCases()
		require.ErrorContains(t, err, name+`:2:43: DeterministicSingleParameterDistribution.`)
		require.ErrorContains(t, err, `found no parameter "sped"`)
	}
}
