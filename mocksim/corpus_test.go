package mocksim_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/internal/finding"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/timebase"
)

// survey is a run of traffic on a map that is not part of the project.
type survey struct {
	w          *mocksim.World
	audit      *audit
	since      map[string]float64        // the time for which a vehicle has been standing, s
	longest    float64                   // the longest such time, s
	lasting    map[opendrive.Course]bool // where vehicles can stay
	who        string
	collisions []string
	ways       [2]float64 // of all vehicles, m
	times      [2]float64 // of all vehicles, s
}

const (
	surveyFine, surveyCoarse = 5 * ms, 100 * ms
	// The audit compares velocities with differences of positions for the first part of the run, and
	// then in the first seconds of each minute, because short steps take long.
	surveyFirst, surveyPart = 40 * timebase.Second, 3 * timebase.Second
	// A vehicle that stands for longer needs a cause, s.
	surveyStand = 300.0
	minute      = 60 * timebase.Second
)

// newSurvey places vehicles on a map, and lets others enter and leave it if flow is above 0.
func newSurvey(t *testing.T, m *opendrive.Map, seed uint64, count int,
	flow float64) (*survey, error) {
	t.Helper()
	w := on(t, m, mocksim.Options{Seed: seed})
	err := w.Populate(mocksim.Traffic{Count: count, Flow: flow})
	s := &survey{w: w, audit: newAudit(surveyFine), since: map[string]float64{}}
	if flow == 0 {
		s.lasting = lasting(m)
	}
	return s, err
}

// run simulates until a time, and adds the speeds of the first and of the last sixth.
func (s *survey) run(t *testing.T, stop timebase.Time) {
	t.Helper()
	s.audit.step(s.w)
	for s.w.Time() < stop {
		s.audit.h = surveyCoarse
		if now := s.w.Time(); now < surveyFirst || now%minute < surveyPart {
			s.audit.h = surveyFine
		}
		s.audit.coarse = s.audit.h == surveyCoarse
		for _, e := range steps(t, s.w, 1, s.audit.h) {
			if e.Kind == mocksim.Collision {
				s.collisions = append(s.collisions, describe(s.w, &e))
			}
		}
		s.audit.step(s.w)
		s.stands(s.audit.h.Seconds())
		for k, part := range []bool{s.w.Time() <= stop/6, s.w.Time() > stop-stop/6} {
			for i := 0; part && i < s.w.Len(); i++ {
				s.ways[k] += s.w.At(i).State().Speed * s.audit.h.Seconds()
				s.times[k] += s.audit.h.Seconds()
			}
		}
	}
}

// stands adds a step to the times for which vehicles have been standing.
func (s *survey) stands(h float64) {
	for k := range s.w.Len() {
		v := s.w.At(k)
		if v.State().Speed > 0.1 || s.trapped(v) {
			s.since[v.Name()] = 0
			continue
		}
		if s.since[v.Name()] += h; s.since[v.Name()] > s.longest {
			s.longest, s.who = s.since[v.Name()], fmt.Sprintf("%s (%s) on %v at %.1f m", v.Name(),
				v.Kind(), v.Place().Lane, v.Place().S)
		}
	}
}

// row formats the run for a table.
func (s *survey) row(name string) string {
	entered, left, waiting := s.w.FlowCounts()
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %.1f | %.1f | %.0f | %d |", name, s.w.Len(),
		entered, left, waiting, s.ways[0]/max(1, s.times[0]), s.ways[1]/max(1, s.times[1]),
		s.longest, len(s.collisions))
}

// surveySetting returns a setting of the survey from the environment.
func surveySetting(t *testing.T, name string, otherwise float64) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(cmp.Or(os.Getenv(name), fmt.Sprint(otherwise)), 64)
	require.NoError(t, err, "%s is not a number", name)
	return x
}

