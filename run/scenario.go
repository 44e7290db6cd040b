package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/cosim"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/internal/regular"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/report/scenariopage"
	"gosmp/run/usage"
	"gosmp/scenario"
	"gosmp/scenario/check"
	"gosmp/scenario/entities"
	"gosmp/scenario/play"
	"gosmp/timebase"
)

// Scenario is a scenario with run options.
type Scenario struct {
	*play.Player
	options *Options
	point   *int
	world   *entities.World
	out     *resultFile // trajectories; may be nil
	roads   *opendrive.Map
	page    *scenariopage.Recorder // nil without a report
	models  *Simulation            // nil unless models take part
	outputs *cosim.Hash            // of the models' outputs
	halved  *halving               // nil unless the step is halved
	viewed  *viewed                // nil without a view
}

// Scene is an OpenSCENARIO document with the values of its parameters.
type Scene struct {
	Document *scenario.Document
	Values   scenario.Values
	Point    *int // of a distribution
}

// OpenScene reads a scenario, or a point of a distribution of a scenario.
func OpenScene(file string, point *int) (*Scene, error) {
	d, err := documentOf(file)
	if err != nil {
		return nil, err
	}
	if d.Root.Child("ParameterValueDistribution") == nil {
		if point != nil {
			return nil, usage.Unexpected("--point", file+", a scenario",
				"a document with a ParameterValueDistribution")
		}
		return &Scene{Document: d, Values: scenario.Values{}}, nil
	}
	points, err := pointsOf(d)
	if err != nil {
		return nil, err
	}
	last := strconv.Itoa(points.count - 1)
	if point == nil {
		return nil, usage.Unexpected("--point", file+", a distribution of "+
			strconv.Itoa(points.count)+" points", "a number from 0 to "+last+
			"; gosmp sweep runs all of them")
	}
	if *point < 0 || *point >= points.count {
		return nil, usage.Unexpected("--point", strconv.Itoa(*point), "a number from 0 to "+last)
	}
	s, err := points.document(d)
	if err != nil {
		return nil, err
	}
	return &Scene{s, points.at(*point), point}, nil
}

// Set sets a parameter.
func (s *Scene) Set(name, value string) { s.Values[name] = value }

// Resolve validates the document and replaces parameters. A document that cannot be understood is
// not run, because the meaning of unknown elements cannot be guessed; other violations of its
// schema become notes. The same applies to the catalog entries it uses. Numbers that cannot be
// meant are refused, too.
func (s *Scene) Resolve() (*scenario.Scenario, error) {
	list := s.Document.Understood()
	if err := invalid(list); err != nil {
		return nil, err
	}
	resolved, err := s.Document.Resolve(s.Values)
	if err != nil {
		return nil, err
	}
	list = append(list, resolved.ValidateEntries()...)
	if err := invalid(list); err != nil {
		return nil, err
	}
	for _, f := range list {
		if f.Severity == finding.Warning {
			resolved.Deviations = append(resolved.Deviations, f)
		}
	}
	return resolved, invalid(check.Numbers(resolved))
}

// invalid returns the first error among findings.
func invalid(list finding.List) error {
	for _, f := range list {
		if f.Severity == finding.Error {
			return fault.Wrap(scenario.ErrDocument, f.Place, errors.New(f.Message)).
				WithHint(f.Remedy)
		}
	}
	return nil
}

// Judgeable returns the first error that gosmp check finds in the scenario with its map, or nil. A
// run may deviate from the document there, so that only runs that judge nothing accept such errors.
func (s *Scene) Judgeable(roads *opendrive.Map) error {
	err := invalid(check.Errors(s.Document, s.Values, roads))
	var e *scenario.Error
	if errors.As(err, &e) {
		return e.WithHint(strings.TrimPrefix(e.Hint+"; ", "; ") +
			"a scenario with errors can be run, but not judged")
	}
	return err
}

