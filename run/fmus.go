package run

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gosmp/cosim"
	"gosmp/experiment"
	"gosmp/experiment/trial"
	"gosmp/fmi/archive"
	"gosmp/importer"
	"gosmp/importer/ssp"
	"gosmp/importer/system"
	"gosmp/internal/decimal"
)

// FMUs creates the FMUs of an experiment, for [trial.Open]:
//
//	fmus := &run.FMUs{Dir: dir}
//	defer fmus.Close()
//	o := trial.Options{Files: os.DirFS(dir), FMU: fmus.Open, System: fmus.System,
//		Scenario: fmus.Scenario}
//	t, err := trial.Open(file, document, o)
//
// Each FMU runs in its own process, which lives until Close.
type FMUs struct {
	Dir string // of the description
	// Variant is the description in a package (.ssp); "" means SystemStructure.ssd.
	Variant string
	// Library lists folders to search for FMUs that are missing at the path in the description.
	Library   []string
	Timeout   time.Duration               // of a step or phase of an FMU; 0 for none
	LoggingOn bool                        // whether to ask FMUs to log
	Print     func(instance, line string) // receives the output of FMUs; may be nil
	Loading   func()                      // called before an FMU is loaded; may be nil
	Reserve   *importer.Reserve           // shared by successive runs; may be nil

	pool *importer.Pool
}

// Close ends the processes.
func (m *FMUs) Close() error {
	if m.pool == nil {
		return nil
	}
	return m.pool.Close()
}

func (m *FMUs) processes() *importer.Pool {
	if m.pool == nil {
		m.pool = &importer.Pool{Print: m.Print, Reserve: m.Reserve}
	}
	return m.pool
}

// Open opens an FMU of an experiment. It is meant for the field FMU of [trial.Options].
func (m *FMUs) Open(p experiment.Participant) (trial.Maker, error) {
	f, err := m.Reserve.Open(library(m.Library).find(m.Dir, p.Src))
	if err != nil {
		return trial.Maker{}, err
	}
	var start []importer.StartValue
	for _, s := range p.Start {
		start = append(start, importer.StartValue{Name: s.Name, Value: s.Value})
	}
	return m.instances(p.Name, f, start), nil
}

// instances returns the maker of instances of an FMU.
func (m *FMUs) instances(name string, f *importer.FMU, start []importer.StartValue) trial.Maker {
	if m.Loading != nil {
		m.Loading()
	}
	set := func(s experiment.StartValue) {
		start = slices.DeleteFunc(
			slices.Clone(start),
			func(old importer.StartValue) bool { return old.Name == s.Name },
		)
		start = append(start, importer.StartValue{Name: s.Name, Value: s.Value})
	}
	return trial.Maker{
		Name:     name,
		SetStart: set,
		Files:    f.Files(),
		New: func(g trial.Given) (cosim.Participant, error) {
			o := importer.Options{
				Timeout:   m.Timeout,
				LoggingOn: m.LoggingOn,
				Start:     withExperiment(start, f.Variables(), f.Model.Variables, g),
			}
			return f.NewInstance(name, m.processes(), o)
		},
	}
}

// withExperiment adds the start values that an experiment gives each FMU with a parameter for them:
// the seed, in the range of the parameter, and the physics engine if the description names one.
// Values from the user take precedence.
func withExperiment(
	start []importer.StartValue,
	variables []cosim.Variable,
	model []archive.Variable,
	g trial.Given,
) []importer.StartValue {
	all := slices.Clone(start)
	for _, v := range variables {
		named := func(name string) bool { return strings.EqualFold(name, v.Name) }
		if v.Role != cosim.Parameter ||
			slices.ContainsFunc(
				start,
				func(s importer.StartValue) bool { return s.Name == v.Name },
			) {
			continue
		}
		switch {
		case slices.ContainsFunc([]string{"seed", "rngSeed", "randomSeed"}, named):
			all = append(
				all,
				importer.StartValue{Name: v.Name, Value: seedFor(model, v.Name, g.Seed)},
			)
		case named("physicsEngine") && v.Kind == cosim.String && g.Physics != "":
			all = append(all, importer.StartValue{Name: v.Name, Value: g.Physics})
		}
	}
	return all
}

// seedFor brings the seed of an experiment into the range of a parameter, outside which it would be
// refused.
func seedFor(model []archive.Variable, name string, seed uint64) string {
	low, high := int64(0), int64(math.MaxInt32)
	if k := slices.IndexFunc(model, func(v archive.Variable) bool {
		return v.Name == name
	}); k >= 0 {
		if x, err := decimal.Float(model[k].Min, 64); err == nil && x <= math.MaxInt32 {
			low = max(low, int64(math.Ceil(x)))
		}
		if x, err := decimal.Float(model[k].Max, 64); err == nil && x >= float64(low) {
			high = int64(min(float64(high), x))
		}
	}
	seed &= math.MaxInt32
	if s := int64(seed); s < low || s > high {
		seed = uint64(low) + seed%uint64(high-low+1)
	}
	return strconv.FormatUint(seed, 10)
}

// System reads a system structure that replaces a BIBI document. It is meant for the field System
// of [trial.Options].
func (m *FMUs) System(src string, vehicles []string) (w trial.Wiring, err error) {
	s, err := system.ReadWith(filepath.Join(m.Dir, filepath.FromSlash(src)),
		ssp.Options{Variant: m.Variant, Library: m.Library}, vehicles)
	if err != nil {
		return w, err
	}
	w.Warnings = s.Warnings
	s.Negotiate()
	w.Connections = s.Connections
	for _, p := range s.Parts {
		if p.Values != nil {
			w.Participants = append(w.Participants, trial.Maker{Name: p.Name,
				Values: func() (cosim.Source, error) { return p.Values, nil }})
			continue
		}
		x := m.instances(p.Name, p.FMU, p.Start)
		if p.Step.Origin != "" {
			x.Step = cosim.Every(p.Step.Number)
		}
		w.Participants = append(w.Participants, x)
	}
	if s.Step.Origin != "" {
		w.Step = cosim.Every(s.Step.Number)
	}
	return w, err
}
