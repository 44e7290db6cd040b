package mocksim_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/frames"
	"gosmp/mocksim"
)

// TestPopulate_MotionAtTheStart checks that accelerations and rates are the derivatives of the pose
// already before the first step, and for vehicles that enter later.
func TestPopulate_MotionAtTheStart(t *testing.T) {
	maps := mapsOf("../examples", "testdata")
	if !testing.Short() {
		maps = append(maps, mapsOf("../../shared/data/xodr")...)
	}
	turning, entered := 0, 0
	for _, path := range maps {
		if rough[filepath.Base(path)] != "" {
			continue
		}
		m := readMap(t, path)
		for _, traffic := range []mocksim.Traffic{{Count: 12}, {Flow: 1800}} {
			w, err := mocksim.New(m, mocksim.Options{Seed: 3})
			require.NoError(t, err)
			if w.Populate(traffic) != nil { // no room, or no edge
				w.Close()
				continue
			}
			known, near := map[string]bool{}, newAudit(1*ms)
			for range 40 {
				fresh := unmoved(w, known)
				near.step(w)
				steps(t, w, 1, 1*ms)
				for name, was := range fresh {
					if v, err := w.Actor(name); err != nil || !near.smooth(v) {
						continue // it left, or is at a joint of two curvatures
					}
					v, _ := w.Actor(name)
					now := v.State()
					if traffic.Flow == 0 {
						require.InDelta(t, now.Along, was.Along, 0.02, "%s %s", path, name)
					}
					turning += compareStart(t, path+" "+name, &was, &now)
				}
				if traffic.Flow == 0 {
					break
				}
				entered += len(fresh)
				unmoved(w, known)
				steps(t, w, 1, 200*ms)
			}
			w.Close()
		}
	}
	require.Positive(t, turning)
	require.Positive(t, entered)
}

// unmoved returns the states of the vehicles that are not yet known, and adds them.
func unmoved(w *mocksim.World, known map[string]bool) map[string]mocksim.State {
	list := map[string]mocksim.State{}
	for k := range w.Len() {
		if v := w.At(k); !known[v.Name()] {
			known[v.Name()] = true
			list[v.Name()] = v.State()
		}
	}
	return list
}

// compareStart compares a state with the derivatives over a step of 1 ms, and returns 1 if the
// vehicle turns. Vehicles that enter do not know yet who has priority ahead, so their acceleration
// along the lane may change.
func compareStart(t *testing.T, place string, was, now *mocksim.State) int {
	t.Helper()
	const h = 1e-3
	change := now.Velocity.Sub(was.Velocity).Scale(1 / h)
	expected := was.Acceleration.Add(was.Velocity.Scale((now.Along - was.Along) / was.Speed))
	require.InDelta(t, 0, change.Sub(expected).Length(), 0.03, "%s: %+v %+v", place, was, now)
	yaw := frames.WrapAngle(now.Orientation.Yaw-was.Orientation.Yaw) / h
	require.InDelta(t, yaw-(now.Rate.Yaw-was.Rate.Yaw)/2, was.Rate.Yaw, 2e-3, place)
	pitch := (now.Orientation.Pitch - was.Orientation.Pitch) / h
	require.InDelta(t, pitch-(now.Rate.Pitch-was.Rate.Pitch)/2, was.Rate.Pitch, 2e-3, place)
	if yaw > 0.02 || yaw < -0.02 {
		return 1
	}
	return 0
}
