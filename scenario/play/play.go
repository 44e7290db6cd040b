package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"gosmp/scenario"
	"gosmp/scenario/storyboard"
	"gosmp/timebase"
)

// Defaults of a run.
const (
	DefaultStep     = 0.01 // s
	DefaultDuration = 600  // s
	DefaultInterval = 0.1  // s, of trajectories
)

// The causes of the end of a run; the last two end it early.
const (
	exitSuccess  = "exitSuccess"
	exitFailure  = "exitFailure"
	stopTrigger  = "StopTrigger"
	complete     = "all stories are complete"
	duration     = "duration"
	interruption = "interruption"
	failure      = "error"
)

// Options control how a scenario is played.
type Options struct {
	Step         timebase.Grid // zero: every DefaultStep
	Duration     float64       // s, after which the run is over; 0: DefaultDuration
	Trajectories io.Writer     // CSV; nil: none
	Interval     float64       // s, between rows of an entity; 0: DefaultInterval
	Requirements []Requirement
	Log          io.Writer // receives a line for each transition and note; may be nil
	// Fault is an error in the scenario, which is therefore played but not judged: criteria in its
	// StopTrigger leave the run undecided; "" for none
	Fault string
}

// Player plays a scenario once.
type Player struct {
	scenario *scenario.Scenario
	world    storyboard.World
	options  Options
	scale    timebase.Scale
	board    *storyboard.Board
	names    []string
	stops    bool // the storyboard has a StopTrigger that can fire
	traces   *trajectories
	strides  []stride // of the entities
	looked   float64  // when the strides ended
	hash     *hash
	judges   []judge
	result   *Result
	last     *Event // the last transition of an element of a story
	watchers []func(*storyboard.Board)
}

