package export

import (
	"encoding/hex"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
)

// register makes d the model of this library for one test.
func register(t *testing.T, d func() *fmu.Definition) {
	t.Cleanup(func() { registered, guid, startValues, once, shared, wrong = nil, "", "", sync.Once{}, nil, nil })
	Register(d)
}

func simple() *fmu.Definition {
	d := &fmu.Definition{
		ModelName: "Plain", ModelIdentifier: "Plain", GUID: "of the definition", Experiment: fmu.Experiment{Stop: 1, Step: 1},
		New: func(fmu.Host) fmu.Model { return nil },
	}
	limit := 10.0
	d.Variables.Add(fmu.Variable{Name: "gain", Type: fmi.Real, Causality: fmi.Parameter, Variability: fmi.Fixed, Initial: fmi.Exact, Start: 2.0, Max: &limit})
	return d
}

func TestDefinition_AsThePackerHasLinkedIt(t *testing.T) {
	register(t, simple)
	d, err := build()
	require.NoError(t, err)
	require.Equal(t, "of the definition", d.GUID)
	require.Equal(t, 2.0, d.Variables.Named("gain").Start)

	overridden := simple()
	gain := overridden.Variables.Named("gain")
	gain.Start = 3.0
	guid, startValues = "of the packer", hex.EncodeToString(fmu.AppendStart(nil, gain))
	d, err = build()
	require.NoError(t, err)
	require.Equal(t, "of the packer", d.GUID)
	require.Equal(t, 3.0, d.Variables.Named("gain").Start)

	gain.Start = 11.0
	startValues = hex.EncodeToString(fmu.AppendStart(nil, gain))
	_, err = build()
	require.ErrorContains(t, err, "11 is above the maximum 10", "what was linked is checked, too")
	startValues = "no digits"
	_, err = build()
	require.ErrorContains(t, err, "start values that are not from the packer")
}

func TestDefinition_MistakesAreTold(t *testing.T) {
	_, err := build()
	require.ErrorContains(t, err, "has not called export.Register")
	register(t, func() *fmu.Definition {
		d := simple()
		d.ModelName = ""
		return d
	})
	_, err = build()
	require.ErrorContains(t, err, "modelName is empty")
}

// The definition is made once. If that panics, the first caller gets the panic and all others an error, not half a definition.
func TestDefinition_PanicIsRemembered(t *testing.T) {
	made := 0
	register(t, func() *fmu.Definition {
		made++
		panic("boom")
	})
	require.PanicsWithValue(t, "boom", func() { _, _ = definition() })
	for range 2 {
		d, err := definition()
		require.Nil(t, d)
		require.ErrorIs(t, err, fmu.ErrPanic)
	}
	require.Equal(t, 1, made)
}
