package mocksim_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/frames"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// audit compares the states of all actors with the differences between steps and with the
// capabilities of vehicles.
type audit struct {
	h      timebase.Time
	coarse bool // the step is too long for a comparison with differences of positions
	before map[string]mocksim.State
	place  map[string]mocksim.Place
	breaks map[*opendrive.Lane][]float64
	found  map[string]string // the first place of each kind of finding
	counts map[string]int
}

func newAudit(h timebase.Time) *audit {
	return &audit{h: h, before: map[string]mocksim.State{}, found: map[string]string{},
		place: map[string]mocksim.Place{}, breaks: map[*opendrive.Lane][]float64{},
		counts: map[string]int{}}
}

func (a *audit) report(w *mocksim.World, v mocksim.View, kind, format string, args ...any) {
	a.counts[kind]++
	if a.found[kind] == "" {
		p := v.Place()
		a.found[kind] = fmt.Sprintf("%s %s (%s) on %v at %.2f m, %.3f m/s: ", w.Time(), v.Name(),
			v.Kind(), p.Lane, p.S, v.State().Speed) +
			fmt.Sprintf(format, args...)
	}
}

// The limits of vehicles under the simulator's own control.
const (
	mostLateral = 3.0 // m/s2, for a driver that prefers 2
	mostYawRate = 1.2 // rad/s
	mostSteer   = 0.6 // rad
	// The largest difference between the velocity and the derivative of the position, m/s.
	mostJump = 1e-5
	// Within this distance of a joint of roads, elements or records, in m, the acceleration can
	// change by this amount and back in a step, in m/s2, which the states before and after the step
	// do not show. It contributes h/8 of it to the difference.
	nearJoint, mostJolt = 0.6, 1.0
	// When a standing vehicle starts a lane change, its place on the other lane is found by Newton's
	// method, m.
	mostRounding = 1e-10
)

func (a *audit) step(w *mocksim.World) {
	for k := range w.Len() {
		v := w.At(k)
		now := v.State()
		if before, ok := a.before[v.Name()]; ok {
			a.compare(w, v, &before, &now)
		}
		a.before[v.Name()] = now
		a.place[v.Name()] = v.Place()
	}
}

// smooth reports whether a vehicle met no joint in the last step.
func (a *audit) smooth(v mocksim.View) bool {
	before, now := a.place[v.Name()], v.Place()
	if now.Lane == nil || now.Lane != before.Lane {
		return false
	}
	list, ok := a.breaks[now.Lane]
	if !ok {
		list = now.Lane.Breaks()
		a.breaks[now.Lane] = list
	}
	k, _ := slices.BinarySearch(list, min(before.S, now.S)-nearJoint)
	return k == len(list) || list[k] > max(before.S, now.S)+nearJoint
}

func (a *audit) compare(w *mocksim.World, v mocksim.View, b, s *mocksim.State) {
	if !a.coarse {
		a.derivatives(w, v, b, s)
	}
	a.limits(w, v, b, s)
}

// derivatives compares the velocity with the difference of positions, and the yaw rate with the
// difference of yaws.
func (a *audit) derivatives(w *mocksim.World, v mocksim.View, b, s *mocksim.State) {
	h := a.h.Seconds()
	// The integral of a smooth velocity over a step is known to h^5/720 of its fourth derivative
	// from its values and derivatives at both ends. A jump of the acceleration by J within the step
	// adds at most h^2/12 J.
	ahead := frames.Vector{X: math.Cos(b.Orientation.Yaw), Y: math.Sin(b.Orientation.Yaw)}
	direction := s.Velocity
	if b.Speed > s.Speed {
		direction = b.Velocity
	}
	began := b.Acceleration // at the start of this step
	if v := max(b.Speed, s.Speed); v > 0 {
		began = began.Add(direction.Scale((s.Along - b.Along) / v))
	}
	change := s.Acceleration.Sub(began)
	mean := b.Velocity.Add(s.Velocity).Scale(0.5).Sub(change.Scale(h / 12))
	off := s.Position.Sub(b.Position).Scale(1 / h).Sub(mean)
	most := mostJump + h/12*change.Length()
	if !a.smooth(v) {
		most += h / 8 * mostJolt
	}
	if d := off.Length(); d > most {
		a.report(w, v, "velocity", "%.3g m/s ahead, %.3g aside and %.3g up from the difference "+
			"of positions, at most %.3g", off.X*ahead.X+off.Y*ahead.Y,
			off.Y*ahead.X-off.X*ahead.Y, off.Z, most)
	}
	turned := frames.WrapAngle(s.Orientation.Yaw - b.Orientation.Yaw)
	if d := math.Abs(turned/h -
		(s.Rate.Yaw+b.Rate.Yaw)/2); d > 0.01+0.51*math.Abs(s.Rate.Yaw-b.Rate.Yaw) {
		a.report(w, v, "yaw rate against yaw", "%.3g rad/s", d)
	}
}

