package participant

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gosmp/cosim"
	"gosmp/internal/fault"
	"gosmp/internal/similar"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/truth"
	"gosmp/scenario"
	"gosmp/scenario/entities"
	"gosmp/scenario/play"
	"gosmp/scenario/storyboard"
	"gosmp/timebase"
)

// ErrSeat reports a seat that an entity cannot have, or an unusable input.
var ErrSeat = errors.New("unusable seat")

// Options configure how a scenario participates in a co-simulation.
type Options struct {
	Seed               uint64
	DisableControllers bool
	Map                *opendrive.Map // nil: the file that the document names
	Play               play.Options
	Seats              []string // names of the entities that have seats for models
	AllSeats           bool     // all vehicles have seats for models
	Range              float64  // radius around an entity covered by its messages, m; 0: everything
	FromDrivers        bool     // drivers report where they start
	// Join lets an external simulator follow the entities; may be nil.
	Join func(w *mocksim.World) error
}

// Participant is a scenario in a co-simulation. It implements [cosim.Participant] and plays the
// scenario once.
type Participant struct {
	*play.Player
	o         Options
	world     *entities.World
	names     []string
	variables []cosim.Variable
	about     []variable
	seats     []*seating
	in, out   *cosim.Frame
	maker     *truth.Maker // of the first seat or the ego vehicle
	truth     *truth.Maker // of GroundTruthOut
	over      bool
}

// New prepares a scenario. It fails when [entities.New] or [play.New] fails, and for seats of
// entities that are not vehicles.
func New(s *scenario.Scenario, o Options) (*Participant, error) {
	if o.Play.Step.IsZero() {
		o.Play.Step = timebase.Every(play.DefaultStep)
	}
	p := &Participant{o: o, names: play.EntityNames(s)}
	for _, name := range o.Seats {
		k := slices.Index(p.names, name)
		if k < 0 {
			return nil, fault.New(ErrSeat, fault.In(s.File), fmt.Sprintf("%q", name),
				"an entity of the scenario: "+strings.Join(p.names, ", ")).
				WithHint(similar.Hint(name, p.names))
		}
		p.seats = append(p.seats, newSeating(p, k))
	}
	var err error
	if p.world, err = entities.New(s, entities.Options{Seed: o.Seed, Map: o.Map,
		DisableControllers: o.DisableControllers, Join: o.Join}); err != nil {
		return nil, err
	}
	if o.AllSeats {
		p.seatAll()
	}
	for _, x := range p.seats {
		if kind := p.world.KindOf(storyboard.Entity(x.entity)); !kind.Vehicle() {
			return nil, fault.New(ErrSeat, fault.In(s.File),
				fmt.Sprintf("%s, a %s", p.names[x.entity], kind), "a vehicle")
		}
	}
	p.declare()
	p.Player, err = play.New(s, p.world, o.Play)
	return p, err
}

// seatAll creates a seat for each vehicle without one.
func (p *Participant) seatAll() {
	for k := range p.names {
		if p.world.KindOf(storyboard.Entity(k)).Vehicle() && p.seatOf(k) == nil {
			p.seats = append(p.seats, newSeating(p, k))
		}
	}
}

// StepSize returns the time between two evaluations, in s.
func (p *Participant) StepSize() float64 { return p.o.Play.Step.Seconds() }

// Duration returns the latest time at which the run ends, in s.
func (p *Participant) Duration() float64 {
	if p.o.Play.Duration == 0 {
		return play.DefaultDuration
	}
	return p.o.Play.Duration
}

// World returns the world with the entities.
func (p *Participant) World() *entities.World { return p.world }

// Variables returns the variables that the package comment lists.
func (p *Participant) Variables() []cosim.Variable { return p.variables }

// Traits states that steps have the step size of the play.
func (p *Participant) Traits() cosim.Traits { return cosim.Traits{FixedStep: p.o.Play.Step} }

// Bind creates the frames and determines which entities have drivers.
func (p *Participant) Bind(inputs, outputs []int) (in, out *cosim.Frame, err error) {
	p.in, p.out = cosim.NewFrame(p.variables, inputs), cosim.NewFrame(p.variables, outputs)
	p.in.Times = make([]timebase.Time, len(p.in.Ports))
	for _, x := range p.seats {
		if err := x.bind(); err != nil {
			return nil, nil, err
		}
	}
	return p.in, p.out, nil
}

