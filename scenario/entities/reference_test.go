package entities_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/scenario"
	"gosmp/scenario/entities"
	"gosmp/scenario/storyboard"
)

// public is a folder with published scenarios and the trajectories of an independent engine, one
// row every 0.1 s. Without it, these tests are skipped.
const public = "../../../shared/data/xosc"

// row is the position of an entity at a time.
type row struct{ time, x, y, speed float64 }

// reference reads rows by entity.
func reference(t *testing.T, name string) map[string][]row {
	f, err := os.Open(name)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	lines, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	out := map[string][]row{}
	for _, l := range lines[1:] {
		var v [4]float64
		for k, column := range [...]int{0, 2, 3, 5} {
			v[k], err = strconv.ParseFloat(l[column], 64)
			require.NoError(t, err)
		}
		out[l[1]] = append(out[l[1]], row{v[0], v[1], v[2], v[3]})
	}
	return out
}

// rowAt returns the row at a time.
func rowAt(rows []row, now float64) (row, bool) {
	k, ok := slices.BinarySearchFunc(rows, now, func(r row, t float64) int {
		switch {
		case math.Abs(r.time-t) < 1e-6:
			return 0
		case r.time < t:
			return -1
		}
		return 1
	})
	if !ok {
		return row{}, false
	}
	return rows[k], true
}

// play runs a scenario in steps of 0.01 s, and inspects each of them.
func play(file string, until float64, look func(now float64, w *entities.World,
	names []string)) error {
	d, err := scenario.Open(file)
	if err != nil {
		return err
	}
	s, err := d.Resolve(nil)
	if err != nil {
		return err
	}
	w, err := entities.New(s, entities.Options{DisableControllers: true})
	if err != nil {
		return err
	}
	defer w.Close()
	var names []string
	for _, e := range s.Root.Child("Entities").All("ScenarioObject") {
		names = append(names, e.Value("name"))
	}
	b, errs := storyboard.New(s, w, storyboard.Options{})
	if len(errs) > 0 {
		return errs[0]
	}
	if err := b.Start(); err != nil {
		return err
	}
	look(0, w, names)
	for k := 1; !b.Ended() && float64(k)*0.01 < until+0.005; k++ {
		now := float64(k*10_000_000) / 1e9
		if err := b.Step(now); err != nil {
			return fmt.Errorf("%.2f s: %w", now, err)
		}
		look(now, w, names)
	}
	return nil
}

// difference describes how far an entity may deviate from the reference where the engines differ by
// design: positions in m, speeds in m/s. Each difference states its reason.
type difference struct{ way, speed float64 }

// rounded covers the rounding of the reference's speeds to six digits, and of its positions to
// four.
var rounded = difference{1e-3, 1e-3}

// differences lists the differences of individual entities, by scenario and name.
var differences = map[string]map[string]difference{
	// During a speed change, the distance of a step uses the mean of both speeds here, but the new
	// speed there.
	"4_3_1": {"LeadVehicle": {0.03, 1e-3}}, "4_3_2": {"LeadVehicle": {0.09, 1e-3}},
	"CBLA": {"VRU": {0.021, 1e-3}, "Target": {0.021, 1e-3}},
	// A lane offset begins in its first step here, but one step later there.
	"4_1_2": {"LeadVehicle": {0.02, 1e-3}}, "4_6_2": {"SideVehicle": {0.006, 1e-3}},
	// A condition becomes true exactly between two steps, so it is seen one step later.
	"4_4_1": {"CutInVehicle": {0.021, 1e-3}}, "4_4_2": {"CutInVehicle": {0.031, 1e-3}},
	"4_2_3": {"TargetBlocking": {0.015, 1e-3}},
	// Clothoids are exact here, but chords of 1 m there.
	"CCFtap": {"Ego": {0.015, 1e-3}, "Target": {0.03, 0.07}}, "CPTA": {"Ego": {0.015, 1e-3},
		"VRU": {1e-3, 0.01}},
	// Synchronization starts with the master's speed at time 0 here, but with 0 there. It sets the
	// speed before the entity moves here, but afterwards there.
	"CCFhol": {"GVT": {1.1, 20}, "SOV": {1.1, 2}}, "CBNA_": {"VRU": {0.16, 0.22}},
	"CPNA": {"VRU": {0.015, 1e-3}}, "CPNCO": {"VRU": {0.015, 1e-3}}, "CPRA": {"VRU": {1e-3, 0.01}},
	"CCCscp": {"Target": {0.015, 0.06}},
	// A relative orientation of a RoutePosition is relative to the route here, but ignored there.
	"CBFA": {"ObstructionSmall": {9.3, 1e-3}},
}

func allowed(name, entity string) difference {
	for part, list := range differences {
		if d, ok := list[entity]; ok && strings.Contains(name+"_", part) {
			return d
		}
	}
	return rounded
}

// TestPublishedScenarios checks that all published ALKS and Euro NCAP scenarios run to their end
// and follow the trajectories of an independent engine.
func TestPublishedScenarios(t *testing.T) {
	if _, err := os.Stat(public); err != nil {
		t.Skip("without published scenarios")
	}
	files, err := filepath.Glob(filepath.Join(public, "reference", "*", "*.csv"))
	require.NoError(t, err)
	played := 0
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".csv")
		file := ""
		switch filepath.Base(filepath.Dir(f)) {
		case "alks-nocontroller":
			file = filepath.Join(public, "alks/logical_scenarios/concrete_scenarios", name+".xosc")
		case "ncap":
			folder, base, _ := strings.Cut(name, "__")
			file = filepath.Join(public, "ncap/OpenSCENARIO/NCAP", folder, base+".xosc")
		default:
			continue
		}
		played++
		t.Run(name, func(t *testing.T) { follows(t, name, file, reference(t, f)) })
	}
	require.Equal(t, 15+23, played)
}

// follows runs a scenario and compares it with its reference.
func follows(t *testing.T, name, file string, want map[string][]row) {
	last, compared := 0.0, 0
	for _, rows := range want {
		last = max(last, rows[len(rows)-1].time)
	}
	err := play(file, last, func(now float64, w *entities.World, names []string) {
		for k, entity := range names {
			s := w.State(storyboard.Entity(k))
			r, ok := rowAt(want[entity], now)
			if s == nil || !ok {
				continue
			}
			compared++
			d := allowed(name, entity)
			require.LessOrEqual(t, math.Hypot(s.X-r.x, s.Y-r.y), d.way, "%s at %.1f s", entity, now)
			require.InDelta(t, r.speed, s.Speed, d.speed, "%s at %.1f s", entity, now)
		}
	})
	require.NoError(t, err)
	require.Positive(t, compared)
}