// limits compares a state with the capabilities of its vehicle, and its speed with its acceleration.
func (a *audit) limits(w *mocksim.World, v mocksim.View, b, s *mocksim.State) {
	h := a.h.Seconds()
	if d := math.Abs(s.Speed-b.Speed-h*s.Along) / h; d > 1e-3 {
		a.report(w, v, "speed", "the speed changes by %.3g m/s2, not by the acceleration", d)
	}
	c, n := math.Cos(s.Orientation.Yaw), math.Sin(s.Orientation.Yaw)
	if side := s.Velocity.Y*c - s.Velocity.X*n; math.Abs(side) > 1e-6+1e-3*math.Abs(s.Velocity.Z) {
		a.report(w, v, "motion across the heading", "%.3g m/s", side)
	}
	if lateral := s.Acceleration.Y*c - s.Acceleration.X*n; math.Abs(lateral) > mostLateral {
		a.report(w, v, "lateral acceleration", "%.3g m/s2", lateral)
	}
	if s.Along > v.Shape().Acceleration+1e-9 || s.Along < -min(9, v.Shape().Brake)-1e-9 {
		a.report(w, v, "acceleration", "%.3g m/s2", s.Along)
	}
	if math.Abs(s.Rate.Yaw) > mostYawRate {
		a.report(w, v, "yaw rate", "%.3g rad/s", s.Rate.Yaw)
	}
	if math.Abs(s.Steering) > mostSteer-1e-9 {
		a.report(w, v, "steering", "%.3g rad", s.Steering)
	}
	if s.Speed == 0 && s.Position.Sub(b.Position).Length() > b.Speed*h+mostRounding {
		a.report(w, v, "motion at standstill", "%.3g m", s.Position.Sub(b.Position).Length())
	}
}

func (a *audit) lines() (list []string) {
	for kind, place := range a.found {
		list = append(list, fmt.Sprintf("%s (%d times): %s", kind, a.counts[kind], place))
	}
	slices.Sort(list)
	return list
}

// drive simulates traffic on a map, and returns the findings of an audit and the collisions.
func drive(t testing.TB, m *opendrive.Map, count int, seed uint64, h, stop timebase.Time,
	checked bool) (findings []string, w *mocksim.World) {
	t.Helper()
	w, err := mocksim.New(m, mocksim.Options{Seed: seed})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	for ; count > 0; count /= 2 {
		driver := mocksim.Driver{}
		if seed%2 == 0 {
			driver.LaneChange = mocksim.ChangeWithMOBIL
		}
		if err = w.Populate(mocksim.Traffic{Count: count, Driver: driver}); err == nil {
			break
		}
	}
	a := newAudit(h)
	if checked {
		a.step(w)
	}
	collisions := 0
	for w.Time() < stop {
		events, err := w.Step(h)
		require.NoError(t, err)
		for k := range events {
			if events[k].Kind == mocksim.Collision {
				if collisions++; collisions <= 3 {
					findings = append(findings, describe(w, &events[k]))
				}
			}
		}
		if checked {
			a.step(w)
		}
	}
	if collisions > 3 {
		findings = append(findings, fmt.Sprintf("%d collisions", collisions))
	}
	return append(findings, a.lines()...), w
}

func describe(w *mocksim.World, e *mocksim.Event) string {
	text := e.String()
	for _, name := range []string{e.Actor, e.Other} {
		if v, err := w.Actor(name); err == nil {
			p := v.Place()
			text += fmt.Sprintf("; %s (%s) on %v at %.2f m, %.2f m/s", name, v.Kind(), p.Lane,
				p.S, v.State().Speed)
		}
	}
	return text
}

// mapsOf returns the maps in some folders and their subfolders.
func mapsOf(folders ...string) (list []string) {
	for _, folder := range folders {
		_ = filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".xodr") {
				list = append(list, path)
			}
			return nil
		})
	}
	return list
}

func readMap(t testing.TB, path string) *opendrive.Map {
	t.Helper()
	m, err := opendrive.ReadFile(path)
	require.NoError(t, err)
	return m
}

// rough lists maps on which vehicles still exceed the limits.
var rough = map[string]string{
	"lane_gap_example_issue_119.xodr": "lanes have gaps and kinks " +
		"inside of roads",
	"road_geometry_elem_asc_order_invalid.xodr": "the road lies on itself",
}

// TestMotion_IsWhatIsReported checks that on all maps, velocities, accelerations and rates are the
// derivatives of the poses and within the capabilities of vehicles.
func TestMotion_IsWhatIsReported(t *testing.T) {
	maps := mapsOf("../examples", "testdata")
	require.NotEmpty(t, maps)
	if !testing.Short() {
		maps = append(maps, mapsOf("../../shared/data/xodr")...)
	}
	for _, path := range maps {
		t.Run(filepath.Base(path), func(t *testing.T) {
			if why := rough[filepath.Base(path)]; why != "" {
				t.Skip(why)
			}
			m := readMap(t, path)
			for seed := range uint64(3) {
				findings, _ := drive(t, m, 12, seed, 2*ms, 15*timebase.Second, true)
				require.Empty(t, findings, "seed %d", seed)
			}
		})
	}
}

// TestMotion_OnGeneratedMaps does the same on generated maps with junctions of all kinds.
func TestMotion_OnGeneratedMaps(t *testing.T) {
	maps := []uint64{1, 2}
	if !testing.Short() {
		maps = []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	}
	for _, seed := range maps {
		findings, _ := drive(t, mocksim.GridMap(t, seed), 20, seed, 5*ms, 40*timebase.Second, true)
		require.Empty(t, findings, "map %d", seed)
	}
}