// New prepares a run. The error joins all errors about impossible parts of the scenario.
func New(s *scenario.Scenario, w storyboard.World, o Options) (*Player, error) {
	if o.Step.IsZero() {
		o.Step = timebase.Every(DefaultStep)
	}
	if o.Duration == 0 {
		o.Duration = DefaultDuration
	}
	if o.Interval == 0 {
		o.Interval = DefaultInterval
	}
	p := &Player{scenario: s, world: w, options: o, names: namesIn(w, s), hash: newHash(),
		scale: timebase.NewScale(timebase.Time(0).Exactly(), o.Step), result: newResult(s, o)}
	p.strides = make([]stride, len(p.names))
	stop := s.Root.Path("Storyboard", "StopTrigger")
	p.stops = stop != nil && len(stop.Children) > 0
	if err := p.addCriteria(); err != nil {
		return nil, err
	}
	board, errs := storyboard.New(s, w, storyboard.Options{Observe: p.observe})
	p.board = board
	if len(errs) == 0 {
		errs = p.prepareJudges()
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	if o.Trajectories != nil {
		p.traces = newTrajectories(o.Trajectories, p.names, o.Interval)
	}
	return p, nil
}

// EntityNames returns the names of the scenario objects, in the order of [storyboard.Entity].
func EntityNames(s *scenario.Scenario) (names []string) {
	for _, o := range s.Root.Child("Entities").All("ScenarioObject") {
		names = append(names, o.Value("name"))
	}
	return names
}

// namesIn also returns the names of trailers that are described inside their vehicles.
func namesIn(w storyboard.World, s *scenario.Scenario) []string {
	if w, is := w.(towing); is {
		return w.Names()
	}
	return EntityNames(s)
}

// Names returns the names of the entities and, after them, of trailers that are described inside
// their vehicles, in the order of [storyboard.Entity].
func (p *Player) Names() []string { return p.names }

// Watch registers a function that is called after each evaluation.
func (p *Player) Watch(watch func(*storyboard.Board)) { p.watchers = append(p.watchers, watch) }

// Board returns the storyboard.
func (p *Player) Board() *storyboard.Board { return p.board }

// Run plays the scenario to its end, to the end of the duration, or until the context is canceled.
// It always returns a result. The error reports that the run itself failed, not that its verdict is
// negative.
func (p *Player) Run(ctx context.Context) (*Result, error) {
	over, err := p.Start(ctx)
	for err == nil && !over {
		over, err = p.Step(ctx)
	}
	return p.result, p.Finish(err)
}

// taker is a world in which external drivers move entities. After Init, they take over the entities
// that no Init action handed over.
type taker interface{ TakeOver() error }

// Start performs Init and the first evaluation. It reports whether the run is over. Start,
// [Player.Step] and [Player.Finish], in this order, replace [Player.Run] for callers that act
// between the steps.
func (p *Player) Start(ctx context.Context) (over bool, err error) {
	if err := p.board.Start(); err != nil {
		return true, err
	}
	if w, is := p.world.(taker); is {
		if err := w.TakeOver(); err != nil {
			return true, err
		}
	}
	p.look()
	return p.over(ctx), nil
}

// Step advances the world to the next time and evaluates. It reports whether the run is over.
func (p *Player) Step(ctx context.Context) (over bool, err error) {
	next := p.result.Steps + 1
	if err := p.board.Step(p.scale.Point(next).Seconds()); err != nil {
		return true, err
	}
	p.result.Steps = next
	p.look()
	return p.over(ctx), nil
}

// Result returns the result. It is complete after [Player.Finish].
func (p *Player) Result() *Result { return p.result }

// look is called after each evaluation.
func (p *Player) look() {
	now := p.board.Now()
	h := now - p.looked
	p.looked = now
	p.hash.add(now)
	for k := range p.names {
		state := p.world.State(storyboard.Entity(k))
		p.hash.state(state)
		p.strides[k].follow(state, h)
		if p.traces != nil {
			p.traces.add(now, k, state)
		}
	}
	for _, j := range p.judges {
		j.look(p)
	}
	for _, watch := range p.watchers {
		watch(p.board)
	}
}

// over reports whether the run has ended, and why.
func (p *Player) over(ctx context.Context) bool {
	r := p.result
	switch {
	case p.board.Exit() != "":
		r.EndedBy = p.board.Exit()
	case p.board.Ended():
		r.EndedBy = stopTrigger
	case !p.stops && p.board.Finished():
		r.EndedBy = complete
	case p.board.Now() >= p.options.Duration-1e-9:
		r.EndedBy = duration
	case ctx.Err() != nil:
		r.EndedBy = interruption
	default:
		return false
	}
	return true
}

// Finish completes the result. err says why the run ended early, for example because a driver
// failed; if it is nil, an unfinished run counts as interrupted.
func (p *Player) Finish(err error) error {
	r := p.result
	if r.EndedBy == "" {
		r.EndedBy = interruption
		if err != nil {
			r.EndedBy = failure
		}
	}
	r.Time = p.board.Now()
	for _, w := range p.board.Waits() {
		r.Waits = append(r.Waits, p.wait(w))
	}
	for _, m := range p.board.Monitors() {
		r.Monitors = append(r.Monitors, Monitor{m.Name, m.Value.Bool})
	}
	for _, j := range p.judges {
		if v := j.verdict(p); v.Requirement != "" {
			r.Verdicts = append(r.Verdicts, v.asFarAs(r))
		}
	}
	if p.traces != nil {
		err = errors.Join(err, p.traces.flush())
	}
	r.TraceHash = p.hash.sum()
	r.decide(err)
	return err
}

func (p *Player) wait(w storyboard.Wait) Wait {
	wait := Wait{Element: w.Element.String(), State: w.Status.String(),
		Place: w.Element.Place.String()}
	for _, c := range w.Conditions {
		last := p.board.Last(c)
		wait.Conditions = append(wait.Conditions, Open{c.Name, c.Place.String(),
			last.Value + pending(c, &last)})
	}
	return wait
}

// pending says why a condition whose comparison holds is not true.
func pending(c *storyboard.Condition, last *storyboard.Reading) string {
	switch {
	case !last.Holds:
		return ""
	case last.Edge:
		return " (for less than the delay)"
	case c.Edge == "falling":
		return " (waits for its falling edge)"
	case c.Edge == "rising" || c.Edge == "risingOrFalling":
		return " (has been true since its last edge or from the start)"
	}
	return ""
}

// observe records an occurrence.
func (p *Player) observe(o storyboard.Occurrence) {
	if o.Note != nil {
		p.note(o.Note)
		return
	}
	if o.Transition == storyboard.NoTransition {
		return
	}
	e := Event{Time: o.Time, Element: o.Element.String(), Transition: o.Transition.String(),
		State: o.Status.String(), Place: o.Element.Place.String(), Cause: o.Cause}
	p.result.Events = append(p.result.Events, e)
	p.hash.add(o.Time)
	p.hash.text(e.Element, e.Transition)
	if o.Element.Kind >= storyboard.Event && o.Element.Parent() != nil {
		p.last = &e
	}
	for _, j := range p.judges {
		j.happened(o)
	}
	if p.options.Log != nil {
		fmt.Fprintf(p.options.Log, "%8.3f  %s: %s%s\n", o.Time, title(o.Element), e.Transition,
			because(o.Cause))
	}
}

// title returns the kind and the name, for the log.
func title(e *storyboard.Element) string {
	return strings.TrimSpace(e.Kind.String() + " " + e.Name)
}

func because(cause string) string {
	if cause == "" {
		return ""
	}
	return " (" + cause + ")"
}

func (p *Player) note(n *storyboard.Note) {
	note := Note{Time: n.Time, Kind: n.Kind, Text: n.Text, Entity: p.name(n.Entity),
		Other: p.name(n.Other)}
	p.result.Notes = append(p.result.Notes, note)
	for _, j := range p.judges {
		if l, is := j.(listener); is {
			l.noted(p, &note)
		}
	}
	p.hash.text(note.Kind, note.Entity)
	if p.options.Log != nil {
		subject := strings.TrimSpace(note.Entity + " " + note.Other)
		if subject == "" {
			subject = "scenario"
		}
		fmt.Fprintf(p.options.Log, "%8.3f  %s: %s%s\n", n.Time, subject, n.Kind, because(n.Text))
	}
}

func (p *Player) name(e storyboard.Entity) string {
	if e < 0 || int(e) >= len(p.names) {
		return ""
	}
	return p.names[e]
}

// ego returns the entity that requirements are about unless they name another one.
func (p *Player) ego() int { return Ego(p.names) }

// Ego returns the number of the ego vehicle: the entity named Ego, Host or Hero in upper or lower
// case, or else the first one.
func Ego(names []string) int {
	for k, name := range names {
		switch strings.ToLower(name) {
		case "ego", "host", "hero":
			return k
		}
	}
	return 0
}
