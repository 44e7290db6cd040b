package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"gosmp/sensor/simsensor"
	"gosmp/timebase"
)

type sensorsCommand struct {
	Sensor []string `short:"s" required:"" sep:"none" placeholder:"DRIVER:FILE" help:"Driver and file, such as baro_sim:./flight.csv; may be repeated. Drivers: ${drivers}."`
	Unit   string   `short:"u" default:"ms" help:"Unit of the time stamps: ms, us, s or ns."`
	Speed  float64  `default:"1" help:"How many times faster than real time; 0 is as fast as possible."`
	Stop   float64  `placeholder:"SECONDS" help:"Stop at this time; without it, at the end row or on Ctrl-C."`
	Loop   bool     `default:"true" negatable:"" help:"Start over at the end of a file that has no end row."`
	Strict bool     `help:"Refuse files with malformed rows instead of skipping these."`
	JSON   bool     `name:"json" help:"One JSON object in each line."`
}

// Run replays until the scenarios end, the stop time is reached, or ctx is done.
func (c *sensorsCommand) Run(ctx context.Context) error {
	unit, err := simsensor.ParseUnit(c.Unit)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	h := newHub(eventPrinter(c.JSON, out))
	defer h.close()
	for _, argument := range c.Sensor {
		driver, file, err := simsensor.ParseDriver(argument)
		if err != nil {
			return err
		}
		options := simsensor.Options{Unit: unit, Loop: c.Loop, Strict: c.Strict, Warn: func(p simsensor.Problem) {
			fmt.Fprintln(os.Stderr, p.Error())
		}}
		if err := h.add(driver, file, options); err != nil {
			return err
		}
	}
	until := timebase.EndOfTime
	if c.Stop > 0 {
		if until, err = timebase.FromSeconds(c.Stop); err != nil {
			return fmt.Errorf("--stop: %w", err)
		}
	}
	err = c.replay(ctx, h, until, out)
	return errors.Join(err, out.Flush(), h.writeSummary(os.Stderr))
}

// replay runs the hub on the clock that the speed asks for. In real time every line is out at once.
func (c *sensorsCommand) replay(ctx context.Context, h *hub, until timebase.Time, out *bufio.Writer) error {
	switch {
	case c.Speed == 0:
		return h.runVirtual(ctx, until)
	case c.Speed > 0:
		h.printed = out.Flush
		return h.runWall(ctx, until, c.Speed)
	}
	return fmt.Errorf("--speed is %v, expected 0 (as fast as possible) or more", c.Speed)
}

// eventPrinter writes one line for each event.
func eventPrinter(asJSON bool, out io.Writer) func(event) error {
	if asJSON {
		return func(e event) error { return e.writeJSON(out) }
	}
	return func(e event) error { return e.writeText(out) }
}
