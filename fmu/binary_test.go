package fmu_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
	"gosmp/timebase"
)

// echo copies its binary input to its output, prefixed with the step number.
type echo struct {
	*fmu.Values
	steps byte
}

func (e *echo) Initialize(timebase.Time) error { return nil }
func (e *echo) Reset()                         { e.steps = 0 }
func (e *echo) Close()                         {}

func (e *echo) Step(timebase.Span) error {
	e.steps++
	e.Binaries[1] = append(append(e.Binaries[1][:0], e.steps), e.Binaries[0]...)
	return nil
}

func (e *echo) AppendState(b []byte) ([]byte, error) { return append(b, e.steps), nil }
func (e *echo) RestoreState(b []byte) error          { e.steps = b[0]; return nil }

// echoDefinition returns a definition with variables of all types, so that in FMI 3.0 their value
// references differ from their indices.
func echoDefinition() *fmu.Definition {
	d := &fmu.Definition{ModelName: "Echo", ModelIdentifier: "Echo", GUID: guid,
		Experiment: fmu.Experiment{Stop: 1, Step: 0.1}, New: func(h fmu.Host) fmu.Model {
			return &echo{Values: h.Values}
		}}
	for _, v := range []fmu.Variable{
		{Name: "gain", Type: fmi.Real, Causality: fmi.Parameter, Variability: fmi.Fixed,
			Initial: fmi.Exact, Start: 2.0},
		{Name: "in", Type: fmi.Binary, Causality: fmi.Input, Variability: fmi.Discrete,
			Start: []byte("start"), MaxSize: 8},
		{Name: "count", Type: fmi.Integer, Causality: fmi.Input, Variability: fmi.Discrete,
			Start: int32(3)},
		{Name: "out", Type: fmi.Binary, Causality: fmi.Output, Variability: fmi.Discrete,
			Initial: fmi.Exact, Start: []byte{}, MIMEType: "application/octet-stream"},
		{Name: "name", Type: fmi.String, Causality: fmi.Parameter, Variability: fmi.Fixed,
			Initial: fmi.Exact, Start: "echo"},
	} {
		d.Variables.Add(v)
	}
	return d
}

// newEcho returns an FMI 3.0 instance, ready to step from 0.
func newEcho(t require.TestingT) (*fmu.Instance, *mock.Log) {
	log := &mock.Log{}
	d := echoDefinition()
	require.NoError(t, d.Check())
	i, err := fmu.Instantiate(d, fmu.Config{Version: fmi.FMI3, InstanceName: "e", GUID: guid,
		Deliver: log.Deliver, LoggingOn: true})
	require.NoError(t, err)
	for _, status := range []fmi.Status{i.Initialize(fmu.ExperimentSetup{}),
		i.ExitInitializationMode()} {
		require.Equal(t, fmi.OK, status)
	}
	return i, log
}

func binaryValue(t require.TestingT, i *fmu.Instance, ref fmi.ValueReference) []byte {
	values := make([][]byte, 1)
	require.Equal(t, fmi.OK, i.GetBinary(refs(ref), values))
	return values[0]
}

// Set copies the bytes: the caller may overwrite its buffer at once, and the instance keeps the
// original values.
func TestBinary_ValuesAreCopiedInAndSavedWithTheState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i, _ := newEcho(t)
		require.Equal(t, "start", string(binaryValue(t, i, 1)))
		require.Empty(t, binaryValue(t, i, 3))
		data := rapid.SliceOfN(rapid.Byte(), 0, 8).Draw(t, "data")
		given := slices.Clone(data)
		require.Equal(t, fmi.OK, i.SetBinary(refs(1), [][]byte{given}))
		clear(given)
		require.Equal(t, fmi.OK, i.DoStep(0, 0.1))
		want := append([]byte{1}, data...)
		require.Equal(t, want, binaryValue(t, i, 3))

		saved, status := i.GetFMUstate(nil)
		require.Equal(t, fmi.OK, status)
		require.Equal(t, fmi.OK, i.SetBinary(refs(1), [][]byte{{9, 9}}))
		require.Equal(t, fmi.OK, i.DoStep(0.1, 0.1))
		require.NotEqual(t, want, binaryValue(t, i, 3))
		require.Equal(t, fmi.OK, i.SetFMUstate(saved))
		require.Equal(t, want, binaryValue(t, i, 3))
		require.Equal(t, fmi.OK, i.DoStep(0.1, 0.1))
		require.Equal(t, append([]byte{2}, data...), binaryValue(t, i, 3),
			"the input was saved, too")
		require.Equal(t, fmi.OK, i.Reset())
		require.Equal(t, fmi.OK, i.EnterInitializationMode())
		require.Equal(t, "start", string(binaryValue(t, i, 1)))
	})
}

