package truth_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/truth"
)

// hundred returns traffic with 100 vehicles on the ring.
func hundred(t testing.TB) (*mocksim.World, *truth.Maker) {
	m, err := opendrive.ReadFile("../testdata/ring.xodr")
	require.NoError(t, err)
	w, err := mocksim.New(m, mocksim.Options{Seed: 1})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	require.NoError(t, w.Populate(mocksim.Traffic{Count: 99, Host: "ego"}))
	made, err := truth.New(w, truth.Options{Host: "ego"})
	require.NoError(t, err)
	return w, made
}

func TestSensorView_OfAHundredActorsIsSmall(t *testing.T) {
	w, m := hundred(t)
	for k := range 200 {
		step(t, w, 1)
		b, err := m.SensorView()
		require.NoError(t, err)
		if k > 0 {
			require.Less(t, len(b), 40_000)
		}
	}
}

func TestSensorView_AHundredMovingActorsAllocateNothing(t *testing.T) {
	w, m := hundred(t)
	for range 50 * 100 { // one round for all vehicles
		_, err := w.Step(20 * ms)
		require.NoError(t, err)
	}
	for range 3 {
		_, err := m.SensorView()
		require.NoError(t, err)
	}
	require.Zero(t, testing.AllocsPerRun(300, func() {
		_, _ = w.Step(20 * ms)
		_, _ = m.SensorView()
	}))
}

// BenchmarkSensorView measures a step with 100 vehicles and its message.
func BenchmarkSensorView(b *testing.B) {
	w, m := hundred(b)
	step(b, w, 100)
	b.ReportAllocs()
	for b.Loop() {
		_, _ = w.Step(20 * ms)
		_, _ = m.SensorView()
	}
}
