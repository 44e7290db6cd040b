// Package simulate implements gosmp simulate, which simulates traffic on a map, and records, draws
// or serves it.
package simulate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"gosmp/bridge/flow"
	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/internal/plaintext"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	drive "gosmp/mocksim/recording"
	"gosmp/mocksim/truth"
	"gosmp/report/drivepage"
	"gosmp/run"
	"gosmp/run/kind"
	"gosmp/run/usage"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/mcap"
)

// Command implements gosmp simulate.
type Command struct {
	Map      string      `arg:"" predictor:"file" help:"OpenDRIVE map; with --serve also a scenario (OpenSCENARIO)."`
	Actors   *int        `placeholder:"N" help:"Vehicles in addition to the host vehicle, whose positions depend on the seed; by default 10, and none with --serve."`
	Duration cli.Seconds `default:"30" placeholder:"SECONDS" help:"Simulated time."`
	Step     cli.Seconds `default:"0.02" placeholder:"SECONDS" help:"Step of the simulation, at most 1 s."`
	Seed     uint64      `default:"1" help:"Seed of all random choices."`
	Speed    float64     `placeholder:"M/S" help:"Desired speed of all vehicles; by default the speed limits of the lanes."`
	Flow     float64     `placeholder:"N" help:"Vehicles per hour that enter on each lane at the beginning of a road at the edge of the map. All vehicles except the host leave where roads end."`
	Changes  bool        `name:"lane-changes" help:"Vehicles change lanes to gain an advantage."`
	RealTime float64     `placeholder:"SPEED" help:"Synchronize the simulation with the clock: 1 is real time, 2 twice as fast. For viewers that are connected over a bridge."`
	Range    float64     `default:"0" placeholder:"METRES" help:"Range of the messages around the host vehicle; 0 means the whole map."`
	Workers  int         `default:"1" help:"Number of threads that compute a step. Results do not depend on it."`

	Trace     string `placeholder:"FILE" help:"Write a SensorView of each step to a trace (.mcap or .osi). The first one contains the whole map."`
	Recording string `placeholder:"FILE" help:"Write the measurements of the host vehicle's sensors, as a simsensor recording (.csv)."`
	Picture   string `placeholder:"FILE" help:"Draw the final scene from above; the extension determines the format: ${pictures}."`
	Page      string `placeholder:"FILE" help:"Write a web page (.html) with a slider over the run; it needs no network."`
	Bridge    string `predictor:"file" placeholder:"JSON" help:"Publish the host vehicle's measurements over a message bridge, and print received events, see BRIDGE.md."`
	JSON      bool   `name:"json" help:"Print the summary as one JSON document."`
	cli.Access

	Serve string `placeholder:"ADDRESS" help:"Serve the simulator support API over TCP at an address such as 127.0.0.1:7788 or TOKEN@:7788 instead, until the process ends. The map is given on the command line. The director creates all actors; vehicles of --actors are background traffic, whose states the director does not receive."`

	Set   []string `sep:"none" placeholder:"NAME=VALUE" help:"Set a parameter of the served scenario; may be repeated."`
	Point *int     `placeholder:"N" help:"Serve this point of a distribution of a scenario, numbered from 0."`

	Sensors sensorFlags `embed:""`
}

// Help returns the text that follows the list of flags.
func (Command) Help() string {
	return `A host vehicle, "ego", and other vehicles drive along the lanes of the map and ` +
		`choose randomly at forks. The same map, seed and flags produce the same files. Events ` +
		`(collisions, lane changes) are printed. See docs/MOCKSIM.md.`
}

// Endless implements the interface of sessions.
func (c *Command) Endless() (cause, remedy string) {
	if c.Serve == "" {
		return "", ""
	}
	return "simulate --serve", "without --serve"
}

// The defaults of flags that have one.
const (
	usualDuration, usualStep = 30, 0.02
	usualSeed                = 1
)

// unserved returns the given flags that have no effect on a served simulator.
func (c *Command) unserved() (names []string) {
	for _, f := range []struct {
		name  string
		given bool
	}{{"--trace", c.Trace != ""}, {"--recording", c.Recording != ""},
		{"--picture", c.Picture != ""}, {"--page", c.Page != ""}, {"--json", c.JSON},
		{"--real-time", c.RealTime != 0}, {"--range", c.Range != 0},
		{"--duration", c.Duration != usualDuration}, {"--step", c.Step != usualStep},
		{"--seed", c.Seed != usualSeed}, {"--origin", len(c.Sensors.Origin) > 0},
		{"--magnetic-field", len(c.Sensors.MagneticField) > 0},
		{"--noise", len(c.Sensors.Noise) > 0}, {"--bias", len(c.Sensors.Bias) > 0},
		{"--allow-origin", len(c.Origins) > 0},
		{"--allow-driving-from", len(c.Driving) > 0}} {
		if f.given {
			names = append(names, f.name)
		}
	}
	return names
}

// simulation is a run of the command.
type simulation struct {
	c         *Command
	w         *mocksim.World
	maker     *truth.Maker
	page      *drivepage.Recorder
	scale     timebase.Scale
	steps     int64
	step      timebase.Time
	stop      timebase.Time
	format    trace.Format
	recording bytes.Buffer
	recorder  *drive.Recorder
	sink      trace.Sink
	views     *trace.Channel
	events    []string
	hits      int
	bridge    *flow.Flow // nil without one
}

