// Package traffic simulates traffic on a map and records the surroundings and the sensors of one of
// its vehicles, the host, as gosmp simulate does.
//
//	m, err := opendrive.ReadFile("town.xodr")
//	o := traffic.Defaults(m)
//	o.Views = trace.OSIFile
//	s, err := traffic.Open(o)
//	defer s.Close()
//	err = s.Run(ctx, file)
//	result, err := s.Summary()
//
// The same map and options produce the same bytes, whatever the number of workers. Errors name the
// option by its flag, such as --step.
//
// Functions: [Defaults], [Open], [WithFlag]; types: [Options], [Simulation], [Summary].
package traffic

import (
	"bytes"
	"context"
	"errors"
	"io"

	"gosmp/bridge/flow"
	"gosmp/internal/gate"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/mocksim/recording"
	"gosmp/mocksim/truth"
	"gosmp/report/drivepage"
	"gosmp/run"
	"gosmp/run/usage"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/mcap"
)

// Options describe a simulation.
type Options struct {
	Map      *opendrive.Map
	Duration float64 // s
	Step     float64 // s, at most 1
	Seed     uint64  // of all random choices
	Workers  int     // threads that compute a step
	Traffic  mocksim.Traffic
	Range    float64 // of the messages around the host, in m; 0 is the whole map
	RealTime float64 // speed relative to the clock; 0 is as fast as possible

	Views     trace.Format       // of the trace that Run writes; Unknown if it writes none
	Recording *recording.Options // of the host's sensors; nil records none
	Page      bool               // keep what [Simulation.WritePage] needs

	Bridge string // configuration of a message bridge, which is joined; "" for none
	Access gate.Rules
	Log    func(text string) // receives what happens to the bridge; may be nil
	Warn   func(text string) // receives warnings; may be nil
	// Event receives each collision, lane change and message from the bridge. If it returns an
	// error, the simulation ends with it. It may be nil.
	Event func(line string) error
}

// Defaults returns the options of gosmp simulate without flags.
func Defaults(m *opendrive.Map) Options {
	return Options{Map: m, Duration: 30, Step: 0.02, Seed: 1, Workers: 1,
		Traffic: mocksim.Traffic{Count: run.DefaultActors, Host: run.HostName}}
}

// Simulation is a simulation of traffic.
type Simulation struct {
	o        Options
	w        *mocksim.World
	maker    *truth.Maker
	page     *drivepage.Recorder
	scale    timebase.Scale
	steps    int64
	stop     timebase.Time
	recorder *recording.Recorder
	recorded bytes.Buffer
	sink     trace.Sink
	views    *trace.Channel
	hits     int
	bridge   *flow.Flow // nil without one
	pace     timebase.Pace
}

