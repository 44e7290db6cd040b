package compose_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/ssp"
	"gosmp/run/compose"
)

const model = `<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="gain" guid="g">
<CoSimulation modelIdentifier="gain" canHandleVariableCommunicationStepSize="true"/>
<ModelVariables>
<ScalarVariable name="u" valueReference="0" causality="input"><Real start="0"/></ScalarVariable>
<ScalarVariable name="y" valueReference="1" causality="output"><Real/></ScalarVariable>
<ScalarVariable name="k" valueReference="2" causality="parameter" variability="tunable">
<Real start="2"/></ScalarVariable>
</ModelVariables>
<ModelStructure><Outputs><Unknown index="2"/></Outputs></ModelStructure>
</fmiModelDescription>`

func gain(t *testing.T) string {
	name := filepath.Join(t.TempDir(), "gain.fmu")
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("modelDescription.xml")
	require.NoError(t, err)
	_, err = f.Write([]byte(model))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	require.NoError(t, os.WriteFile(name, b.Bytes(), 0o600))
	return name
}

// Two FMUs, connected, with start values and steps.
func TestSystem(t *testing.T) {
	fmu, stop := gain(t), 3.0
	s, err := compose.System(compose.Options{Name: "two", Files: []string{"a=" + fmu, "b=" + fmu},
		Connect: []string{"a.y=b.u"}, StartValues: []string{"b.k=5"}, StopTime: &stop,
		StepSizes: []string{"1/10", "b=0.2"}})
	require.NoError(t, err)
	require.Equal(t, "two", s.Name)
	require.Len(t, s.Connections, 1)
	require.Equal(t, "a.y", s.Connections[0].From.String())
	require.Equal(t, []string{"5.0"}, s.Component("b").Starts[0].Values)
	require.Equal(t, 0.1, s.Experiment.Step.Seconds)
	require.Equal(t, 0.2, s.Component("b").Step.Seconds)
	require.Equal(t, &stop, s.Experiment.Stop)
	var b bytes.Buffer
	require.NoError(t, ssp.Write(&b, s))
	require.NoError(t, s.Close())
	again := filepath.Join(t.TempDir(), "two.ssp")
	require.NoError(t, os.WriteFile(again, b.Bytes(), 0o600))
	s, err = compose.System(compose.Options{Files: []string{again}})
	require.NoError(t, err)
	require.Len(t, s.Components, 2)
	require.NoError(t, s.Close())
}

// Errors name the option, what was found, and what was expected.
func TestSystem_Refuses(t *testing.T) {
	fmu := gain(t)
	for text, o := range map[string]compose.Options{
		`--connect: found "b.v", expected b.u`: {Connect: []string{"a.y=b.v"}},
		`--start-value: found "a.l"`:           {StartValues: []string{"a.l=1"}},
		`--start-value: found "a.k", expected`: {StartValues: []string{"a.k"}},
		`--step-size: found "c"`:               {StepSizes: []string{"c=1"}},
		`--variant: found a=`:                  {Variant: "other"},
	} {
		o.Files = []string{"a=" + fmu, "b=" + fmu}
		s, err := compose.System(o)
		require.ErrorContains(t, err, text)
		if s != nil {
			require.NoError(t, s.Close())
		}
	}
}
