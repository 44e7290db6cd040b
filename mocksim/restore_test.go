package mocksim_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/timebase"
)

// sealed is a state with a correct checksum, whatever has been changed in it.
func sealed(b []byte) []byte {
	b = b[:len(b)-4]
	return binary.LittleEndian.AppendUint32(b[:len(b):len(b)], crc32.ChecksumIEEE(b))
}

// unsealed is a state without its magic text and its checksum.
func unsealed(w *mocksim.World) []byte {
	b := w.AppendState(nil)
	return b[16 : len(b)-4]
}

// TestRestore_RefusesImpossibleNumbers puts numbers that no simulation reaches in the place of each
// number of a state.
func TestRestore_RefusesImpossibleNumbers(t *testing.T) {
	w := mixed(t)
	create(t, w, "pedals", mocksim.Car, mocksim.OnRoad("3", -1, 20))
	_, err := w.SetControls("pedals", mocksim.Drive{Controls: []mocksim.Controls{{Throttle: 0.2, Gear: 1}}})
	require.NoError(t, err)
	steps(t, w, 10, 20*ms)
	saved := w.AppendState(nil)
	position := binary.LittleEndian.AppendUint64(nil, math.Float64bits(w.At(0).State().Position.X))
	at := bytes.Index(saved, position)
	require.Positive(t, at)
	for _, wrong := range []float64{math.NaN(), math.Inf(1), 1e300} {
		changed := bytes.Clone(saved)
		binary.LittleEndian.PutUint64(changed[at:], math.Float64bits(wrong))
		require.ErrorIs(t, w.Restore(sealed(changed)), mocksim.ErrState)
	}
	for k := 16; k+8 < len(saved); k++ { // whatever is accepted can be saved again, and go on
		changed := bytes.Clone(saved)
		binary.LittleEndian.PutUint64(changed[k:], math.MaxUint64>>(k%60))
		_ = w.Restore(sealed(changed))
		binary.LittleEndian.PutUint64(changed[k:], math.MaxUint64) // for a road: none, beside a lane of one
		_ = w.Restore(sealed(changed))
	}
	require.NoError(t, w.Restore(saved))
	require.Equal(t, saved, w.AppendState(nil))
}

// FuzzRestore restores whatever has a correct checksum. What is accepted can be saved and restored
// again, and goes on: Step ends, and does not panic.
func FuzzRestore(f *testing.F) {
	w := world(f, "ring.xodr", mocksim.Options{Seed: 5, Step: 20 * ms})
	_ = w.Restore(nil) // the map has been measured before the first input
	f.Add(unsealed(w))
	for _, mode := range []func(){
		func() { require.NoError(f, w.Populate(mocksim.Traffic{Count: 2, Host: "ego"})) },
		func() {
			require.NoError(f, w.SetController("ego", mocksim.Controller{Driver: mocksim.Driver{Steering: true, LaneChange: mocksim.ChangeWithMOBIL}}))
		},
		func() {
			_, err := w.SetControls("ego", mocksim.Drive{Controls: []mocksim.Controls{{Throttle: 0.5, Gear: 1, SteeringWheel: 2}}})
			require.NoError(f, err)
		},
		func() {
			p := w.At(0).State().Position
			_, err := w.SetTrajectory("ego", mocksim.Trajectory{Start: w.Time(), End: w.Time() + 200*ms, Cubic: true,
				Points: []mocksim.Point{{X: p.X, Y: p.Y}, {X: p.X + 1, Y: p.Y}, {X: p.X + 3, Y: p.Y}}})
			require.NoError(f, err)
		},
	} {
		mode()
		steps(f, w, 5, 20*ms)
		f.Add(unsealed(w))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 16<<10 {
			return // a crowd of actors at one place is honest work, and takes its time
		}
		saved := append([]byte("gosmp mocksim 2\n"), b...)
		if w.Restore(binary.LittleEndian.AppendUint32(saved, crc32.ChecksumIEEE(saved))) != nil {
			return
		}
		require.NoError(t, w.Restore(w.AppendState(nil)))
		for _, h := range []timebase.Time{20 * ms, 1, timebase.Second} {
			steps(t, w, 1, h)
		}
		_ = w.AppendState(nil)
	})
}
