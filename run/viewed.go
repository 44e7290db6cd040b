package run

import (
	"context"
	"errors"
	"io"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"gosmp/cosim"
	"gosmp/experiment/scxml"
	"gosmp/experiment/trial"
	"gosmp/importer/system"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/opendrive/draw"
	"gosmp/report/livepage"
	"gosmp/run/view"
	"gosmp/scenario/storyboard"
	"gosmp/timebase"
)

// mostViewed is the maximum number of variables in a view. A page with more would be slow.
const mostViewed = 300

// forPage is the time that a run waits for the page to be opened.
const forPage = 30 * time.Second

// viewed is an observer of an engine that shows a run in a browser.
type viewed struct {
	view    *view.View
	log     *logger
	signals []*cosim.Signal // numbers
	picture *cosim.Signal   // a SensorView or GroundTruth; may be nil
	truth   bool            // whether picture is a GroundTruth
	last    float64         // s
	text    string          // how the run ended
	begun   bool            // the values of the start have been shown
	// outputs of vehicles that machines set in motion at the start; they show this one step later
	moved  map[*cosim.Signal]bool
	end    func() // shows the end of a scenario
	posted postbox

	mu   sync.Mutex
	over bool // all waiting must end
}

// follow ends all waiting when the context ends, including for a page that opens later. The
// returned function stops following.
func (v *viewed) follow(ctx context.Context) (stop func() bool) {
	if v == nil {
		return func() bool { return false }
	}
	return context.AfterFunc(ctx, func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.over = true
		if v.view != nil {
			v.view.Release()
		}
	})
}

// postbox holds the events sent by a user.
type postbox struct {
	mu     sync.Mutex
	events []scxml.Event
}

// mostPosted is the maximum number of events that wait for a run.
const mostPosted = 1000

// send adds an event with data in JSON, or without data.
func (p *postbox) send(name string, data []byte) error {
	e := scxml.Event{Name: name}
	if len(data) > 0 {
		v, ok := scxml.JSON(string(data))
		if !ok {
			return errors.New("found data that charts cannot read, expected JSON")
		}
		e.Data = v
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.events) == mostPosted {
		return errors.New("too many events wait for the run")
	}
	p.events = append(p.events, e)
	return nil
}

func (p *postbox) all() (events []scxml.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	events, p.events = p.events, nil
	return events
}

// speed returns the speed that the engine itself must keep.
func (o *Options) speed() float64 {
	if o.View {
		return 0 // the view controls the speed
	}
	return o.RealTime
}