// mayJudge refuses requirements for a scenario with errors. Its own criteria stay undecided.
func (s *Scene) mayJudge(resolved *scenario.Scenario, m *opendrive.Map, o *play.Options) error {
	if len(o.Requirements)+len(resolved.Criteria) == 0 {
		return nil
	}
	err := s.Judgeable(m)
	if err != nil && len(o.Requirements) == 0 {
		o.Fault, err = err.Error(), nil
	}
	return err
}

// OpenScenario prepares the run of a scenario. If the scenario requests impossible things, the
// error names all of them.
func OpenScenario(o Options) (*Scenario, error) {
	if err := o.checkFiles(); err != nil {
		return nil, err
	}
	scene, err := o.scene()
	if err != nil {
		return nil, err
	}
	resolved, err := scene.Resolve()
	if err != nil {
		return nil, err
	}
	s := &Scenario{options: &o, point: scene.Point}
	settings, err := s.playOptions()
	if err != nil {
		return nil, err
	}
	roads, err := mapOf(resolved)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.roads = roads
	if err := scene.mayJudge(resolved, roads, &settings); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if o.hasModels() {
		err = s.openModels(resolved, settings, roads)
	} else if s.world, err = o.world(resolved, roads); err == nil {
		s.Player, err = play.New(resolved, s.world, settings)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if o.Halve {
		s.halved = newHalving(s)
	}
	if o.Report != "" {
		s.page = scenariopage.NewRecorder(resolved, s.world)
		s.Watch(s.page.Look)
	}
	if o.View {
		err = s.viewScenario()
	}
	if err == nil && s.out != nil {
		err = s.out.open() // only now, because an older file remains if the run is refused
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// scene reads the document and sets its parameters.
func (o *Options) scene() (*Scene, error) {
	scene, err := OpenScene(o.Files[0], o.Point)
	if err != nil {
		return nil, err
	}
	for _, x := range o.Set {
		scene.Set(x.Name, x.Value)
	}
	scene.Document.Map = o.Map
	return scene, nil
}

// world returns the world of the entities.
func (o *Options) world(s *scenario.Scenario, m *opendrive.Map) (*entities.World, error) {
	return entities.New(s, entities.Options{Seed: o.Seed, Map: m,
		DisableControllers: o.DisableControllers, Join: o.join()})
}

// join returns a function that lets a third-party simulator follow the entities, or nil without
// such a simulator.
func (o *Options) join() func(*mocksim.World) error {
	join := joining(o.Simulator, o.Seed, (&logger{to: o.Log}).printed)
	if join == nil {
		return nil
	}
	step := timebase.Every(play.DefaultStep)
	if o.StepSize != nil {
		step = timebase.Every(*o.StepSize)
	}
	return func(w *mocksim.World) error { return join(context.Background(), w, step) }
}

// playOptions returns the options of the run itself.
func (s *Scenario) playOptions() (settings play.Options, err error) {
	o := s.options
	settings = play.Options{Log: o.Journal}
	if o.StepSize != nil {
		if settings.Step = timebase.Every(*o.StepSize); settings.Step.IsZero() {
			return settings, usage.Unexpected("--step-size", *o.StepSize,
				"a time of 1e-9 s or more")
		}
	}
	for _, x := range []struct {
		option string
		given  *float64
		to     *float64
	}{{"--duration", o.Duration, &settings.Duration},
		{"--output-interval", o.OutputInterval, &settings.Interval}} {
		if x.given == nil {
			continue
		}
		if !(*x.given > 0) || math.IsInf(*x.given, 0) {
			return settings, usage.Unexpected(x.option, *x.given, "a time above 0 s")
		}
		*x.to = *x.given
	}
	required := o.Require
	if o.Dismissed == DismissedFail {
		required = append(slices.Clip(required), "no dismissal")
	}
	if settings.Requirements, err = Requirements(required); err != nil {
		return settings, err
	}
	if o.Trajectories != "" {
		if s.out, err = newResultFile("--trajectories", o.Trajectories); err == nil {
			settings.Trajectories = s.out
		}
	}
	return settings, err
}

// Requirements parses requirements. @FILE is a file with one requirement per line.
func Requirements(texts []string) (list []play.Requirement, err error) {
	for _, text := range texts {
		name, isFile := strings.CutPrefix(text, "@")
		if !isFile {
			r, err := play.ParseRequirement(text)
			if err != nil {
				return nil, usage.Invalid("--require", err)
			}
			list = append(list, r)
			continue
		}
		f, err := regular.OpenStream(name)
		if err != nil {
			return nil, usage.Invalid("--require", err)
		}
		read, err := play.ReadRequirements(name, f)
		_ = f.Close() // was only read
		if err != nil {
			return nil, err
		}
		list = append(list, read...)
	}
	return list, nil
}

// Run runs the scenario to its end, and writes the files of the options.
func (s *Scenario) Run(ctx context.Context) (*play.Result, error) {
	defer s.viewed.follow(ctx)()
	r, err := s.play(ctx)
	s.viewed.close(err)
	r.Seed, r.Point = s.options.Seed, s.point
	r.SHA256, r.MapSHA256 = hashOf(r.File), hashOf(r.Map)
	r.Repeat = s.options.repetition()
	if s.out != nil {
		err = errors.Join(err, s.out.Close())
		if s.options.Trajectories != standard {
			r.Files = append(r.Files, s.options.Trajectories)
		}
	}
	if err == nil && s.halved != nil && r.Outcome != play.Interrupted {
		err = s.halve(ctx, r)
	}
	if err != nil {
		r.ExitCode = ExitCode(err)
		return r, err
	}
	return r, s.write(r)
}

// play runs the scenario alone, or in an engine with models.
func (s *Scenario) play(ctx context.Context) (*play.Result, error) {
	if s.models == nil {
		return s.Player.Run(ctx)
	}
	_, err := s.models.runEngine(ctx)
	if ctx.Err() != nil {
		err = nil // the result contains it
	}
	for _, f := range s.models.files {
		if f.written() {
			s.Result().Files = append(s.Result().Files, f.path)
		}
	}
	err = s.Finish(errors.Join(err, s.models.Close()))
	if s.models.Result != nil {
		s.Result().Lag = s.models.Result.Lag
	}
	both := sha256.Sum256([]byte(s.Result().TraceHash + " " + s.outputs.Sum()))
	s.Result().TraceHash = hex.EncodeToString(both[:])
	return s.Result(), err
}

// Kill ends the processes of models at once. A running Run returns an error.
func (s *Scenario) Kill() {
	if s.models != nil {
		s.models.Kill()
	}
}

// Close ends the models of a scenario that is not run, and closes its file.
func (s *Scenario) Close() (err error) {
	if s.out != nil {
		err = s.out.Close()
	}
	if s.models != nil {
		err = errors.Join(err, s.models.Close())
	}
	return err
}

// write writes the report and the verdict.
func (s *Scenario) write(r *play.Result) error {
	o := s.options
	if o.JUnit != "" {
		r.Files = append(r.Files, o.JUnit)
		if err := writeFile(o.JUnit, r.WriteJUnit); err != nil {
			return &OutputError{err}
		}
	}
	if o.Report != "" {
		r.Files = append(r.Files, o.Report)
		err := writeFile(o.Report, func(w io.Writer) error {
			return scenariopage.Write(w, r, s.page, s.roads)
		})
		if err != nil {
			return &OutputError{err}
		}
	}
	return nil
}

// runScenario implements [Run] for a scenario.
func runScenario(ctx context.Context, o Options) (*Result, error) {
	s, err := OpenScenario(o)
	if err != nil {
		return &Result{}, err
	}
	r, err := s.Run(ctx)
	return &Result{Scenario: r, Passed: err == nil && r.ExitCode == Done}, err
}
