package run

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gosmp/mocksim/opendrive"
	"gosmp/scenario"
	"gosmp/scenario/play"
)

// roads caches the maps that this process has read. Using a map does not change it.
var roads struct {
	sync.Mutex
	read map[string]readMap
}

type readMap struct {
	changed time.Time
	size    int64
	roads   *opendrive.Map
}

// mapOf returns the map of a scenario, which is read only once per process.
func mapOf(s *scenario.Scenario) (*opendrive.Map, error) {
	name := s.MapFile()
	if name == "" {
		return nil, nil //nolint:nilnil // a scenario on a plane has none
	}
	if err := s.HasMap(); err != nil {
		return nil, err
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	roads.Lock()
	defer roads.Unlock()
	if m, is := roads.read[name]; is && m.changed.Equal(info.ModTime()) && m.size == info.Size() {
		return m.roads, nil
	}
	m, err := opendrive.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if roads.read == nil {
		roads.read = map[string]readMap{}
	}
	roads.read[name] = readMap{info.ModTime(), info.Size(), m}
	return m, nil
}

// scenario runs a scenario once.
func (c CaseOptions) scenario(ctx context.Context) Row {
	row := Row{Outcome: Faulty, Seed: c.Seed}
	o, err := c.options()
	if err != nil {
		row.Cause = err.Error()
		return row
	}
	if c.Seed != 0 {
		o.Seed = c.Seed
	}
	s, err := OpenScenario(o)
	if lost, is := c.lostBy(err, true); is {
		return lost
	}
	if err != nil {
		row.Cause = err.Error()
		return row
	}
	r, err := s.Run(ctx)
	if lost, is := c.lostBy(err, r.Steps == 0); is {
		return lost
	}
	row.Outcome, row.Cause, row.Time = string(r.Outcome), r.Cause, r.Time
	row.Steps, row.TraceHash, row.Metrics = r.Steps, r.TraceHash, metricsOf(r)
	return row
}

func (c CaseOptions) tryScenario() error {
	o, err := c.options()
	if err != nil {
		return err
	}
	_, err = OpenScenario(o)
	return err
}

// metricsOf returns the numbers of a result: the collisions of the ego vehicle, the time and speed
// of the first collision, and the values of verdicts, named after the subjects of their
// requirements.
func metricsOf(r *play.Result) map[string]float64 {
	m := map[string]float64{"collisions": float64(len(r.Collisions))}
	if len(r.Collisions) > 0 {
		m["impact speed"], m["collision time"] = r.Collisions[0].ImpactSpeed, r.Collisions[0].Time
	}
	for _, v := range r.Verdicts {
		if v.Value != nil {
			m[subject(v.Requirement)] = *v.Value
		}
	}
	return m
}

// subject returns the subject of a requirement.
func subject(requirement string) string {
	words := strings.Fields(requirement)
	k := slices.IndexFunc(words, func(w string) bool { return strings.ContainsAny(w, "<>=") })
	if k >= 0 {
		words = words[:k]
	}
	return strings.Join(words, " ")
}

// ScenarioFiles returns the files that determine the runs of a scenario: the scenario itself, the
// catalogs in its folders, and its map, as paths relative to the working directory.
func ScenarioFiles(name string) ([]string, error) {
	d, err := scenario.Open(name)
	if err != nil {
		return nil, err
	}
	files := []string{name}
	if locations := d.Root.Child("CatalogLocations"); locations != nil {
		for _, l := range locations.Children {
			folder := d.Beside(l.Child("Directory").Value("path"))
			found, err := filepath.Glob(filepath.Join(globbed(folder), "*.xosc"))
			if err != nil {
				return nil, err
			}
			files = append(files, found...)
		}
	}
	if s, err := d.Resolve(nil); err == nil && s.MapFile() != "" {
		files = append(files, s.MapFile())
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// MapFile returns the map file that a run of a scenario with [Options.Map] uses, or "" for none.
func MapFile(name, roads string) string {
	d, err := scenario.Open(name)
	if err != nil {
		return ""
	}
	d.Map = roads
	s, err := d.Resolve(nil)
	if err != nil {
		return ""
	}
	return s.MapFile()
}

// globbed returns a pattern that matches only the given folder.
func globbed(folder string) string {
	return strings.NewReplacer(`[`, `\[`, `*`, `\*`, `?`, `\?`).Replace(folder)
}
