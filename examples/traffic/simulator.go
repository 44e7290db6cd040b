package main

import (
	_ "embed" // the ring
	"os"
	"path/filepath"
	"strings"

	"gosmp/frames"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/truth"
	"gosmp/model"
	"gosmp/timebase"
)

//go:embed ring.xodr
var ring string

const host = "ego"

// simulator is the model.
type simulator struct {
	view *model.Output

	path                               string
	actors, seed                       int32
	speed, reach                       float64
	changes, control                   bool
	throttle, brake, steering, request float64

	valid             bool
	count, collisions int32
	x, y, yaw         float64
	hostSpeed         float64

	stepSize func() float64 // s

	w      *mocksim.World
	maker  *truth.Maker
	driven bool
}

// Setup reads the map and creates the vehicles.
func (s *simulator) Setup(e model.Environment) error {
	s.stepSize = e.StepSize
	m, err := s.readMap(e.Resources)
	if err != nil {
		return err
	}
	if s.w, err = mocksim.New(m,
		mocksim.Options{Seed: uint64(s.seed), Start: e.Start}); err != nil {
		return err
	}
	t := mocksim.Traffic{Count: int(s.actors), Host: host, Driver: mocksim.Driver{Speed: s.speed}}
	if s.changes {
		t.Driver.LaneChange = mocksim.ChangeWithMOBIL
	}
	if err := s.w.Populate(t); err != nil {
		return err
	}
	s.maker, err = truth.New(s.w, truth.Options{Host: host, Static: truth.Every, Range: s.reach})
	return err
}

func (s *simulator) readMap(resources string) (*opendrive.Map, error) {
	if s.path == "" {
		return opendrive.Read("ring.xodr", strings.NewReader(ring))
	}
	if !filepath.IsAbs(s.path) && resources != "" {
		if inside := filepath.Join(resources, s.path); exists(inside) {
			return opendrive.ReadFile(inside)
		}
	}
	return opendrive.ReadFile(s.path)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Step advances the world and sends it.
func (s *simulator) Step(span timebase.Span) error {
	if err := s.apply(); err != nil {
		return err
	}
	for s.w.Time() < span.End {
		h := min(span.End-s.w.Time(), timebase.Second)
		seconds := h.Seconds()
		if h == span.Length() {
			seconds = s.stepSize()
		}
		events, err := s.w.StepBy(h, seconds)
		if err != nil {
			return err
		}
		for k := range events {
			if events[k].Kind == mocksim.Collision {
				s.collisions++
			}
		}
	}
	s.show()
	message, err := s.maker.SensorView()
	if err != nil {
		return err
	}
	s.valid = true
	return s.view.Publish(message)
}

// apply passes the inputs to the host vehicle.
func (s *simulator) apply() error {
	if err := s.w.Assist(host, s.request); err != nil {
		return err
	}
	switch {
	case s.control:
		s.driven = true
		return s.w.SetPedals(host,
			mocksim.Controls{Throttle: s.throttle, Brake: s.brake, SteeringWheel: s.steering,
				Gear: 1})
	case s.driven:
		s.driven = false
		return s.w.SetController(host, mocksim.Controller{})
	}
	return nil
}

func (s *simulator) show() {
	s.count = int32(s.w.Len())
	if v, err := s.w.Actor(host); err == nil {
		state := v.State()
		s.x, s.y, s.yaw, s.hostSpeed = state.Position.X, state.Position.Y, state.Orientation.Yaw,
			state.Speed
	}
}

// Snapshot implements [model.Snapshotter].
//
//nolint:unparam // the interface has an error
func (s *simulator) Snapshot(b []byte) ([]byte, error) {
	memory := s.maker.Memory()
	b = model.AppendBool(model.AppendBool(b, s.driven), memory.Sent)
	for _, v := range [...]float64{memory.Center.X, memory.Center.Y, memory.Center.Z} {
		b = model.AppendFloat64(b, v)
	}
	return model.AppendBytes(b, s.w.AppendState(nil)), nil
}

// Restore implements [model.Snapshotter].
func (s *simulator) Restore(b []byte) error {
	d := model.StateReader{Data: b}
	driven, sent := d.Bool(), d.Bool()
	center := frames.Vector{X: d.Float64(), Y: d.Float64(), Z: d.Float64()}
	world := d.Bytes()
	if err := d.Done(); err != nil {
		return err
	}
	if err := s.w.Restore(world); err != nil {
		return err
	}
	s.driven = driven
	s.maker.Recall(truth.Memory{Sent: sent, Center: center})
	return nil
}