// Run simulates or serves.
func (c *Command) Run() error {
	if kind.Of(c.Map) == kind.Scenario {
		return c.serveScenario()
	}
	if len(c.Set) > 0 || c.Point != nil {
		return cli.Unexpected("--set, --point", c.Map, "a scenario (OpenSCENARIO)")
	}
	m, err := opendrive.ReadFile(c.Map)
	if err != nil {
		return err
	}
	for _, text := range run.LeftOut(m) {
		warn(text)
	}
	if c.Serve != "" {
		if err := c.onlyServes(); err != nil {
			return err
		}
		return c.serve(m)
	}
	s, err := c.prepare(m)
	if err != nil {
		return err
	}
	defer s.w.Close()
	return cli.CleaningUp(s.run)
}

// run simulates and writes the requested outputs. A signal ends the simulation early.
func (s *simulation) run(ctx context.Context) error {
	if err := s.joinBridge(); err != nil {
		return err
	}
	var err error
	if s.c.Trace == "" {
		err = s.drive(ctx)
	} else {
		err = cli.CompleteFile(s.c.Trace, func(to io.Writer) error {
			return s.driveTraced(ctx, to)
		})
	}
	if err = errors.Join(err, s.leaveBridge()); err != nil {
		return err
	}
	if err := s.write(); err != nil {
		return err
	}
	return s.summarize()
}

// drive simulates until the end, or until ctx ends.
func (s *simulation) drive(ctx context.Context) error {
	clock := timebase.SystemTime()
	for s.w.Time() < s.stop && ctx.Err() == nil {
		if err := s.advance(); err != nil {
			return err
		}
		if speed := s.c.RealTime; speed > 0 {
			if ahead := timebase.Duration(float64(s.w.Time())/speed) - clock.Now(); ahead > 0 {
				clock.Wait(ctx.Done(), ahead, nil)
			}
		}
	}
	if ctx.Err() != nil {
		fmt.Fprintf(os.Stderr, "gosmp: interrupted at %g s; the output ends there\n",
			s.scale.Seconds(s.w.Time()))
	}
	return nil
}

// driveTraced simulates and writes the trace as it grows.
func (s *simulation) driveTraced(ctx context.Context, to io.Writer) (err error) {
	if s.sink, err = trace.Create(to, s.format,
		trace.SinkOptions{Compression: mcap.Zstd}); err != nil {
		return err
	}
	if s.views, err = s.sink.Add(trace.OSI(run.HostName+"."+run.ViewName,
		"SensorView")); err != nil {
		return err
	}
	if err := s.drive(ctx); err != nil {
		return err
	}
	return s.sink.Close()
}

func (c *Command) traffic() mocksim.Traffic {
	t := mocksim.Traffic{Count: run.DefaultActors, Host: run.HostName,
		Driver: mocksim.Driver{Speed: c.Speed}, Flow: c.Flow}
	if c.Serve != "" {
		t.Count, t.Host = 0, "" // a director creates its own vehicles, often one with that name
	}
	if c.Actors != nil {
		t.Count = *c.Actors
	}
	if c.Changes {
		t.Driver.LaneChange = mocksim.ChangeWithMOBIL
	}
	return t
}

func (c *Command) prepare(m *opendrive.Map) (*simulation, error) {
	grid := timebase.Every(float64(c.Step))
	step := grid.Step()
	if step <= 0 || step > timebase.Second {
		return nil, cli.Unexpected("--step", c.Step, "a time above 0 s and at most 1 s")
	}
	if c.Picture != "" {
		if _, err := cli.PictureFormat(c.Picture); err != nil {
			return nil, cli.Unexpected("--picture", fmt.Sprintf("%q", c.Picture),
				"a name that ends in .svg, .png or .pdf")
		}
	}
	stop, err := timebase.FromSeconds(float64(c.Duration))
	if err != nil || stop <= 0 {
		return nil, cli.Unexpected("--duration", c.Duration, "a time above 0 s")
	}
	if c.RealTime < 0 {
		return nil, cli.Unexpected("--real-time", c.RealTime, "a positive speed")
	}
	s := &simulation{c: c, step: step, stop: stop, scale: timebase.NewScale(timebase.Rational{},
		grid)}
	if s.w, err = mocksim.New(m, mocksim.Options{
		Seed: c.Seed, Step: step, Grid: grid, Workers: c.Workers,
	}); err != nil {
		return nil, err
	}
	if err := s.w.Populate(c.traffic()); err != nil {
		return nil, ofFlag(err)
	}
	if text := run.LackOfRoom(s.w, c.traffic()); text != "" {
		warn(text)
	}
	if c.Trace != "" {
		s.format = trace.OSIFile // on standard output
		if c.Trace != cli.StandardOutput {
			if s.format, err = inputfile.RecordFormat("--trace", c.Trace); err != nil {
				return nil, err
			}
		}
	}
	if c.Trace != "" || c.Bridge != "" {
		if s.maker, err = truth.New(s.w, truth.Options{Host: run.HostName,
			Range: c.Range}); err != nil {
			return nil, usage.Of(err, map[string]string{"range": "--range"})
		}
	}
	if err := s.record(); err != nil {
		return nil, err
	}
	if c.Page != "" {
		s.page = drivepage.New(s.w, run.HostName)
	}
	return s, nil
}

// warn logs a warning.
func warn(text string) { fmt.Fprintln(os.Stderr, "gosmp: warning: "+plaintext.Shown(text)) }

func (s *simulation) advance() error {
	s.steps++
	events, err := s.w.Step(s.scale.Point(s.steps) - s.w.Time())
	if err != nil {
		return err
	}
	for k := range events {
		if err := s.happened(events[k].String()); err != nil {
			return err
		}
		if events[k].Kind == mocksim.Collision {
			s.hits++
		}
	}
	if s.maker != nil {
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
		if err := s.publish(b); err != nil {
			return err
		}
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

// ofFlag adds to a traffic error the flag that caused it.
func ofFlag(err error) error {
	return usage.Of(err,
		map[string]string{"populate.count": "--actors", "populate.speed": "--speed",
			"flow.rate": "--flow"})
}