// open opens the page. Events are those with a button; nil means that events are not accepted.
func (v *viewed) open(o *Options, ground *opendrive.Map, variables []livepage.Variable,
	events []string) error {
	var names []string
	for _, argument := range o.Files {
		_, file := system.Named(argument)
		names = append(names, filepath.Base(file))
	}
	settings := view.Options{Title: strings.Join(names, ", "), Variables: variables,
		Events: events, Speed: 1}
	if events != nil {
		settings.Send = v.posted.send
	}
	if o.RealTime > 0 {
		settings.Speed = o.RealTime
	}
	if ground != nil {
		settings.Ground = func(w io.Writer) error { return draw.Ground(w, ground) }
	}
	opened, err := view.Open(settings)
	if err != nil {
		return err
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.view = opened
	if v.over {
		opened.Release()
	}
	v.log.printed("view: " + opened.Address())
	if o.Browse != nil {
		o.Browse(opened.Address())
	}
	return nil
}

// watch chooses the numbers and the picture among the signals of an engine.
func (v *viewed) watch(signals []*cosim.Signal, picture *cosim.Signal,
	truth bool) (variables []livepage.Variable) {
	v.picture, v.truth = picture, truth
	for _, s := range signals {
		if s.Variable.Kind.IsBlob() || len(v.signals) == mostViewed {
			continue
		}
		v.signals = append(v.signals, s)
		variables = append(variables, livepage.Variable{Name: s.Label(), Unit: s.Variable.Unit,
			Steps: !s.Variable.Continuous})
	}
	return variables
}

// wait waits for the page to be opened.
func (v *viewed) wait() {
	opened := v.view.Wait(forPage)
	v.mu.Lock()
	defer v.mu.Unlock()
	if !opened && !v.over {
		v.log.warn("nobody has opened the page of --view: the run begins without")
	}
}

// Begin waits for the page to be opened.
func (v *viewed) Begin(*cosim.Result) error {
	v.wait()
	return nil
}

// Row shows the values at a time.
func (v *viewed) Row(t timebase.Time, _ cosim.Row) error {
	v.last = t.Seconds()
	v.view.Point(v.last, v.take)
	v.begun = true
	return nil
}

// End shows the end of the run.
func (v *viewed) End(*cosim.Result) error {
	v.view.Last(v.last, v.take)
	return nil
}

func (v *viewed) take(c *livepage.Course) ([]float64, livepage.Picture) {
	values := make([]float64, len(v.signals))
	for k, s := range v.signals {
		values[k] = firstElement(s)
		if !v.begun && v.moved[s] {
			values[k] = math.NaN()
		}
	}
	if v.picture == nil {
		return values, nil
	}
	_, blob := v.picture.First()
	if len(blob) == 0 {
		return values, nil
	}
	if v.truth {
		return values, c.GroundTruth(blob)
	}
	return values, c.SensorView(blob)
}

// observeView shows the run.
func (r *Simulation) observeView() error {
	v := &viewed{log: r.log}
	var picture *cosim.Signal
	truth := false
	for _, kind := range []string{"SensorView", "GroundTruth"} {
		if names := r.messages(kind); len(names) > 0 {
			picture, truth = r.Engine.Watch(names[0]), kind == "GroundTruth"
			break
		}
	}
	if err := v.open(&r.Options, nil, v.watch(r.signals, picture, truth), nil); err != nil {
		return err
	}
	r.viewed = v
	r.Engine.Observe(v)
	return nil
}

// viewExperiment shows an experiment.
func (e *Experiment) viewExperiment(o *trial.Options, log *logger) {
	e.viewed = &viewed{log: log}
	o.Posted = e.viewed.posted.all
	before := o.Observe
	o.Observe = func(s *trial.Simulation) error {
		if before != nil {
			if err := before(s); err != nil {
				return err
			}
		}
		return e.viewed.join(e.options, s)
	}
}

// join shows an experiment that is about to start, for the first time or again.
func (v *viewed) join(o *Options, s *trial.Simulation) error {
	var signals []*cosim.Signal
	var picture *cosim.Signal
	for _, x := range s.Variables {
		switch {
		case carries(x.Variable, "SensorView") && picture == nil:
			picture = s.Watch(x.Name)
		case x.Role == cosim.Output && !x.Kind.IsBlob():
			signals = append(signals, s.Watch(x.Name))
		}
	}
	v.begun, v.moved = false, map[*cosim.Signal]bool{}
	for _, signal := range signals {
		vehicle, _, _ := strings.Cut(signal.Label(), ".")
		v.moved[signal] = s.Full(vehicle+".view") != vehicle+".view"
	}
	for _, x := range s.Variables { // a SensorView without readers is computed if watched
		vehicle, _, _ := strings.Cut(x.Name, ".")
		if picture != nil {
			break
		}
		if s.Full(vehicle+".view") == vehicle+".view" { // an FMU and not a vehicle of the world
			continue
		}
		if p := s.Watch(vehicle + ".view"); carries(p.Variable, "SensorView") {
			picture = p
		}
	}
	v.signals = nil
	variables := v.watch(signals, picture, false)
	if v.view == nil {
		if err := v.open(o, nil, variables, append([]string{}, s.Events()...)); err != nil {
			return err
		}
	}
	s.Engine.Observe(v)
	return nil
}

// viewScenario shows a scenario.
func (s *Scenario) viewScenario() error {
	names := s.Names()
	variables := make([]livepage.Variable, len(names))
	for k, name := range names {
		variables[k] = livepage.Variable{Name: name + " speed", Unit: "m/s"}
	}
	v := &viewed{log: &logger{to: s.options.Log}}
	if err := v.open(s.options, s.roads, variables, nil); err != nil {
		return err
	}
	s.viewed = v
	take := func(*livepage.Course) ([]float64, livepage.Picture) {
		values := make([]float64, len(names))
		for k := range names {
			values[k] = math.NaN()
			if x := s.world.State(storyboard.Entity(k)); x != nil {
				values[k] = x.Speed
			}
		}
		return values, actors(s.world.Simulation())
	}
	begun := false
	s.Watch(func(b *storyboard.Board) {
		if !begun {
			begun = true
			v.wait()
		}
		v.last = b.Now()
		v.view.Point(v.last, take)
	})
	v.end = func() { v.view.Last(v.last, take) }
	return nil
}

// actors returns the picture of a world from above.
func actors(w *mocksim.World) livepage.Picture {
	p := livepage.Picture{}
	for k := range w.Len() {
		a := w.At(k)
		s, shape := a.State(), a.Shape()
		p = append(p, livepage.Object{ID: a.Name(), Name: a.Name(), Host: k == 0,
			Person: a.Kind() == mocksim.Pedestrian || a.Kind() == mocksim.Animal,
			Length: shape.Length, Width: shape.Width, X: s.Position.X, Y: s.Position.Y,
			Yaw: s.Orientation.Yaw, Speed: s.Speed})
	}
	return p
}

// closeWith sends the page the verdict of an experiment.
func (v *viewed) closeWith(verdict *trial.Verdict, err error) {
	if v != nil && err == nil && verdict != nil {
		v.text = verdict.Summary()
	}
	v.close(err)
}

// close informs the page how the run ended.
func (v *viewed) close(err error) {
	if v == nil || v.view == nil {
		return
	}
	if v.end != nil {
		v.end()
	}
	text := v.text
	if err != nil {
		text = err.Error()
	}
	v.view.Close(text)
}
