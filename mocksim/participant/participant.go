// Package participant makes a simulated world a participant in a co-simulation, next to FMUs: the
// world's messages and the motion of its actors are outputs; the pedals and the steering wheel of
// the host vehicle are inputs.
//
//	actors := func(w *mocksim.World) error {
//		return w.Populate(mocksim.Traffic{Count: 20, Host: "ego"})
//	}
//	p := participant.New(participant.Scene{Map: m, Host: "ego", Actors: actors})
//	engine.Add("simulator", p)
//	engine.Connect("simulator.OSMPSensorViewOut", "sensor.OSMPSensorViewIn")
//	engine.Connect("aeb.brake", "simulator.host.brakeRequest")
//
// The variables, in order:
//
//   - OSMPSensorViewOut and GroundTruthOut, Binary outputs with the MIME types of OSI. Messages
//     that are not read are not created. By default, the messages at the start and at the end of
//     the first step contain the map.
//   - OSMPSensorViewOutConfig, a calculated Binary: the SensorViewConfiguration that the
//     SensorViews follow. It answers the requests of the readers.
//   - host.control, Boolean input: while it is true, the inputs host.throttle, host.brake (0 to 1),
//     host.steeringWheelAngle (rad) and host.gear move the host vehicle; while it is false, the
//     scene does. host.targetSpeed (m/s) and host.tireAngle (rad), the commands of stacks such as
//     Autoware, press the pedals and turn the steering wheel as needed. If they are connected or
//     set, they replace pedals and steering wheel.
//   - host.brakeRequest, Float64 input: the additional braking by an assistance function, 0 to 1.
//   - count, collisions: Int32 outputs, the number of actors, and of collisions since the start.
//   - for each actor created by the scene, sorted by name: actor.NAME.x, y, z (m), yaw (rad), speed
//     (m/s), acceleration (m/s2) and s (m), Float64 outputs.
//   - OSMPGroundTruthInitOut, a calculated Binary: a GroundTruth with everything that never
//     changes.
//   - host.simsensorOut, Binary output: the measurements of the host vehicle's inertial sensors,
//     GPS and other sensors in a step, as rows of package recording. Its readers must step as often
//     as the world.
//   - for each actor of Scene.Seats: NAME.OSMPTrafficUpdateIn, Binary input. If it is connected,
//     the actor has an external driver; see package seat. If NAME.OSMPMotionRequestIn is connected,
//     the actor follows an external planner. NAME.OSMPTrafficCommandOut, Binary output: a
//     TrafficCommand in each step, with the actions of [Participant.Orders];
//     NAME.OSMPTrafficCommandUpdateIn is for the answers. NAME.OSMPHostVehicleDataOut and
//     NAME.OSMPStreamingUpdateOut, Binary outputs. NAME.roadUnderWheels, Float64 output of size 4:
//     the height of the road (m) under the front wheels, then the rear wheels, from right to left.
//     All actors except the host vehicle also have NAME.OSMPSensorViewOut and
//     NAME.OSMPSensorViewOutConfig.
//
// Drivers step before the world, because of their connections to it; see osmp/connect.
//
// Rules: inputs out of range end the step with an error that names the variable. States can be
// saved and restored. The same scene gives the same values.
//
// Index: [Participant] with [Scene]; errors wrap the errors of mocksim.
package participant

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gosmp/cosim"
	"gosmp/internal/fault"
	"gosmp/internal/similar"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/recording"
	"gosmp/mocksim/truth"
	"gosmp/timebase"
)

// ErrVariable reports an unusable input, or a variable that does not exist.
var ErrVariable = errors.New("unusable variable")

// Scene is the scene to simulate.
type Scene struct {
	Map     *opendrive.Map
	Options mocksim.Options // Start is that of the co-simulation
	Truth   truth.Options   // Host names the host vehicle
	// Actors creates the actors in an empty world and assigns their moves. It is called once to
	// determine the names of the variables, and once when the simulation starts.
	Actors func(w *mocksim.World) error
	// Seats lists the actors that models drive or use as a sensor's host.
	Seats []string
	// FromDrivers lets drivers determine where their actors start.
	FromDrivers bool
	// Events receives the events of each step; may be nil.
	Events func([]mocksim.Event)
	// Join lets an external simulator move the actors of a new world; if it is nil, the world moves
	// them. step is the time between communication points. Such a world can neither be saved nor
	// restored.
	Join func(ctx context.Context, w *mocksim.World, step timebase.Grid) error
}

