package model_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/state"
	"gosmp/model/modeltest"
)

// FuzzTwinState restores any bytes as the state of an FMI 3.0 instance: either they are refused, or
// the instance continues from them. With sealed, they are the content of a state whose checksum is
// correct.
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

// FuzzWaitingState changes the state of an instance whose results are waiting for Event Mode.
// Either the state is refused, or the instance handles the event and continues; an unchanged state
// gives the same message.
func FuzzWaitingState(f *testing.F) {
	waiting := func(t modeltest.T) (clocked, []byte) {
		c := clocked{receiver3(t, fmu.Options3{EventModeUsed: true})}
		c.Start()
		c.Instance().UpdateDiscreteStates()
		c.Instance().EnterStepMode()
		c.Instance().Advance(0, 0.4)
		return c, c.Save()
	}
	_, good := waiting(f)
	f.Add(0, []byte{})
	for at := 0; at < len(good); at += 40 {
		f.Add(at, []byte{0xff, 0xff, 0xff, 0x7f})
	}
	f.Fuzz(func(t *testing.T, at int, change []byte) {
		data := slices.Clone(good[:len(good)-len(state.Seal(nil, 0))])
		if at >= 0 && at < len(data) {
			copy(data[at:], change)
		}
		changed := !slices.Equal(data, good[:len(data)])
		c, _ := waiting(t)
		i := c.Instance()
		s, status := i.DeSerializeFMUstate(state.Seal(data, 0))
		if status == fmi.OK && i.SetFMUstate(s) <= fmi.Warning && i.State() == fmi.StepComplete &&
			i.EnterEventMode() == fmi.OK {
			tick, text := c.read()
			require.True(t, changed || tick && text == "fix 1 at 0.400000000s", text)
			i.UpdateDiscreteStates()
			i.EnterStepMode()
			now := []float64{0}
			require.Equal(t, fmi.OK, i.GetReal([]fmi.ValueReference{0}, now))
			i.Advance(now[0], 0.01)
		} else {
			require.True(t, changed)
		}
		require.NotEqual(t, fmi.Fatal, i.Reset())
	})
}
