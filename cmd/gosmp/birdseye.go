package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"gosmp/sensor/objects/birdseye"
	"gosmp/timebase"
)

type birdseyeCommand struct {
	Out  string  `short:"o" default:"birdseye.png" placeholder:"FILE" help:"Picture to write; the ending chooses png, svg or pdf."`
	Time float64 `default:"4" help:"Which moment of the scene, in seconds."`
}

// Run draws one frame of the motorway scene: what there is, the field of view, and what is detected.
func (c *birdseyeCommand) Run() error {
	at, err := timebase.FromSeconds(c.Time)
	if err != nil {
		return err
	}
	frame, err := birdseye.Motorway(at)
	if err != nil {
		return err
	}
	f, err := os.Create(c.Out)
	if err != nil {
		return err
	}
	return errors.Join(birdseye.Write(f, strings.TrimPrefix(filepath.Ext(c.Out), "."), frame), f.Close())
}
