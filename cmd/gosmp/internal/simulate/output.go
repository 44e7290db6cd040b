package simulate

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/plaintext"
	"gosmp/mocksim/recording"
	"gosmp/run"
	"gosmp/run/traffic"
	"gosmp/timebase"
)

// recording returns the options of a recording, or nil if none was requested.
func (c *Command) recording() (*recording.Options, error) {
	o := &recording.Options{Host: run.HostName, Seed: c.Seed}
	if err := c.Sensors.options(o); err != nil {
		return nil, err
	}
	if c.Recording == "" {
		if c.Sensors.given() {
			return nil, cli.Unexpected("--recording", "nothing",
				"a file, because flags of sensors are given")
		}
		return nil, nil
	}
	return o, nil
}

// write writes the other requested files.
func (c *Command) write(s *traffic.Simulation) error {
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{c.Recording, s.WriteRecording}, {c.Page, s.WritePage},
		{c.Picture, func(w io.Writer) error {
			format, err := cli.PictureFormat(c.Picture)
			if err != nil {
				return err
			}
			return s.WritePicture(w, format)
		}},
	} {
		if f.name == "" {
			continue
		}
		if err := cli.WriteFile(f.name, f.write); err != nil {
			return err
		}
	}
	return nil
}

// output returns the file to print the results to.
func (c *Command) output() *os.File {
	files := []string{c.Trace, c.Recording, c.Picture, c.Page}
	if slices.Contains(files, cli.StandardOutput) {
		return os.Stderr
	}
	return os.Stdout
}

// mostEvents limits the events in the JSON summary, because clients may send any number of them.
const mostEvents = 10_000

// printer prints events at once, or keeps them for the JSON summary.
type printer struct {
	json   bool
	out    io.Writer
	events []string
}

func (p *printer) event(line string) error {
	if !p.json {
		_, err := fmt.Fprintln(p.out, plaintext.Clean(line))
		return cli.Flushed(err)
	}
	if len(p.events) < mostEvents {
		p.events = append(p.events, line)
	} else if len(p.events) == mostEvents {
		p.events = append(p.events, fmt.Sprintf("and more than %d events", mostEvents))
	}
	return nil
}

// summary is the JSON output, which is a contract.
type summary struct {
	Actors        int           `json:"actors"`
	Collisions    int           `json:"collisions"`
	Events        []string      `json:"events"`
	Flow          *traffic.Flow `json:"flow,omitempty"`
	FormatVersion int           `json:"formatVersion"`
	Host          traffic.Host  `json:"host"`
	Lag           *timebase.Lag `json:"lag,omitempty"` // with --real-time
	Map           string        `json:"map"`
	Seed          uint64        `json:"seed"`
	Time          float64       `json:"time"` // s
}

// summarize prints the results of the run.
func (c *Command) summarize(s *traffic.Simulation, p *printer) error {
	r, err := s.Summary()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(p.out)
	if c.JSON {
		if err := cli.WriteJSON(out, summary{r.Actors, r.Collisions,
			append([]string{}, p.events...), r.Flow, 1, r.Host, r.Lag, c.Map, c.Seed,
			r.Time}); err != nil {
			return err
		}
		return cli.Flushed(out.Flush())
	}
	plaintext.Printf(out, "%s: %d actors, %g s, %d collisions; %s at (%.2f, %.2f), %.1f m/s",
		c.Map, r.Actors, r.Time, r.Collisions, run.HostName, r.Host.X, r.Host.Y, r.Host.Speed)
	if r.Host.Road != "" {
		plaintext.Printf(out, ", road %s, lane %d, s %.1f", r.Host.Road, r.Host.Lane, r.Host.S)
	}
	fmt.Fprintln(out)
	if r.Flow != nil {
		fmt.Fprintf(out, "%d vehicles entered, %d left, %d are "+
			"waiting outside for room\n", r.Flow.Entered, r.Flow.Left, r.Flow.Waiting)
	}
	if r.Lag != nil {
		fmt.Fprintln(out, r.Lag)
	}
	return cli.Flushed(out.Flush())
}
