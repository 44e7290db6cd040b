package export

import (
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
)

// register makes d the model of this library for one test.
func register(t *testing.T, d func() *fmu.Definition) {
	t.Cleanup(func() {
		registered, guid, startValues = nil, "", ""
		declarations = [fmi.FMI3 + 1]declared{}
	})
	Register(d)
}

func simple() *fmu.Definition {
	d := &fmu.Definition{
		ModelName: "Plain", ModelIdentifier: "Plain", GUID: "of the definition",
		Experiment: fmu.Experiment{Stop: 1, Step: 1}, New: func(fmu.Host) fmu.Model { return nil },
	}
	limit := 10.0
	d.Variables.Add(fmu.Variable{Name: "gain", Type: fmi.Real, Causality: fmi.Parameter,
		Variability: fmi.Fixed, Initial: fmi.Exact, Start: 2.0, Max: &limit})
	d.Variables.Add(fmu.Variable{Name: "label", Type: fmi.String, Causality: fmi.Parameter,
		Variability: fmi.Fixed, Initial: fmi.Exact, Start: ""})
	return d
}

func TestDefinition_AsThePackerHasLinkedIt(t *testing.T) {
	register(t, simple)
	d, err := build(fmi.FMI2)
	require.NoError(t, err)
	require.Equal(t, "of the definition", d.GUID)
	require.Equal(t, 2.0, d.Variables.Named("gain").Start)

	guid, startValues = "of the packer",
		url.Values{"gain": {"3"}, "label": {"a=b & 'c' 100 %\n\"ü\""}}.Encode()
	require.NotRegexp(t, `[\s'"]`, startValues, "it is a flag of the linker")
	d, err = build(fmi.FMI2)
	require.NoError(t, err)
	require.Equal(t, "of the packer", d.GUID)
	require.Equal(t, 3.0, d.Variables.Named("gain").Start)
	require.Equal(t, "a=b & 'c' 100 %\n\"ü\"", d.Variables.Named("label").Start)

	for values, text := range map[string]string{
		"gain=11":  "start value of gain: 11 is above the maximum 10",
		"nobody=1": `unknown variable "nobody"`,
		"gain=%zz": "start values that are not from the packer",
	} {
		startValues = values
		_, err = build(fmi.FMI2)
		require.ErrorIs(t, err, fmu.ErrDefinition)
		require.ErrorContains(t, err, text)
	}
}

func TestDefinition_MistakesAreReported(t *testing.T) {
	_, err := build(fmi.FMI2)
	require.ErrorContains(t, err, "did not call export.Register")
	register(t, func() *fmu.Definition {
		d := simple()
		d.ModelName = ""
		return d
	})
	_, err = build(fmi.FMI2)
	require.ErrorContains(t, err, "modelName is empty")
}

// The definition is built once. If building panics, the first caller receives the panic and all
// others receive an error, not a partial definition.
func TestDefinition_PanicIsRemembered(t *testing.T) {
	made := 0
	register(t, func() *fmu.Definition {
		made++
		panic("boom")
	})
	require.PanicsWithValue(t, "boom", func() { _, _ = definition(fmi.FMI2) })
	for range 2 {
		d, err := definition(fmi.FMI2)
		require.Nil(t, d)
		require.ErrorIs(t, err, fmu.ErrPanic)
	}
	require.Equal(t, 1, made)
}