// Enter performs Init, and evaluates the storyboard at time 0.
func (p *Participant) Enter(ctx context.Context, _ cosim.Setup) error {
	if err := p.makers(); err != nil {
		return err
	}
	var err error
	if p.over, err = p.Start(ctx); err != nil {
		return err
	}
	return p.fill()
}

// makers prepares the message makers if any messages are read.
func (p *Participant) makers() error {
	if !slices.ContainsFunc(slices.Concat(p.in.Ports, p.out.Ports), func(x cosim.Port) bool {
		return p.variables[x.Variable].Kind == cosim.Binary
	}) {
		return nil
	}
	m, err := truth.New(p.world.Simulation(), truth.Options{Host: p.names[play.Ego(p.names)],
		Static: truth.Every, Range: p.o.Range, Looks: p.world.Looks()})
	if err != nil {
		return err
	}
	p.maker, p.truth = m, m.For(p.names[play.Ego(p.names)], 0, 0)
	for _, x := range p.seats {
		const first = 10000 // of the ego vehicle
		name, id := p.names[x.entity], uint64(first)
		if x.entity != play.Ego(p.names) {
			id += uint64(x.entity) + 1
		}
		x.view = m.For(name, id, p.o.Range)
		x.drivers, x.data = m.For(name, id, p.o.Range), m.For(name, id, 0)
		x.stream = x.data.Stream()
	}
	return nil
}

// Depends states that outputs do not depend on inputs before the first step.
func (p *Participant) Depends(int) (inputs []int, known bool) { return nil, true }

// Exchange does nothing.
func (p *Participant) Exchange(context.Context) error { return nil }

// Leave does nothing.
func (p *Participant) Leave(context.Context) error { return nil }

// Step reads the drivers' messages, moves everything, and evaluates the storyboard. It ends the
// simulation when the scenario is over.
func (p *Participant) Step(ctx context.Context, s timebase.Span) (cosim.Advance, error) {
	if p.over { // at the start
		return cosim.Advance{Reached: s.Start, Ended: true}, nil
	}
	for _, x := range p.seats {
		if err := x.listen(s.End); err != nil {
			return cosim.Advance{}, err
		}
	}
	var err error
	if p.over, err = p.Player.Step(ctx); err != nil {
		return cosim.Advance{}, err
	}
	return cosim.Advance{Reached: s.End, Ended: p.over}, p.fill()
}

// fill writes the bound outputs.
func (p *Participant) fill() error {
	for port := range p.out.Ports {
		x := &p.about[p.out.Ports[port].Variable]
		var err error
		switch {
		case x.entity < 0:
			err = p.fillWorld(port, x.what)
		case p.variables[p.out.Ports[port].Variable].Kind == cosim.Binary:
			err = p.seatOf(x.entity).fill(port, x.what)
		default:
			p.fillState(port, x)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *Participant) seatOf(entity int) *seating {
	for _, x := range p.seats {
		if x.entity == entity {
			return x
		}
	}
	return nil
}

// fillWorld writes a message about the world.
func (p *Participant) fillWorld(port int, what string) error {
	if what == Init {
		if p.out.Blob(port, 0) == nil { // it never changes
			p.out.SetBlob(port, 0, p.maker.Static())
		}
		return nil
	}
	if !p.exists(play.Ego(p.names)) {
		p.out.SetBlob(port, 0, nil)
		return nil
	}
	b, err := p.truth.GroundTruth()
	p.out.SetBlob(port, 0, b)
	return err
}

func (p *Participant) exists(entity int) bool {
	return p.world.State(storyboard.Entity(entity)) != nil
}

// fillState writes a number that describes an entity.
func (p *Participant) fillState(port int, x *variable) {
	e := storyboard.Entity(x.entity)
	s := p.world.State(e)
	switch x.what {
	case "exists":
		p.out.SetInteger(port, 0, number(s != nil))
		return
	case "controlled":
		p.out.SetInteger(port, 0, number(s != nil && p.world.Driven(e) != 0))
		return
	}
	if s == nil {
		return
	}
	for k, value := range [...]float64{s.X, s.Y, s.Z, s.H, s.Speed, s.Acceleration} {
		if state[k].name == x.what {
			p.out.SetFloat(port, 0, value)
		}
	}
}

func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Stop does nothing.
func (p *Participant) Stop(context.Context) error { return nil }

// Close ends the simulation of the entities.
func (p *Participant) Close() error {
	p.world.Close()
	return nil
}

var (
	_ cosim.Participant = (*Participant)(nil)
	_ cosim.Depender    = (*Participant)(nil)
)
