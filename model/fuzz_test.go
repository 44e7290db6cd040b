package model_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/internal/state"
)

// FuzzTwinState restores any bytes as the state of an instance of FMI 3.0: they are refused, or the
// instance goes on with them. With sealed they are the contents of a state whose checksum is right.
func FuzzTwinState(f *testing.F) {
	r := twins(f)[1]
	r.Write("OSMPGroundTruthInit", []byte("world"))
	r.Start()
	f.Add(r.Save(), false)
	r.Write("OSMPSensorViewIn", []byte{1, 2, 3})
	r.Step(0.5)
	data := r.Save()
	f.Add(data, false)
	f.Add(data[:len(data)-len(state.Seal(nil, 0))], true)
	f.Fuzz(func(t *testing.T, data []byte, sealed bool) {
		if sealed {
			data = state.Seal(slices.Clone(data), 0)
		}
		i := twins(t)[1].Instance()
		s, status := i.DeSerializeFMUstate(data)
		if status != fmi.OK {
			require.Nil(t, s)
			return
		}
		if i.SetFMUstate(s) <= fmi.Warning && i.State() == fmi.StepComplete {
			now := []float64{0}
			require.Equal(t, fmi.OK, i.GetReal([]fmi.ValueReference{0}, now))
			i.Advance(now[0], 0.01)
			i.GetBinary([]fmi.ValueReference{2}, make([][]byte, 1))
		}
		require.NotEqual(t, fmi.Fatal, i.Reset())
	})
}
