// Command simulator is the smallest useful simulator behind the simulator support API: flat ground,
// no collisions; actors follow points, or pedals and steering. It is meant to be copied: replace
// the world with your own simulator, and keep the methods.
//
//	go run ./examples/simulator 127.0.0.1:7788
//	gosmp sim check 127.0.0.1:7788
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"net"
	"os"
	"slices"

	"gosmp/simapi"
	"gosmp/timebase"
)

const longestStepMs = 5

// world is a [simapi.Simulator]. The server calls one method at a time and checks all arguments, so
// world needs neither locks nor checks.
type world struct {
	simapi.Base
	step   timebase.Grid
	now    timebase.Time
	cars   []*car // in the order of creation
	states []*simapi.ActorState
}

// car is an actor. Only its pose is reported; the server derives speed and acceleration.
type car struct {
	id         string
	state      *simapi.ActorState
	path       simapi.Trajectory
	controls   []*simapi.ActorControls // one for each step; nil when the car follows points
	speed, yaw float64
	exhausted  bool
}

func (w *world) Init(_ context.Context, r *simapi.Init) (*simapi.InitReply, error) {
	step := r.GetSimulationStepSizeMs()
	if step == 0 {
		step = r.GetStepSizeMs() / math.Ceil(r.GetStepSizeMs()/longestStepMs-1e-9)
	}
	w.step, _ = simapi.SpacingOf(step)
	return &simapi.InitReply{SimulationStepSizeMs: step}, nil
}

func (w *world) CreateActor(_ context.Context, r *simapi.CreateActor) (*simapi.ActorDescription,
	error) {
	d := r.GetDescription()
	made := &simapi.ActorDescription{ActorType: d.GetActorType(), Length: 4.6, Width: 1.85,
		Height: 1.5, AdditionalProperty: d.GetAdditionalProperty()}
	if d.GetLength() > 0 {
		made.Length, made.Width, made.Height = d.GetLength(), d.GetWidth(), d.GetHeight()
	}
	p, v := r.GetState().GetPosition(), r.GetState().GetSpeed()
	w.cars = append(w.cars,
		&car{id: r.GetActorId(), yaw: p.GetYaw(),
			speed: math.Sqrt(v.GetX()*v.GetX() + v.GetY()*v.GetY()),
			state: &simapi.ActorState{ActorId: r.GetActorId(),
				Position: simapi.Pose(p.GetX(), p.GetY(), p.GetYaw())}})
	return made, nil
}

func (w *world) DestroyActor(_ context.Context, id string) error {
	w.cars = slices.DeleteFunc(w.cars, func(c *car) bool { return c.id == id })
	return nil
}

func (w *world) find(id string) *car {
	return w.cars[slices.IndexFunc(w.cars, func(c *car) bool { return c.id == id })]
}

func (w *world) SetXYTrajectory(_ context.Context, r *simapi.SetXyTrajectory) error {
	c := w.find(r.GetActorId())
	c.path.Follow(r, w.now, w.step, c.state.GetPosition())
	c.controls, c.exhausted = nil, false
	return nil
}

func (w *world) SetDynamicMove(_ context.Context, r *simapi.SetDynamicMove) error {
	c := w.find(r.GetActorId())
	c.path.Stop()
	c.controls = slices.Clone(r.GetControls())
	return nil
}

func (w *world) ActorsStates(context.Context) ([]*simapi.ActorState, error) {
	w.states = w.states[:0]
	for _, c := range w.cars {
		w.states = append(w.states, c.state)
	}
	return w.states, nil
}

func (w *world) Step(_ context.Context, s timebase.Span) (events []*simapi.Event, err error) {
	for _, c := range w.cars {
		if c.path.Active() {
			c.path.At(s.End, c.state.Position)
			if s.End > c.path.End() && !c.exhausted {
				c.exhausted = true
				events = append(events,
					&simapi.Event{Kind: simapi.EventExhausted, ActorId: []string{c.id},
						TimeMs: simapi.Ms(s.End)})
			}
		} else if len(c.controls) > 0 {
			c.drive((s.End - s.Start).Seconds())
		}
	}
	w.now = s.End
	return events, nil
}

// drive moves the car by the first of its controls, along an arc with the radius of its steering;
// the last one is kept.
func (c *car) drive(h float64) {
	const accelerating, braking, wheelbase, steeringRatio = 4, 9, 2.7, 16
	k := c.controls[0]
	if len(c.controls) > 1 {
		c.controls = c.controls[1:]
	}
	v := math.Max(0, c.speed+h*(k.GetThrottle()*accelerating-k.GetBrake()*braking))
	way := (c.speed + v) / 2 * h
	turn := way * math.Tan(k.GetSteeringWheelAngle()/steeringRatio) / wheelbase
	p := c.state.Position
	c.state.Position = simapi.Pose(p.GetX()+way*math.Cos(c.yaw+turn/2),
		p.GetY()+way*math.Sin(c.yaw+turn/2), c.yaw+turn)
	c.speed, c.yaw = v, c.yaw+turn
}

func (w *world) EndSimulation(context.Context, *simapi.EndSimulation) ([]*simapi.Property, error) {
	w.cars, w.now = nil, 0
	return nil, nil
}

func main() {
	address := "127.0.0.1:7788"
	if len(os.Args) > 1 {
		address = os.Args[1]
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on", listener.Addr())
	server := simapi.NewServer(simapi.Config{Name: "example simulator", Simulator: &world{},
		SUT: simapi.BaseSUT{}})
	log.Fatal(server.Serve(listener))
}