func TestBinary_RefusedValues(t *testing.T) {
	for text, call := range map[string]func(i *fmu.Instance) fmi.Status{
		"fmi3SetBinary: wrong argument: in: 9 bytes exceed the maximum size 8": func(i *fmu.Instance) fmi.Status {
			return i.SetBinary(refs(1), [][]byte{make([]byte, 9)})
		},
		"fmi3SetBinary: unknown valueReference: 2 is count of type Integer, expected Binary": func(
			i *fmu.Instance) fmi.Status {
			return i.SetBinary(refs(2), [][]byte{nil})
		},
		"fmi3GetBinary: unknown valueReference: 5, expected a number below 5": func(i *fmu.Instance) fmi.Status {
			return i.GetBinary(refs(5), make([][]byte, 1))
		},
		"out is discrete output": func(i *fmu.Instance) fmi.Status {
			return i.SetBinary(refs(3), [][]byte{nil})
		},
	} {
		i, log := newEcho(t)
		require.Equal(t, fmi.Error, call(i))
		oneLine(t, log, fmi.Error, text)
	}
}

// In FMI 3.0 all variables share one space of value references. Indices, which models use, are the
// same in both versions.
func TestReferences_OfFMI3CountOverAllTypes(t *testing.T) {
	i, _ := newEcho(t)
	integers, strings, reals := make([]int32, 1), make([]string, 1), make([]float64, 1)
	require.Equal(t, fmi.OK, i.SetInteger(refs(2), []int32{7}))
	require.Equal(t, fmi.OK, i.GetInteger(refs(2), integers))
	require.Equal(t, fmi.OK, i.GetString(refs(4), strings))
	require.Equal(t, fmi.OK, i.GetReal(refs(0), reals))
	require.Equal(t, []any{int32(7), "echo", 2.0}, []any{integers[0], strings[0], reals[0]})

	d := echoDefinition()
	old, err := fmu.Instantiate(d, fmu.Config{InstanceName: "e", GUID: guid})
	require.NoError(t, err)
	require.Equal(t, fmi.OK, old.SetupExperiment(fmu.ExperimentSetup{}))
	require.Equal(t, fmi.OK, old.EnterInitializationMode())
	require.Equal(t, fmi.OK, old.SetInteger(refs(0), []int32{7}), "FMI 2.0 counts each type")
	seen := map[fmi.ValueReference]bool{}
	for _, v := range d.Variables.All() {
		require.False(t, seen[v.Reference(fmi.FMI3)], v.Name)
		seen[v.Reference(fmi.FMI3)] = true
	}
}

func TestBinary_HotPathAllocatesNothing(t *testing.T) {
	i, _ := newEcho(t)
	in, out, data, values := refs(1), refs(3), [][]byte{[]byte("12345678")}, make([][]byte, 1)
	now := 0.0
	round := func() {
		i.SetBinary(in, data)
		if i.DoStep(now, 0.125) != fmi.OK || i.GetBinary(out, values) != fmi.OK {
			t.Fatal("refused")
		}
		now += 0.125
	}
	round()
	require.Zero(t, testing.AllocsPerRun(50, round))
}

func TestCheck_Binaries(t *testing.T) {
	for text, change := range map[string]func(v *fmu.Variable){
		"start value text (string) is not of type Binary": func(v *fmu.Variable) {
			v.Start = "text"
		},
		"9 bytes exceed the maximum size 8": func(v *fmu.Variable) {
			v.Start = make([]byte, 9)
		},
		"maximum size -1 is below 0": func(v *fmu.Variable) {
			v.MaxSize = -1
		},
		"Binary cannot be continuous": func(v *fmu.Variable) {
			v.Variability = fmi.Continuous
		},
		"Integer cannot have a MIME type or a maximum size": func(v *fmu.Variable) {
			v.Type, v.Start = fmi.Integer, int32(0)
		},
		"type Int32, expected one of [Real Integer Boolean String Binary ": func(v *fmu.Variable) {
			v.Type = fmi.Int32
		},
		"FMI 2.0 has no type Clock": func(v *fmu.Variable) { v.Type = fmi.Clock },
	} {
		d := echoDefinition()
		v := *d.Variables.Named("in")
		v.Name = "other"
		change(&v)
		d.Variables.Add(v)
		err := d.Check()
		require.ErrorIs(t, err, fmu.ErrDefinition)
		require.ErrorContains(t, err, `variable "other": `+text)
	}
}

// TestCounted checks that a wrong number of values is refused before any value is looked at.
func TestCounted(t *testing.T) {
	for n, expected := range map[int]fmi.Status{0: fmi.Error, 1: fmi.OK, 2: fmi.Error} {
		i, log := newEcho(t)
		require.Equal(t, expected, i.Counted(fmu.SetBinary, fmi.Binary, refs(1), n), "%d", n)
		if expected != fmi.OK {
			oneLine(t, log, fmi.Error, "fmi3SetBinary: nValues: wrong argument")
		}
	}
	i, _ := newEcho(t)
	require.Equal(t, fmi.OK, i.Counted(fmu.SetBinary, fmi.Binary, refs(99), 2))
}