// TestCorpus_Traffic drives on the maps in the folder GOSMP_MAPS and its subfolders for the
// duration GOSMP_MAPS_TIME. For each of the seeds 1 to GOSMP_MAPS_SEEDS, it does so once with
// GOSMP_MAPS_VEHICLES vehicles that stay on the map, and once with GOSMP_MAPS_FLOW vehicles per
// hour and lane that pass through it. No vehicle collides, moves
// differently from its reported motion, exceeds the limits of its kind or stands for five minutes
// without a cause. On maps with errors, these findings are only logged. Vehicles drive on at least
// one map.
func TestCorpus_Traffic(t *testing.T) {
	folder := os.Getenv("GOSMP_MAPS")
	if folder == "" {
		t.Skip("GOSMP_MAPS names no folder of maps")
	}
	stop, err := time.ParseDuration(cmp.Or(os.Getenv("GOSMP_MAPS_TIME"), "40s"))
	require.NoError(t, err, "GOSMP_MAPS_TIME is not a duration, such as 1h")
	count := int(surveySetting(t, "GOSMP_MAPS_VEHICLES", 40))
	flow := surveySetting(t, "GOSMP_MAPS_FLOW", 200)
	seeds := int(surveySetting(t, "GOSMP_MAPS_SEEDS", 1))
	t.Log("| map | vehicles | entered | left | waiting outside | m/s in the first sixth | " +
		"in the last | longest stand, s | collisions |")
	maps := mapsOf(folder)
	require.NotEmpty(t, maps, "no maps in %s", folder)
	driven := 0
	for _, path := range maps {
		name, err := filepath.Rel(folder, path)
		require.NoError(t, err)
		t.Run(strings.TrimSuffix(filepath.ToSlash(name), ".xodr"), func(t *testing.T) {
			m, err := opendrive.ReadFile(path)
			if err != nil {
				require.ErrorIs(t, err, opendrive.ErrMap)
				t.Skip(err)
			}
			broken := slices.ContainsFunc(m.Check(), func(f finding.Finding) bool {
				return f.Severity == finding.Error
			})
			for k := range 2 * seeds {
				seed, kind := uint64(k/2+1), [...]string{"stay", "flow"}[k%2]
				t.Run(fmt.Sprintf("%s%d", kind, seed), func(t *testing.T) {
					list := surveyMap(t, m, seed, count, flow*float64(k%2), timebase.Time(stop))
					driven++
					if broken {
						t.Log(strings.Join(list, "\n"))
					} else {
						require.Empty(t, list)
					}
				})
			}
		})
	}
	require.Positive(t, driven, "no vehicle drove on any map in %s", folder)
}

// surveyMap runs one survey, with fewer vehicles at the start if others enter, and returns what
// breaks the properties.
func surveyMap(t *testing.T, m *opendrive.Map, seed uint64, count int, flow float64,
	stop timebase.Time) []string {
	t.Helper()
	if flow > 0 {
		count /= 4
	}
	s, err := newSurvey(t, m, seed, count, flow)
	if err != nil {
		require.ErrorIs(t, err, mocksim.ErrValue)
		t.Skip(err)
	}
	s.run(t, stop)
	t.Log(s.row(t.Name()))
	if s.full() {
		t.Logf("the map is full: %d of %d vehicles stand", s.standing(), s.w.Len())
	}
	list := append(s.audit.lines(), s.collisions[:min(3, len(s.collisions))]...)
	if s.longest > surveyStand && !s.full() {
		list = append(list, fmt.Sprintf("stood for %.0f s: %s", s.longest, s.who))
	}
	return list
}

// full reports whether the map cannot carry the vehicles that want to enter it: at least half of
// them wait outside.
func (s *survey) full() bool {
	entered, _, waiting := s.w.FlowCounts()
	return waiting > entered
}

// standing returns the number of vehicles that stand.
func (s *survey) standing() (n int) {
	for k := range s.w.Len() {
		if s.w.At(k).State().Speed <= 0.1 {
			n++
		}
	}
	return n
}

// lasting returns the courses on which a vehicle can stay on a map forever.
func lasting(m *opendrive.Map) map[opendrive.Course]bool {
	list := map[opendrive.Course]bool{}
	for _, l := range m.Lanes() {
		for _, c := range l.Courses() {
			list[c] = l.Drivable()
		}
	}
	for changed := true; changed; {
		changed = false
		for _, l := range m.Lanes() {
			for _, c := range l.Courses() {
				if list[c] && !leadsOn(m, c, list) {
					list[c], changed = false, true
				}
			}
		}
	}
	return list
}

// leadsOn reports whether a course, or one to which its vehicles can change, leads to a course of a
// list.
func leadsOn(m *opendrive.Map, c opendrive.Course, list map[opendrive.Course]bool) bool {
	for _, side := range [...]int{1, -1} {
		for l := c.Lane; l != nil && l.Drivable(); l = l.ChangeTo(side) {
			if next := m.Next(opendrive.Course{Lane: l, Forwards: c.Forwards}); slices.ContainsFunc(
				next, func(n opendrive.Course) bool { return list[n] }) {
				return true
			}
		}
	}
	return false
}

// trapped reports whether the way of a vehicle ends sooner or later, so that it has to stand there,
// or behind another one, on a map that no vehicle leaves.
func (s *survey) trapped(v mocksim.View) bool {
	l := v.Place().Lane
	if s.lasting == nil || l == nil {
		return false
	}
	return !slices.ContainsFunc(l.Courses(), func(c opendrive.Course) bool { return s.lasting[c] })
}

// TestTraffic_FlowsInATown checks that no vehicle stands for two minutes and none collide in a town
// that no vehicle can leave.
func TestTraffic_FlowsInATown(t *testing.T) {
	s, err := newSurvey(t, others(t, "carla_town07.xodr"), 1, 30, 0)
	require.NoError(t, err)
	s.run(t, 10*minute)
	require.Empty(t, s.collisions)
	require.Empty(t, s.audit.lines())
	require.Less(t, s.longest, 120.0, s.who)
}
