// Command bridge.json is a SUT support package: it connects a test director, which uses the
// simulator support API, with the system under test, which publishes messages and subscribes to
// them. It was generated once by gosmp bridge generate and is yours to edit; the other files are
// regenerated.
//
//	go run . --listen 127.0.0.1:7788
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"os/signal"
	"syscall"

	"gosmp/bridge"
	"gosmp/bridge/server"
	"gosmp/simapi"
	"gosmp/timebase"
)

// system is the SUT side of the simulator support API. SendMessages and Messages come from
// bridge.SUT: they check and publish messages, and keep those that arrive. Fill in what your stack
// can do; calls of a method that you remove are declined.
type system struct {
	bridge.SUT
	events Events
	now    timebase.Time
}

// newSystem creates a system whose messages use the transport of the configuration.
func newSystem(config *bridge.Config) (*system, error) {
	s := &system{SUT: bridge.SUT{Config: config, Warn: func(text string) { log.Println(text) }}}
	carrier, err := server.Open(config,
		server.Options{Name: "bridge.json", Receive: s.Receive, Warn: s.Warn})
	if err != nil {
		return nil, err
	}
	s.To = carrier
	s.events.OnGoal = func(timeNs int64, m *PoseStamped) error {
		log.Printf("%.3f s: event goal on /goal: %+v", float64(timeNs)/1e9, *m)
		return nil
	}
	s.events.OnEngage = func(timeNs int64, m *Bool) error {
		log.Printf("%.3f s: event engage on /engage: %+v", float64(timeNs)/1e9, *m)
		return nil
	}
	s.events.OnImu = func(timeNs int64, m *Imu) error {
		log.Printf("%.3f s: event imu on /imu: %+v", float64(timeNs)/1e9, *m)
		return nil
	}
	s.events.OnFix = func(timeNs int64, m *NavSatFix) error {
		log.Printf("%.3f s: event fix on /fix: %+v", float64(timeNs)/1e9, *m)
		return nil
	}
	return s, nil
}

// SendMessages receives the messages of the director: they are published and passed to the events.
func (s *system) SendMessages(ctx context.Context, list []*simapi.Message) error {
	if err := s.SUT.SendMessages(ctx, list); err != nil {
		return err
	}
	for _, m := range list {
		if err := s.events.handle(m.GetTopic(), int64(m.GetTimeMs()*1e6), m.GetCdr()); err != nil {
			return fmt.Errorf("topic %s: %w", m.GetTopic(), err)
		}
	}
	return nil
}

// Init is the first call: r contains step size, map and properties.
func (s *system) Init(context.Context, *simapi.Init) error { return nil }

// StartSimulation starts a simulation; it returns at once.
func (s *system) StartSimulation(context.Context, *simapi.StartSimulation) error {
	s.now = 0
	return nil
}

// WaitStartSimulation returns when the stack is ready to drive.
func (s *system) WaitStartSimulation(context.Context) error { return nil }

// Step receives the states of all actors at the end of each step of the director.
func (s *system) Step(_ context.Context, span timebase.Span,
	_ []*simapi.ActorState) ([]*simapi.Event, error) {
	s.now = span.End
	return nil, nil
}

// EndSimulation is the last call; the director's report contains what it returns.
func (s *system) EndSimulation(context.Context, *simapi.EndSimulation) ([]*simapi.Property, error) {
	return nil, nil
}

// SetEgoDestination receives the destination of the stack, at most once in a simulation.
func (s *system) SetEgoDestination(_ context.Context, r *simapi.SetEgoDestination) error {
	log.Printf("destination: %v", r)
	return nil
}

// Override may change the controls of an ego vehicle before the simulator gets them.
func (s *system) Override(context.Context, *simapi.SetDynamicMove) error { return nil }

// EgoInfo returns information about the stack itself, once for each step.
func (s *system) EgoInfo(context.Context, string) ([]*simapi.Property, error) { return nil, nil }

// EgoCommand receives a command of the director, in a form that you define.
func (s *system) EgoCommand(_ context.Context, r *simapi.EgoCommand) ([]*simapi.Property, error) {
	log.Printf("command: %v", r)
	return nil, nil
}

func main() {
	listen := flag.String("listen", "127.0.0.1:7788", "address at which the director connects")
	flag.Parse()
	if err := run(*listen); err != nil {
		log.Fatal(err)
	}
}

// run serves until a signal ends the process.
func run(address string) error {
	config, err := Table.Config()
	if err != nil {
		return err
	}
	s, err := newSystem(config)
	if err != nil {
		return err
	}
	defer func() { _ = s.To.Close() }()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	served := simapi.NewServer(simapi.Config{Name: "bridge.json", SUT: s})
	defer context.AfterFunc(ctx, func() { _ = served.Close() })()
	log.Printf("waiting for a director at %s", l.Addr())
	if err := served.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}
