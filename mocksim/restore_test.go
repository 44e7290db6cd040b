package mocksim_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// sealed returns a changed state with a correct checksum.
func sealed(b []byte) []byte {
	b = b[:len(b)-4]
	return binary.LittleEndian.AppendUint32(b[:len(b):len(b)], crc32.ChecksumIEEE(b))
}

// unsealed returns a state without its magic text and its checksum.
func unsealed(w *mocksim.World) []byte {
	b := w.AppendState(nil)
	return b[16 : len(b)-4]
}

// TestRestore_RefusesImpossibleNumbers replaces each number of a state with numbers that a
// simulation cannot reach.
func TestRestore_RefusesImpossibleNumbers(t *testing.T) {
	w := mixed(t)
	create(t, w, "pedals", mocksim.Car, mocksim.OnRoad("3", -1, 20))
	_, err := w.SetControls("pedals", mocksim.Drive{Controls: []mocksim.Controls{{Throttle: 0.2,
		Gear: 1}}})
	require.NoError(t, err)
	steps(t, w, 10, 20*ms)
	saved := w.AppendState(nil)
	position := binary.LittleEndian.AppendUint64(nil, math.Float64bits(w.At(0).State().Position.X))
	at := bytes.Index(saved, position)
	require.Positive(t, at)
	for _, wrong := range []float64{math.NaN(), math.Inf(1), 1e300} {
		changed := bytes.Clone(saved)
		binary.LittleEndian.PutUint64(changed[at:], math.Float64bits(wrong))
		err := w.Restore(sealed(changed))
		require.ErrorIs(t, err, mocksim.ErrState)
		require.ErrorContains(t, err, fmt.Sprintf("found a state of %g", wrong))
	}
	stride := 1
	if testing.Short() {
		stride = 3 // comes to every position within a number
	}
	for k := 16; k+8 < len(saved); k += stride { // a wrong state is refused without a panic
		changed := bytes.Clone(saved)
		binary.LittleEndian.PutUint64(changed[k:], math.MaxUint64>>(k%60))
		_ = w.Restore(sealed(changed))
		binary.LittleEndian.PutUint64(changed[k:], math.MaxUint64) // a lane without a road
		_ = w.Restore(sealed(changed))
	}
	require.NoError(t, w.Restore(saved))
	require.Equal(t, saved, w.AppendState(nil))
}

// chance creates an actor or changes one at random.
func chance(w *mocksim.World, r *rand.Rand, name string) {
	v := w.At(r.IntN(w.Len()))
	p := v.State().Position
	driver := mocksim.Driver{Speed: 40 * r.Float64(), Steering: r.IntN(2) == 0,
		LaneChange: mocksim.LaneChanges(r.IntN(3))}
	// Impossible changes are refused and have no effect.
	switch r.IntN(5) {
	case 0:
		_ = w.SetController(v.Name(), mocksim.Controller{Driver: driver})
	case 1:
		goal := w.At(r.IntN(w.Len())).State().Position
		_ = w.SetController(v.Name(), mocksim.Controller{Driver: driver, Target: &goal})
	case 2:
		_, _ = w.SetControls(v.Name(),
			mocksim.Drive{Controls: []mocksim.Controls{{Throttle: r.Float64(),
				SteeringWheel: 3 * r.NormFloat64(), Gear: 1 - 2*r.IntN(2)}}})
	case 3:
		_, _ = w.SetTrajectory(v.Name(), mocksim.Trajectory{Start: w.Time(), End: w.Time() +
			timebase.Time(r.IntN(400))*ms, Cubic: r.IntN(2) == 0,
			Points: []mocksim.Point{{X: p.X, Y: p.Y}, {X: p.X + 3*r.NormFloat64(), Y: p.Y},
				{X: p.X + 5, Y: p.Y + 30*r.NormFloat64()}}})
	case 4:
		// also shorter than the wheelbase of the kind
		shape := mocksim.Shape{Length: 6 * r.Float64()}
		_ = w.Create(mocksim.Actor{Name: name, Kind: mocksim.Kind(r.IntN(9)), Shape: shape,
			Start: mocksim.AtPosition(p.X+20, p.Y)})
	}
}

// TestRestore_TakesWhateverIsSaved saves worlds during all kinds of moves: on and off the road,
// with bodies of any size. The restored world continues like the original one.
func TestRestore_TakesWhateverIsSaved(t *testing.T) {
	maps, err := filepath.Glob("../examples/maps/*.xodr")
	require.NoError(t, err)
	require.NotEmpty(t, maps)
	for n, name := range maps {
		o := mocksim.Options{Seed: 1, Step: 20 * ms, Freeze: n%2 == 0}
		m, err := opendrive.ReadFile(name)
		require.NoError(t, err)
		w, err := mocksim.New(m, o)
		require.NoError(t, err)
		defer w.Close()
		again, err := mocksim.New(m, o)
		require.NoError(t, err)
		defer again.Close()
		r := rand.New(rand.NewPCG(1, 9))
		require.NoError(t, w.Populate(mocksim.Traffic{Count: 6, Host: "ego",
			Driver: mocksim.Driver{Steering: true, LaneChange: mocksim.ChangeWithMOBIL}}))
		for k := range 120 {
			if r.IntN(4) == 0 {
				chance(w, r, fmt.Sprint("new", k))
			}
			require.NoError(t, again.Restore(w.AppendState(nil)), "%s, step %d", name, k)
			h := timebase.Time(1+r.IntN(300)) * ms
			require.Equal(t, steps(t, w, 1, h), steps(t, again, 1, h), "%s, step %d", name, k)
			require.True(t, bytes.Equal(w.AppendState(nil), again.AppendState(nil)), "%s, step %d",
				name, k)
		}
	}
}

// FuzzRestore restores any state with a correct checksum. An accepted state can be saved and
// restored again, and the simulation continues: Step returns and does not panic.
func FuzzRestore(f *testing.F) {
	w := world(f, "ring.xodr", mocksim.Options{Seed: 5, Step: 20 * ms})
	_ = w.Restore(nil) // measure the map before the first input
	f.Add(unsealed(w))
	for _, mode := range []func(){
		func() { require.NoError(f, w.Populate(mocksim.Traffic{Count: 2, Host: "ego"})) },
		func() {
			require.NoError(f,
				w.SetController("ego",
					mocksim.Controller{Driver: mocksim.Driver{Steering: true,
						LaneChange: mocksim.ChangeWithMOBIL}}))
		},
		func() {
			_, err := w.SetControls("ego",
				mocksim.Drive{Controls: []mocksim.Controls{{Throttle: 0.5, Gear: 1,
					SteeringWheel: 2}}})
			require.NoError(f, err)
		},
		func() {
			p := w.At(0).State().Position
			_, err := w.SetTrajectory("ego", mocksim.Trajectory{Start: w.Time(), End: w.Time() +
				200*ms, Cubic: true,
				Points: []mocksim.Point{{X: p.X, Y: p.Y}, {X: p.X + 1, Y: p.Y},
					{X: p.X + 3, Y: p.Y}}})
			require.NoError(f, err)
		},
	} {
		mode()
		steps(f, w, 5, 20*ms)
		f.Add(unsealed(w))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 16<<10 {
			return // a crowd of actors in one place is legitimate but takes a long time
		}
		saved := append([]byte("gosmp mocksim 3\n"), b...)
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
