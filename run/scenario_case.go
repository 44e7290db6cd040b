package run

import (
	"context"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"gosmp/mocksim/opendrive"
	"gosmp/scenario"
	"gosmp/scenario/play"
)

// remembered caches the content of files that have not changed since this process read them. Runs
// do not modify the content, because the cases of a sweep reuse the same maps and documents.
type remembered[T any] struct {
	sync.Mutex
	read map[string]version[T]
}

// version is the content of a file at a time.
type version[T any] struct {
	changed time.Time
	size    int64
	content T
}

// mostRemembered is the number of files after which the cache starts over.
const mostRemembered = 16

// of returns the cached content of a file, calling read if it is missing.
func (r *remembered[T]) of(name string, read func(string) (T, error)) (content T, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return content, err
	}
	if !info.Mode().IsRegular() { // a pipe has different content each time
		return read(name)
	}
	r.Lock()
	defer r.Unlock()
	v, is := r.read[name]
	if is && v.changed.Equal(info.ModTime()) && v.size == info.Size() {
		return v.content, nil
	}
	if content, err = read(name); err != nil {
		return content, err
	}
	if r.read == nil || len(r.read) >= mostRemembered {
		r.read = map[string]version[T]{}
	}
	r.read[name] = version[T]{info.ModTime(), info.Size(), content}
	return content, nil
}

var (
	roads     remembered[*opendrive.Map]
	documents remembered[*scenario.Document]
)

// mapOf returns the map of a scenario.
func mapOf(s *scenario.Scenario) (*opendrive.Map, error) {
	name := s.MapFile()
	if name == "" {
		return nil, nil //nolint:nilnil // a scenario on a plane has none
	}
	if err := s.HasMap(); err != nil {
		return nil, err
	}
	return roads.of(name, opendrive.ReadFile)
}

// documentOf returns a separate document with a shared tree.
func documentOf(file string) (*scenario.Document, error) {
	d, err := documents.of(file, scenario.Open)
	if err != nil {
		return nil, err
	}
	own := *d
	return &own, nil
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

// metricsOf returns the numbers of a result: the collisions of the ego vehicle and its trailers (an
// obstacle that both hit counts twice), the time and speed of the first collision, and the values
// of verdicts, named after the subjects of their requirements.
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
