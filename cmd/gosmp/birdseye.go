package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg/draw"

	"gosmp/report/birdseye"
	"gosmp/timebase"
)

type birdseyeCommand struct {
	Out  string  `short:"o" default:"birdseye.png" placeholder:"FILE" help:"Picture to write; the ending chooses the format: ${pictures}. - is a png on standard output, birdseye.png the default."`
	Time float64 `default:"4" help:"Which moment of the scene, in seconds."`
}

// Run draws one frame of the motorway scene: what there is, the field of view, and what is detected.
func (c *birdseyeCommand) Run() error {
	format, err := pictureFormat(c.Out)
	if err != nil {
		return err
	}
	at, err := timebase.FromSeconds(c.Time)
	if err != nil {
		return &usageError{"--time", err}
	}
	frame, err := birdseye.Motorway(at)
	if err != nil {
		return err
	}
	var picture bytes.Buffer
	if err := birdseye.Write(&picture, format, frame); err != nil {
		return err
	}
	return writeFile(c.Out, func(w io.Writer) error {
		_, err := picture.WriteTo(w)
		return err
	})
}

// pictureFormats are the formats that there are, which are the endings of files, too.
func pictureFormats() []string { return slices.Sorted(slices.Values(draw.Formats())) }

// pictureFormat is the format of a file of that name.
func pictureFormat(name string) (string, error) {
	if name == standardOutput {
		return "png", nil
	}
	ending := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	known := pictureFormats()
	if slices.Contains(known, ending) {
		return ending, nil
	}
	return "", unexpected("--out", fmt.Sprintf("%q", name), "a name that ends in ."+strings.Join(known, ", ."))
}
