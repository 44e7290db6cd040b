package convert

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/importer/ssp"
)

// writeFMU writes an FMU without a library, which can be packed and inspected.
func writeFMU(t *testing.T, folder, name string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("modelDescription.xml")
	require.NoError(t, err)
	_, err = w.Write([]byte(`<fmiModelDescription fmiVersion="2.0" modelName="` + name +
		`" guid="g"><CoSimulation modelIdentifier="m"/>
<UnitDefinitions><Unit name="bar"><BaseUnit kg="1" m="-1" s="-2" factor="1e5"/></Unit><Unit name="Pa"><BaseUnit kg="1" m="-1" s="-2"/></Unit></UnitDefinitions>
<ModelVariables><ScalarVariable name="y" valueReference="0" causality="output"><Real unit="bar"/></ScalarVariable>
<ScalarVariable name="u" valueReference="1" causality="input"><Real unit="Pa" start="0"/></ScalarVariable>
<ScalarVariable name="k" valueReference="2" causality="parameter" variability="fixed"><Integer start="1"/></ScalarVariable></ModelVariables>
<ModelStructure><Outputs><Unknown index="1"/></Outputs></ModelStructure></fmiModelDescription>`))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	full := filepath.Join(folder, name+".fmu")
	require.NoError(t, os.WriteFile(full, b.Bytes(), 0o600))
	return full
}

// The package contains what the command line specifies, in the units of the variables, and the same
// command produces the same bytes.
func TestConvert_CommandLine(t *testing.T) {
	folder := t.TempDir()
	a, stop := writeFMU(t, folder, "a"), cli.Seconds(2.5)
	c := Command{Files: []string{a, a, "third=" + a}, Out: filepath.Join(folder, "out.ssp"),
		System: systemFlags{
			Connect:    []string{"a.y=a-2.u", "a-2.y=third.u"},
			StartValue: []string{"third.k=7"}, StopTime: &stop, StepSize: []string{"0.1",
				"a-2=0.2"},
		}}
	require.NoError(t, c.Run())
	first, err := os.ReadFile(c.Out)
	require.NoError(t, err)
	require.NoError(t, c.Run())
	second, err := os.ReadFile(c.Out)
	require.NoError(t, err)
	require.Equal(t, first, second)

	s, _, err := ssp.Load(c.Out, ssp.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	require.Equal(t, "out", s.Name)
	require.Equal(t, []string{"a.y", "a-2.u", "a-2.y", "third.u"},
		[]string{s.Connections[0].From.String(), s.Connections[0].To.String(),
			s.Connections[1].From.String(), s.Connections[1].To.String()})
	require.InEpsilon(t, 1e5, s.Connections[0].Transformation.Factor, 1e-15)
	require.Equal(t, []string{"7"}, s.Component("third").Starts[0].Values)
	require.InDelta(t, 2.5, *s.Experiment.Stop, 0)
	require.InDelta(t, 0.1, s.Experiment.Step.Seconds, 0)
	require.InDelta(t, 0.2, s.Component("a-2").Step.Seconds, 0)
	require.Zero(t, s.Component("a").Step.Seconds)
}

func TestConvert_WrongUse(t *testing.T) {
	folder := t.TempDir()
	a := writeFMU(t, folder, "a")
	out := filepath.Join(folder, "out.ssp")
	for _, c := range []struct {
		flags systemFlags
		text  string
	}{
		{systemFlags{Connect: []string{"a.y"}}, "expected FMU.OUTPUT=FMU.INPUT"},
		{systemFlags{Connect: []string{"a.y=b.uu"}}, "expected b.u"},
		{systemFlags{Connect: []string{"c.y=b.u"}}, "one of the FMUs a, b"},
		{systemFlags{Connect: []string{"a.u=b.u"}}, "an output to an input"},
		{systemFlags{Connect: []string{"a.y=b.u", "b.y=b.u"}}, "the first one is from a.y"},
		{systemFlags{StartValue: []string{"a.k=x"}}, "a whole number"},
		{systemFlags{StartValue: []string{"a.y=1"}}, "not constant"},
		{systemFlags{StartValue: []string{"a.u=1[m]"}},
			"a: u: unusable start value: found the unit m"},
		{systemFlags{StartValue: []string{"a.u=1", "a.u=2"}}, "two start values"},
		{systemFlags{StepSize: []string{"c=1"}}, "the name of an FMU"},
		{systemFlags{StepSize: []string{"-1"}}, "from 1e-9"},
		{systemFlags{Variant: "x"}, "a system in a package"},
	} {
		command := Command{Files: []string{a, "b=" + a}, Out: out, System: c.flags}
		err := command.Run()
		require.ErrorContains(t, err, c.text)
		require.Equal(t, 2, cli.ExitCode(err), "%v", err)
		require.NoFileExists(t, out)
	}
}
