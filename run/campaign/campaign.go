package campaign

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gosmp/experiment"
	"gosmp/internal/finding"
	"gosmp/internal/plaintext"
	"gosmp/internal/quantity"
	"gosmp/internal/regular"
	"gosmp/run"
	"gosmp/run/inputs"
	"gosmp/run/usage"
	"gosmp/sweep"
)

// Sweep is the runs of a plan.
type Sweep struct {
	Options

	plan        *sweep.Plan
	cases       []sweep.Case
	experiment  string
	description *experiment.Description
	base        string
	files       *inputs.Files // the files that determine the runs
	store       *sweep.Store
	reused      int
	ended       int
	failed      int
	settled     *sweep.Settled
	excluded    int // points that the constraints of a scenario exclude
	selections  run.Selections
	examined    func() finding.List // findings about the experiment
}

// Open reads a plan and its experiment.
func Open(o Options) (*Sweep, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.complete()
	s := of(o)
	if err := s.read(); err != nil {
		return nil, err
	}
	return s, nil
}

func of(o Options) *Sweep {
	s := &Sweep{Options: o}
	s.examined = sync.OnceValue(s.examine)
	return s
}

// Run computes the runs of a plan; see [Open] and [Sweep.Run].
func Run(ctx context.Context, o Options) (*Results, error) {
	s, err := Open(o)
	if err != nil {
		return nil, err
	}
	return s.Run(ctx)
}

// Plan returns the plan.
func (s *Sweep) Plan() *sweep.Plan { return s.plan }

// Experiment returns the path of the experiment, FMU, system or scenario.
func (s *Sweep) Experiment() string { return s.experiment }

// Cases returns the runs, including those that the search for a boundary has added.
func (s *Sweep) Cases() []sweep.Case { return s.cases }

// Excluded returns the number of points that the constraints of a scenario exclude.
func (s *Sweep) Excluded() int { return s.excluded }

// read reads the plan and the experiment.
func (s *Sweep) read() error {
	if s.File == "-" {
		return errors.New(
			"standard input: a plan names files relative to itself, so it must be a " +
				"file; save it first")
	}
	f, err := regular.Open(s.File)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // opened read-only
	if s.plan, err = sweep.Read(s.File, f); err != nil {
		return err
	}
	if s.Until != "" {
		if s.plan.Boundary != nil {
			return usage.Unexpected("--until", s.Until, "a plan without a boundary")
		}
		s.plan.Stop = map[string]sweep.Stop{"failure": {Failures: 1}, "pass": {Passes: 1}}[s.Until]
	}
	s.experiment = ExperimentOf(s.plan)
	if err := s.checkLibrary(); err != nil {
		return err
	}
	if err := s.identify(); err != nil {
		return err
	}
	if err := s.restrict(); err != nil {
		return err
	}
	if s.cases, err = s.plan.Cases(); err != nil {
		return err
	}
	if err := s.chooseCases(); err != nil {
		return err
	}
	return s.pick()
}

// checkLibrary checks the folders of the library. It keeps their paths as the user wrote them,
// because the results contain these paths.
func (s *Sweep) checkLibrary() error {
	for _, folder := range s.Library {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return usage.Unexpected("--library-path", strconv.Quote(folder), "an existing folder")
		}
		if !s.namesFMUs() {
			return usage.Unexpected("--library-path", "the plan of "+s.experiment,
				"the plan of an experiment (.exc), of a system (.ssp), or of a scenario (.xosc) "+
					"with models (--sut, --on, --drive)")
		}
	}
	return nil
}

// namesFMUs reports whether the runs use a description that names FMUs by their paths.
func (s *Sweep) namesFMUs() bool {
	if !run.IsScenario(s.experiment) {
		return !strings.EqualFold(filepath.Ext(s.experiment), ".fmu")
	}
	return len(s.SUT)+len(s.On)+len(s.Drive) > 0 ||
		slices.ContainsFunc(s.plan.Parameters, func(p sweep.Parameter) bool {
			return slices.Contains(inputs.ModelOptions, p.Name)
		}) || slices.ContainsFunc(s.plan.Set, func(t sweep.Target) bool {
		return slices.Contains(inputs.ModelOptions, t.Name)
	})
}

// identify computes the identity of the experiment. A plan without seeds gets the seed of the
// experiment, or 1, so that runs can be repeated.
func (s *Sweep) identify() error {
	models := inputs.Models(slices.Concat(s.SUT, s.On, s.Drive), s.Library)
	if s.Map != "" {
		models = append(models, inputs.At(run.MapFile(s.experiment, s.Map)))
	}
	s.files = inputs.New(s.experiment, s.Library, models...)
	base, d, err := s.files.Identify()
	if err != nil {
		return s.plan.Refuse(err)
	}
	s.base, s.description = base, d
	if run.IsScenario(s.experiment) {
		if len(s.plan.Seeds) == 0 {
			s.plan.Seeds = []uint64{run.DefaultSeed}
		}
		return nil
	}
	if d == nil {
		if s.plan.Seeded() {
			return s.plan.RefuseSeeds(fmt.Sprintf("seeds for %s", s.experiment),
				"none: an FMU has parameters for that")
		}
		return nil
	}
	if !s.plan.Seeded() {
		s.plan.Seeds = []uint64{1}
		if d.Seed != nil {
			s.plan.Seeds[0] = *d.Seed
		}
	}
	return nil
}

// pick keeps the cases of a shard.
func (s *Sweep) pick() error {
	if s.Shard == "" {
		return nil
	}
	first, last, ok := strings.Cut(s.Shard, "/")
	i, err := strconv.Atoi(first)
	n, e := strconv.Atoi(last)
	if !ok || err != nil || e != nil || i < 1 || i > n {
		return usage.Unexpected("--shard", fmt.Sprintf("%q", s.Shard),
			"I/N with 1 <= I <= N, such as 3/16")
	}
	var kept []sweep.Case
	for _, x := range s.cases {
		if x.Index%n == i-1 {
			kept = append(kept, x)
		}
	}
	s.cases = kept
	return nil
}

// Prepare tries the settings, chooses the folders, and opens the store. Run calls it, unless it has
// been called.
func (s *Sweep) Prepare() error {
	if err := s.try(); err != nil {
		return err
	}
	if err := s.files.Attach(s.cases); err != nil {
		return err
	}
	if s.Out == "" {
		s.Out = ResultsFolder(s.File)
	}
	if err := os.MkdirAll(s.Out, 0o777); err != nil { // fail now rather than after all runs
		return fmt.Errorf("the results cannot be written: %w; give a different folder with --out",
			err)
	}
	dir := s.Store
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return fmt.Errorf("%w; give --store", err)
		}
		dir = filepath.Join(cache, "gosmp", "runs")
	}
	var err error
	if s.store, err = sweep.OpenStore(filepath.Join(dir, s.base[:20]), s.Rerun...); err != nil {
		return fmt.Errorf("the store cannot be used: %w; give a different folder with --store", err)
	}
	s.warnOfDamage()
	return nil
}

// warnOfDamage warns of damaged lines in the store.
func (s *Sweep) warnOfDamage() {
	damaged, more := s.store.Damaged()
	for _, line := range damaged {
		s.Warn(plaintext.Shown(line) + "; the run counts as absent and is computed again")
	}
	if more > 0 {
		s.Warn(quantity.Of(more, "damaged line") + " more")
	}
}
