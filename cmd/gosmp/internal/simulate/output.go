package simulate

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"

	"google.golang.org/protobuf/proto"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/plaintext"
	drive "gosmp/mocksim/recording"
	"gosmp/mocksim/truth"
	"gosmp/proto/osi3"
	"gosmp/report/birdseye"
	"gosmp/run"
)

// record starts a recording, if one was requested.
func (s *simulation) record() (err error) {
	c := s.c
	o := drive.Options{Host: run.HostName, Seed: c.Seed}
	if err := c.Sensors.options(&o); err != nil {
		return err
	}
	if c.Recording == "" {
		if c.Sensors.given() {
			return cli.Unexpected("--recording", "nothing",
				"a file, because flags of sensors are given")
		}
		return nil
	}
	s.recorder, err = drive.New(s.w, o, &s.recording)
	return err
}

// write writes the other requested files.
func (s *simulation) write() error {
	save := func(name string, write func(io.Writer) error) error {
		if name == "" {
			return nil
		}
		return cli.WriteFile(name, write)
	}
	if s.recorder != nil {
		if err := s.recorder.Close(); err != nil {
			return err
		}
	}
	recorded := func(w io.Writer) error { _, err := w.Write(s.recording.Bytes()); return err }
	if err := save(s.c.Recording, recorded); err != nil {
		return err
	}
	if err := save(s.c.Page, func(w io.Writer) error { return s.page.Write(w) }); err != nil {
		return err
	}
	return save(s.c.Picture, s.draw)
}

// draw draws everything within 150 m of the host vehicle.
func (s *simulation) draw(w io.Writer) error {
	format, err := cli.PictureFormat(s.c.Picture)
	if err != nil {
		return err
	}
	maker, err := truth.New(s.w, truth.Options{Host: run.HostName, Range: 150, Static: truth.Every})
	if err != nil {
		return err
	}
	b, err := maker.SensorView()
	if err != nil {
		return err
	}
	view := &osi3.SensorView{}
	if err := proto.Unmarshal(b, view); err != nil {
		return err
	}
	frame, err := birdseye.OfView(view)
	if err != nil {
		return err
	}
	return birdseye.Write(w, format, frame)
}

// output returns the file to print the results to.
func (s *simulation) output() *os.File {
	files := []string{s.c.Trace, s.c.Recording, s.c.Picture, s.c.Page}
	if slices.Contains(files, cli.StandardOutput) {
		return os.Stderr
	}
	return os.Stdout
}

// mostEvents limits the events in the JSON summary, because clients may send any number of them.
const mostEvents = 10_000

// happened prints an event at once, or keeps it for the JSON summary.
func (s *simulation) happened(line string) error {
	if !s.c.JSON {
		_, err := fmt.Fprintln(s.output(), plaintext.Clean(line))
		return cli.Flushed(err)
	}
	if len(s.events) < mostEvents {
		s.events = append(s.events, line)
	} else if len(s.events) == mostEvents {
		s.events = append(s.events, fmt.Sprintf("and more than %d events", mostEvents))
	}
	return nil
}

// summarize prints the results of the run.
func (s *simulation) summarize() error {
	out := bufio.NewWriter(s.output())
	host, err := s.w.Actor(run.HostName)
	if err != nil {
		return err
	}
	state := host.State()
	entered, left, waiting := s.w.FlowCounts()
	if s.c.JSON {
		events := s.events
		if events == nil {
			events = []string{}
		}
		summary := map[string]any{"formatVersion": 1, "map": s.c.Map,
			"seed": s.c.Seed, "actors": s.w.Len(),
			"time": s.scale.Seconds(s.w.Time()), "collisions": s.hits, "events": events,
			"host": map[string]float64{"x": state.Position.X, "y": state.Position.Y,
				"yaw": state.Orientation.Yaw, "speed": state.Speed}}
		if s.c.Flow > 0 {
			summary["flow"] = map[string]int{"entered": entered, "left": left, "waiting": waiting}
		}
		if err := cli.WriteJSON(out, summary); err != nil {
			return err
		}
		return cli.Flushed(out.Flush())
	}
	place := host.Place()
	plaintext.Printf(out, "%s: %d actors, %g s, %d collisions; %s at (%.2f, %.2f), %.1f m/s",
		s.c.Map, s.w.Len(), s.scale.Seconds(s.w.Time()),
		s.hits, run.HostName, state.Position.X, state.Position.Y, state.Speed)
	if place.Lane != nil {
		plaintext.Printf(out, ", road %s, lane %d, s %.1f", place.Road.ID, place.Lane.ID, place.S)
	}
	fmt.Fprintln(out)
	if s.c.Flow > 0 {
		fmt.Fprintf(out, "%d vehicles entered, %d left, %d are "+
			"waiting outside for room\n", entered, left,
			waiting)
	}
	return cli.Flushed(out.Flush())
}