// Participant is a world in a co-simulation. It implements [cosim.Participant], [cosim.Restorer]
// and [cosim.Keeper].
type Participant struct {
	scene     Scene
	variables []cosim.Variable
	names     []string // the names of the actors, in order
	more      []more   // variables that follow the actors' variables
	w         *mocksim.World
	messages  messages
	desks     []*desk         // of Scene.Seats
	live      *recording.Live // nil: the measurements are not read
	in, out   *cosim.Frame
	saved     []byte
	hits      int64
	most      int // the largest number of actors so far
	start     timebase.Time
	driven    bool // the inputs drive the host vehicle
}

// The numbers of the variables that precede the actors' variables.
const (
	sensorView = iota
	groundTruth
	control
	throttle
	brake
	steering
	gear
	brakeRequest
	count
	collisions
	configuration
	targetSpeed
	tireAngle
	firstActor
)

// New creates a participant. It returns the errors of the scene.
func New(s Scene) (*Participant, error) {
	p := &Participant{scene: s}
	w, err := mocksim.New(s.Map, s.Options)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if err := s.Actors(w); err != nil {
		return nil, err
	}
	if _, err := w.Actor(s.Truth.Host); err != nil {
		return nil, err
	}
	for k := range w.Len() {
		p.names = append(p.names, w.At(k).Name())
	}
	for _, name := range s.Seats {
		if !slices.Contains(p.names, name) {
			return nil, fault.New(mocksim.ErrActor, fault.At("mocksim"), fmt.Sprintf("%q", name),
				"one of "+strings.Join(p.names, ", ")).WithHint(similar.Hint(name, p.names))
		}
	}
	p.declare()
	return p, nil
}

// Limits of the controls, which the mock simulator refuses to exceed.
var (
	pedal = cosim.Limits{Most: 1}
	wheel = cosim.Limits{Least: -mocksim.MostSteeringWheel, Most: mocksim.MostSteeringWheel} // rad
	tire  = cosim.Limits{Least: wheel.Least / mocksim.SteeringRatio,
		Most: wheel.Most / mocksim.SteeringRatio}
	gears = cosim.Limits{Least: mocksim.LeastGear, Most: mocksim.MostGear}
)

func (p *Participant) declare() {
	p.variables = []cosim.Variable{
		sensorView: {Name: "OSMPSensorViewOut", Kind: cosim.Binary, Role: cosim.Output, Size: 1,
			MIMEType: mime("SensorView")},
		groundTruth: {Name: "GroundTruthOut", Kind: cosim.Binary, Role: cosim.Output, Size: 1,
			MIMEType: mime("GroundTruth")},
		control: {Name: "host.control", Kind: cosim.Boolean, Role: cosim.Input, Size: 1},
		throttle: {Name: "host.throttle", Kind: cosim.Float64, Role: cosim.Input, Size: 1,
			Continuous: true, Limits: &pedal},
		brake: {Name: "host.brake", Kind: cosim.Float64, Role: cosim.Input, Size: 1,
			Continuous: true, Limits: &pedal},
		steering: {Name: "host.steeringWheelAngle", Kind: cosim.Float64, Role: cosim.Input,
			Size: 1, Continuous: true, Unit: "rad", Limits: &wheel},
		gear: {Name: "host.gear", Kind: cosim.Int32, Role: cosim.Input, Size: 1, Limits: &gears},
		brakeRequest: {Name: "host.brakeRequest", Kind: cosim.Float64, Role: cosim.Input, Size: 1,
			Continuous: true, Limits: &pedal},
		count:      {Name: "count", Kind: cosim.Int32, Role: cosim.Output, Size: 1},
		collisions: {Name: "collisions", Kind: cosim.Int32, Role: cosim.Output, Size: 1},
		configuration: {Name: "OSMPSensorViewOutConfig", Kind: cosim.Binary, Role: cosim.Calculated,
			Size:     1,
			MIMEType: mime("SensorViewConfiguration")},
		targetSpeed: {Name: "host.targetSpeed", Kind: cosim.Float64, Role: cosim.Input, Size: 1,
			Continuous: true, Unit: "m/s", Limits: &cosim.Limits{Most: math.MaxFloat64}},
		tireAngle: {Name: "host.tireAngle", Kind: cosim.Float64, Role: cosim.Input, Size: 1,
			Continuous: true, Unit: "rad", Limits: &tire},
	}
	for _, name := range p.names {
		for _, q := range quantities {
			p.variables = append(p.variables, cosim.Variable{Name: "actor." + name + "." + q.name,
				Kind: cosim.Float64,
				Role: cosim.Output, Size: 1, Continuous: true, Unit: q.unit})
		}
	}
	p.declareMore()
}

