// Package simulate implements gosmp simulate, which simulates traffic on a map, and records, draws
// or serves it.
package simulate

import (
	"context"
	"fmt"
	"io"
	"os"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/internal/plaintext"
	"gosmp/mocksim"
	"gosmp/mocksim/opendrive"
	"gosmp/run"
	"gosmp/run/kind"
	"gosmp/run/traffic"
	"gosmp/trace"
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
	return c.simulate(m)
}

// simulate simulates and writes the requested outputs. A signal ends the simulation early.
func (c *Command) simulate(m *opendrive.Map) error {
	o, err := c.options(m)
	if err != nil {
		return err
	}
	p := &printer{json: c.JSON, out: c.output()}
	o.Event = p.event
	s, err := traffic.Open(o)
	if err != nil {
		return err
	}
	defer s.Close()
	return cli.CleaningUp(func(ctx context.Context) error {
		if err := c.run(ctx, s); err != nil {
			return err
		}
		if err := c.write(s); err != nil {
			return err
		}
		return c.summarize(s, p)
	})
}

func (c *Command) run(ctx context.Context, s *traffic.Simulation) error {
	run := func(to io.Writer) error {
		err := s.Run(ctx, to)
		if ctx.Err() != nil && err == nil {
			fmt.Fprintf(os.Stderr, "gosmp: interrupted at %g s; the output ends there\n", s.Time())
		}
		return err
	}
	if c.Trace == "" {
		return run(nil)
	}
	return cli.CompleteFile(c.Trace, run)
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

// options returns the options that the flags specify.
func (c *Command) options(m *opendrive.Map) (o traffic.Options, err error) {
	o = traffic.Options{Map: m, Duration: float64(c.Duration), Step: float64(c.Step), Seed: c.Seed,
		Workers: c.Workers, Traffic: c.traffic(), Range: c.Range, RealTime: c.RealTime,
		Page: c.Page != "", Bridge: c.Bridge, Warn: warn,
		Log: func(text string) { fmt.Fprintln(os.Stderr, plaintext.Shown(text)) }}
	if err := o.Check(); err != nil {
		return o, err
	}
	if c.Picture != "" {
		if _, err := cli.PictureFormat(c.Picture); err != nil {
			return o, cli.Unexpected("--picture", fmt.Sprintf("%q", c.Picture),
				"a name that ends in .svg, .png or .pdf")
		}
	}
	switch {
	case c.Trace == cli.StandardOutput:
		o.Views = trace.OSIFile
	case c.Trace != "":
		if o.Views, err = inputfile.RecordFormat("--trace", c.Trace); err != nil {
			return o, err
		}
	}
	if o.Recording, err = c.recording(); err != nil {
		return o, err
	}
	if c.Bridge != "" {
		o.Access, err = c.Rules()
	}
	return o, err
}

// warn logs a warning.
func warn(text string) { fmt.Fprintln(os.Stderr, "gosmp: warning: "+plaintext.Shown(text)) }