// Open creates the vehicles. The caller must close the simulation.
func Open(o Options) (*Simulation, error) {
	s, err := open(o)
	if err != nil && s != nil && s.w != nil {
		s.w.Close()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

func open(o Options) (*Simulation, error) {
	for _, f := range []*func(string){&o.Log, &o.Warn} {
		if *f == nil {
			*f = func(string) {}
		}
	}
	if o.Event == nil {
		o.Event = func(string) error { return nil }
	}
	if err := o.Check(); err != nil {
		return nil, err
	}
	grid := timebase.Every(o.Step)
	s := &Simulation{o: o, scale: timebase.NewScale(timebase.Rational{}, grid),
		pace: timebase.Pace{Speed: o.RealTime,
			Behind: func(d timebase.Delay) { o.Warn(d.String()) }}}
	var err error
	if s.stop, err = timebase.FromSeconds(o.Duration); err != nil {
		return nil, err
	}
	if s.w, err = mocksim.New(o.Map, mocksim.Options{Seed: o.Seed, Step: grid.Step(),
		Grid: grid, Workers: o.Workers}); err != nil {
		return nil, err
	}
	if err := s.w.Populate(o.Traffic); err != nil {
		return s, WithFlag(err)
	}
	if text := run.LackOfRoom(s.w, o.Traffic); text != "" {
		o.Warn(text)
	}
	if o.Views != trace.Unknown || o.Bridge != "" {
		if s.maker, err = truth.New(s.w, truth.Options{Host: o.Traffic.Host,
			Range: o.Range}); err != nil {
			return s, usage.Of(err, map[string]string{"range": "--range"})
		}
	}
	if o.Recording != nil {
		if s.recorder, err = recording.New(s.w, *o.Recording, &s.recorded); err != nil {
			return s, err
		}
	}
	if o.Page {
		s.page = drivepage.New(s.w, o.Traffic.Host)
	}
	return s, s.joinBridge()
}

// Check returns an error for times that cannot be used.
func (o *Options) Check() error {
	if step := timebase.Every(o.Step).Step(); step <= 0 || step > timebase.Second {
		return usage.Unexpected("--step", o.Step, "a time above 0 s and at most 1 s")
	}
	if stop, err := timebase.FromSeconds(o.Duration); err != nil || stop <= 0 {
		return usage.Unexpected("--duration", o.Duration, "a time above 0 s")
	}
	if !(o.RealTime >= 0) {
		return usage.Unexpected("--real-time", o.RealTime, "a positive speed")
	}
	return nil
}

// WithFlag adds to an error about the traffic the flag that caused it.
func WithFlag(err error) error {
	return usage.Of(err,
		map[string]string{"populate.count": "--actors", "populate.speed": "--speed",
			"flow.rate": "--flow"})
}

// Close ends the workers of the simulation, and leaves the bridge if Run was not called.
func (s *Simulation) Close() {
	_ = s.leaveBridge() // Run has returned its error
	s.w.Close()
}

// Time returns the current time, in s.
func (s *Simulation) Time() float64 { return s.scale.Seconds(s.w.Time()) }

// Run simulates until the end or until the context ends, which is no error: what was recorded is
// complete up to that time. The trace is written as it grows, unless [Options].Views is
// [trace.Unknown]. Run may only be called once.
func (s *Simulation) Run(ctx context.Context, views io.Writer) error {
	var err error
	if s.o.Views == trace.Unknown {
		err = s.drive(ctx)
	} else {
		err = s.driveTraced(ctx, views)
	}
	if s.recorder != nil && err == nil {
		err = s.recorder.Close()
	}
	return errors.Join(err, s.leaveBridge())
}

// drive simulates until the end, or until ctx ends.
func (s *Simulation) drive(ctx context.Context) error {
	s.pace.Begin(s.w.Time())
	for s.w.Time() < s.stop && ctx.Err() == nil {
		if err := s.advance(); err != nil {
			return err
		}
		s.pace.Wait(ctx, s.w.Time())
	}
	return nil
}

// driveTraced simulates and writes the trace as it grows.
func (s *Simulation) driveTraced(ctx context.Context, to io.Writer) (err error) {
	if s.sink, err = trace.Create(to, s.o.Views,
		trace.SinkOptions{Compression: mcap.Zstd}); err != nil {
		return err
	}
	if s.views, err = s.sink.Add(trace.OSI(s.o.Traffic.Host+"."+run.ViewName,
		"SensorView")); err != nil {
		return err
	}
	if err := s.drive(ctx); err != nil {
		return err
	}
	return s.sink.Close()
}

func (s *Simulation) advance() error {
	s.steps++
	events, err := s.w.Step(s.scale.Point(s.steps) - s.w.Time())
	if err != nil {
		return err
	}
	for k := range events {
		if err := s.o.Event(events[k].String()); err != nil {
			return err
		}
		if events[k].Kind == mocksim.Collision {
			s.hits++
		}
	}
	if err := s.see(); err != nil {
		return err
	}
	if s.recorder != nil {
		if err := s.recorder.Sample(); err != nil {
			return err
		}
	}
	if s.page != nil {
		s.page.Add(s.w, events)
	}
	return nil
}

// see writes the host's SensorView to the trace and to the bridge.
func (s *Simulation) see() error {
	if s.maker == nil {
		return nil
	}
	b, err := s.maker.SensorView()
	if err != nil {
		return err
	}
	now := s.w.Time()
	if s.sink != nil {
		if err := s.sink.Write(&trace.Message{Channel: s.views, Time: now, Publish: now,
			Data: b}); err != nil {
			return err
		}
	}
	return s.publish(b)
}