// World returns the world, or nil before Enter and after Close.
func (p *Participant) World() *mocksim.World { return p.w }

// Actors returns the largest number of actors that have been in the world at a time. A third-party
// simulator may add actors to those of the scene.
func (p *Participant) Actors() int { return max(p.most, len(p.names)) }

// Collisions returns the number of collisions since the start of the run, even after the run has
// ended. Collisions in a step that was undone do not count.
func (p *Participant) Collisions() int64 { return p.hits }

// Variables returns the variables that the package comment lists.
func (p *Participant) Variables() []cosim.Variable { return p.variables }

// Traits states that steps may have any length, and that states can be restored and saved.
func (p *Participant) Traits() cosim.Traits {
	keeps := p.scene.Join == nil
	return cosim.Traits{VariableSteps: true, Restores: keeps, Keeps: keeps}
}

// Bind creates the frames; the gear starts at 1.
func (p *Participant) Bind(inputs, outputs []int) (in, out *cosim.Frame, err error) {
	for _, list := range [...][]int{inputs, outputs} {
		for _, k := range list {
			if k < 0 || k >= len(p.variables) {
				return nil, nil, fault.New(ErrVariable, fault.At("mocksim"),
					fmt.Sprint("number ", k), fmt.Sprintf("0 to %d", len(p.variables)-1))
			}
		}
	}
	p.in, p.out = cosim.NewFrame(p.variables, inputs), cosim.NewFrame(p.variables, outputs)
	p.in.Times = make([]timebase.Time, len(p.in.Ports))
	for k, port := range p.in.Ports {
		if port.Variable == gear {
			p.in.SetInteger(k, 0, 1)
		}
	}
	return p.in, p.out, nil
}

// Enter creates the world.
func (p *Participant) Enter(ctx context.Context, s cosim.Setup) error {
	o := p.scene.Options
	o.Start, p.start = s.Start, s.Start
	if o.Step == 0 {
		o.Step, o.Grid = s.Step.Step(), s.Step
	}
	w, err := mocksim.New(p.scene.Map, o)
	if err != nil {
		return err
	}
	p.w = w
	if p.scene.Join != nil {
		if err := p.scene.Join(ctx, w, s.Step); err != nil {
			return err
		}
	}
	if err := p.scene.Actors(w); err != nil {
		return err
	}
	if err := w.Begin(); err != nil {
		return err
	}
	if err := p.open(); err != nil {
		return err
	}
	return p.fill(true)
}

// Depends states that outputs do not depend on inputs before the first step.
func (p *Participant) Depends(int) (inputs []int, known bool) { return nil, true }

// Exchange checks the inputs without moving anything.
func (p *Participant) Exchange(context.Context) error {
	if _, err := p.read(); err != nil {
		return err
	}
	return nil
}

// Leave does nothing.
func (p *Participant) Leave(context.Context) error { return nil }

// Step advances the world.
func (p *Participant) Step(_ context.Context, s timebase.Span) (cosim.Advance, error) {
	if err := p.apply(s.End); err != nil {
		return cosim.Advance{}, err
	}
	for p.w.Time() < s.End {
		events, err := p.w.Step(min(s.End-p.w.Time(), timebase.Second))
		if err != nil {
			return cosim.Advance{}, err
		}
		p.most = max(p.most, p.w.Len())
		for k := range events {
			if events[k].Kind == mocksim.Collision {
				p.hits++
			}
		}
		if p.scene.Events != nil && len(events) > 0 {
			p.scene.Events(events)
		}
		if p.live != nil {
			if err := p.live.Sample(); err != nil {
				return cosim.Advance{}, err
			}
		}
	}
	if p.live != nil {
		p.live.Next()
	}
	// Participants that are later in the step order have not seen the messages at the start.
	return cosim.Advance{Reached: s.End}, p.fill(s.Start == p.start)
}

// Stop does nothing.
func (p *Participant) Stop(context.Context) error { return nil }

// Close stops the world's workers.
func (p *Participant) Close() error {
	if p.w != nil {
		p.w.Close()
		p.w = nil
	}
	return nil
}

var (
	_ cosim.Participant = (*Participant)(nil)
	_ cosim.Depender    = (*Participant)(nil)
	_ cosim.Restorer    = (*Participant)(nil)
	_ cosim.Keeper      = (*Participant)(nil)
)
