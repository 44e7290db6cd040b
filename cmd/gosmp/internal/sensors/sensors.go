// Package sensors implements gosmp sensors, which replays recordings in real time, one line for
// each event.
package sensors

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/internal/plaintext"
	"gosmp/sensor/hub"
	"gosmp/sensor/simsensor"
	"gosmp/timebase"
)

// Command implements gosmp sensors.
type Command struct {
	Sensor []string `short:"s" required:"" sep:"none" placeholder:"DRIVER:FILE" predictor:"source" help:"Driver and file, such as baro_sim:./flight.csv; may be repeated. The file - is standard input. Drivers: ${drivers}."`
	Unit   string   `short:"u" default:"auto" predictor:"unit" help:"Unit of the time stamps: ms, us, s or ns; auto, the default, determines it from the rates of the sensors."`
	Speed  float64  `default:"1" help:"Speed relative to real time, 0.000001 to 1000000; 0 is as fast as possible."`
	Stop   *float64 `placeholder:"SECONDS" help:"Stop at this time of the replay; by default, at the end row or on Ctrl-C."`
	Loop   bool     `default:"true" negatable:"" help:"Start over at the end of a file without an end row."`
	Strict bool     `help:"Refuse files with malformed rows instead of skipping the rows."`
	JSON   bool     `name:"json" help:"Print one JSON object per line."`
}

// Help returns the text that follows the list of flags.
func (Command) Help() string {
	return `At the end, also after Ctrl-C, a summary on standard error lists the rows that ` +
		`each driver has published and their lateness: the delay relative to the plan, in ` +
		`seconds of real time at any speed. Standard input is read to its end before the ` +
		`replay begins.`
}

// The limits of --speed and --stop. With a longer time or a higher speed, a replay would exceed the
// 292 years of a [timebase.Time] within hours.
const (
	slowest, fastest = 1e-6, 1e6
	shortest         = 1e-9 // s
	longest          = 9.2e9
)

// patience is how long further signals count as the first one: the program timeout sends two at
// once.
const patience = time.Second

// replay is a valid command line.
type replay struct {
	sources []source
	unit    simsensor.Unit
	until   timebase.Time
}

// source is a file and the driver that replays it.
type source struct {
	driver simsensor.Driver
	file   string // - is standard input
}

// plan checks the command line.
func (c *Command) plan() (*replay, error) {
	r := &replay{until: timebase.EndOfTime}
	var err error
	if r.unit, err = simsensor.ParseUnit(c.Unit); err != nil {
		return nil, cli.Invalid("--unit", err)
	}
	if c.Speed != 0 && !(c.Speed >= slowest && c.Speed <= fastest) {
		return nil, cli.Unexpected("--speed", c.Speed,
			"0 (as fast as possible) or a number from 0.000001 to 1000000")
	}
	if c.Stop != nil {
		if !(*c.Stop >= shortest && *c.Stop <= longest) {
			return nil, cli.Unexpected("--stop", fmt.Sprintf("%v s", *c.Stop),
				"a time above 0 s and up to 9200000000 s")
		}
		if r.until, err = timebase.FromSeconds(*c.Stop); err != nil {
			return nil, cli.Invalid("--stop", err)
		}
	}
	for _, argument := range c.Sensor {
		driver, file, err := simsensor.ParseDriver(argument)
		if err != nil {
			return nil, cli.Invalid("--sensor", err)
		}
		r.sources = append(r.sources, source{driver, file})
	}
	return r, nil
}

// Run replays until the recordings end, the stop time is reached, or a signal ends it. Ctrl-C is
// treated like the end of the input: the summary is still written. Another Ctrl-C after [patience]
// ends the process, no matter what it is waiting for.
func (c *Command) Run() error {
	r, err := c.plan()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(plaintext.Writer(os.Stdout))
	warnings := newWarnings(plaintext.Writer(os.Stderr))
	o := hub.Options{Speed: c.Speed, Until: r.until, Event: eventPrinter(c.JSON, out),
		Recording: simsensor.Options{Unit: r.unit, Loop: c.Loop, Strict: c.Strict,
			Warn: warnings.add}}
	if c.Speed != 0 {
		o.Instant = out.Flush // print every line at once
	}
	if o.Drivers, err = r.drivers(); err != nil {
		return err
	}
	h, err := hub.New(o)
	if err != nil {
		return err
	}
	defer h.Close()
	// Signals are caught until the process ends, because one sent together with the first may still
	// arrive.
	ctx, stop := cli.UntilEnded()
	context.AfterFunc(ctx, func() { time.AfterFunc(patience, stop) })
	err = h.Run(ctx)
	if written := out.Flush(); written != nil { // such an error already ended the replay
		err = cli.Flushed(written)
	}
	warnings.count()
	return errors.Join(err, writeSummary(plaintext.Writer(os.Stderr), h.Summary()))
}

// drivers returns the drivers with their recordings.
func (r *replay) drivers() (list []hub.Driver, err error) {
	inputs := map[string]*inputfile.File{} // standard input can only be read once
	for _, s := range r.sources {
		in := inputs[s.file]
		if in == nil {
			if in, err = inputfile.Open(s.file); err != nil {
				return nil, err
			}
			inputs[s.file] = in
		}
		d := hub.Driver{Driver: s.driver, Name: in.Name}
		if in.Piped {
			d.Content = in.Bytes // not nil, even if it is empty
		}
		list = append(list, d)
	}
	return list, nil
}

// Endless implements the interface of sessions: a replay that loops ends only at an end row.
func (c *Command) Endless() (cause, remedy string) {
	r, err := c.plan()
	if err != nil || !c.Loop || c.Stop != nil {
		return "", "" // Run reports the error
	}
	for _, s := range r.sources {
		if name, loops := c.loops(s, r.unit); loops {
			return "sensors with " + name + ", which has no end row and starts over",
				"with --stop or --no-loop"
		}
	}
	return "", ""
}

// loops reports whether a recording starts over, and returns its name. Standard input is left at
// its start: in a session, it is a file.
func (c *Command) loops(s source, unit simsensor.Unit) (name string, loops bool) {
	in, err := inputfile.Open(s.file)
	if err != nil {
		return s.file, false // Run reports it
	}
	if in.Piped {
		if _, err := os.Stdin.Seek(0, io.SeekStart); err != nil {
			return in.Name, true
		}
	}
	found, err := in.Inspect(simsensor.Options{Unit: unit, Loop: true})
	return in.Name, err == nil && !found.EndRow
}

// eventPrinter writes one line for each event.
func eventPrinter(asJSON bool, out io.Writer) func(hub.Event) error {
	if asJSON {
		return func(e hub.Event) error { return writeJSON(out, &e) }
	}
	return func(e hub.Event) error { return writeText(out, &e) }
}

// writeSummary writes what each driver published, and how late.
func writeSummary(out io.Writer, s *hub.Summary) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, p := range s.Published {
		fmt.Fprintf(w, "%s\t%v\t%d events\t%d rejected\t%d rounds\t%s\n", p.Driver, p.Kind,
			p.Events, p.Rejected, p.Rounds, p.File)
	}
	if l := &s.Lateness; l.Count > 0 {
		seconds := func(d timebase.Duration) float64 { return d.Seconds() / s.Speed }
		fmt.Fprintf(w, "lateness\tmean %.6f s\t99 %% below %.6f s\tlongest %.6f s\n",
			seconds(l.Mean()), seconds(l.Quantile(0.99)), seconds(l.Max))
	}
	return w.Flush()
}
