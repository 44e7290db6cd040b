// Package draw implements gosmp draw, which draws messages from above, maps, systems and
// statecharts.
package draw

import (
	"bytes"
	"errors"
	"io"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/report/birdseye"
	"gosmp/report/snapshot"
	"gosmp/timebase"
)

// Command implements gosmp draw.
type Command struct {
	File    string   `arg:"" optional:"" predictor:"file" help:"SensorView, SensorData, GroundTruth or another message with objects, a trace with them (${traces}), a statechart (SCXML), a map (OpenDRIVE), or a system of FMUs (.ssp, .ssd); - is standard input. Without it the demo scene is drawn, a motorway."`
	Out     string   `short:"o" placeholder:"FILE" help:"Picture to write; the extension determines the format: ${pictures}. - is a png on standard output. By default NAME.png in the working directory for FILE NAME, or motorway.png. A statechart, a map or a system is an svg."`
	Time    *float64 `xor:"moment" placeholder:"SECONDS" help:"Time to draw: for a trace, the last message at or before this time; for the demo scene, 4 by default."`
	Frame   int      `xor:"moment" placeholder:"N" help:"Draw message number N of a trace; counted from 1, the default."`
	Mark    []string `placeholder:"STATE" help:"Mark a state of a statechart as active, with the states that contain it; may be repeated."`
	As      string   `enum:",sensorview,sensordata,groundtruth,trafficupdate,streamingupdate,hostvehicledata,statechart,map" default:"" placeholder:"TYPE" help:"The kind of the file, if it cannot be determined from its content: sensorview, sensordata, groundtruth, trafficupdate, streamingupdate, hostvehicledata, statechart or map."`
	Channel []string `sep:"none" placeholder:"TOPIC" help:"Draw the first message of these channels of a trace: a topic, its last part, or a type such as SensorView or sv. May be repeated; several channels of updates are drawn together."`
	Polar   bool     `help:"Draw rings and rays around the host vehicle instead of a square grid."`
	Color   string   `placeholder:"FIELD" help:"Color the points of lidar, radar and camera by this field: x, y, z, or a name such as intensity, radial velocity or signal strength. By default, the first field that has values."`

	Variant string `placeholder:"NAME" help:"Description to draw of a package of a system (.ssp), if not SystemStructure.ssd."`
}

// Help returns the text that follows the list of flags.
func (Command) Help() string {
	return `The picture shows the ground truth of a SensorView from above, around the host ` +
		`vehicle, its reflections, and for a SensorData the detections: objects, lane ` +
		`boundaries, and the points of lidar, radar, ultrasonic sensor and camera. A recorded ` +
		`message does not describe the sensor, so its picture shows no field of view; the demo ` +
		`scene does. By default, a trace shows its first SensorView, SensorData or GroundTruth, ` +
		`or else the objects of all channels of TrafficUpdates and StreamingUpdates together, ` +
		`or else its first HostVehicleData.`
}

// Run draws one message from above.
func (c *Command) Run() error {
	if in, kind := c.document(); c.drawings()[kind] != nil {
		return c.drawDocument(in, kind)
	}
	if in := inputfile.Named(c.File); c.As == "" && c.File != cli.StandardOutput {
		if err := in.Unsuited("draw", "file"); err != nil {
			return err
		}
	}
	out := c.out()
	format, err := cli.PictureFormat(out)
	if err != nil {
		return err
	}
	frame, err := c.snapshot()
	if err != nil {
		return err
	}
	frame.Polar, frame.Color = c.Polar, c.Color
	var picture bytes.Buffer
	switch err := birdseye.Write(&picture, format, frame); {
	case errors.Is(err, birdseye.ErrColor):
		return cli.Invalid("--color", err)
	case err != nil:
		return err
	}
	return write(out, &picture)
}

// write writes a picture and announces its path.
func write(out string, picture *bytes.Buffer) error {
	if err := cli.WriteFile(out, func(w io.Writer) error {
		_, err := picture.WriteTo(w)
		return err
	}); err != nil {
		return err
	}
	return cli.Announce(out)
}

// out returns the path of the picture.
func (c *Command) out() string {
	switch {
	case c.Out != "":
		return c.Out
	case c.File == "":
		return "motorway.png"
	case c.File == cli.StandardOutput:
		return cli.StandardOutput
	}
	return cli.NameAfter(c.File, ".png")
}

// DefaultOut returns the path of the picture if no flag names one.
func (c *Command) DefaultOut() string {
	if cli.IsRegular(c.File) {
		if _, kind := c.document(); c.drawings()[kind] != nil {
			return cli.NameAfter(c.File, ".svg")
		}
	}
	return c.out()
}

// snapshot returns the snapshot to draw.
func (c *Command) snapshot() (*birdseye.Snapshot, error) {
	at, err := c.moment()
	if err != nil {
		return nil, err
	}
	if c.File == "" {
		if at == nil {
			at = new(timebase.Time)
			*at = 4 * timebase.Second
		}
		return birdseye.Motorway(*at)
	}
	in, done, err := openInput(c.File)
	if err != nil {
		return nil, err
	}
	defer done()
	return snapshot.Of(in.name, in.file, in.size, snapshot.Options{Type: c.As,
		Channels: c.Channel, Frame: c.Frame, Until: at, Warn: warn})
}

// moment checks --time and --frame. It returns nil without --time.
func (c *Command) moment() (*timebase.Time, error) {
	if c.Frame < 0 {
		return nil, cli.Unexpected("--frame", c.Frame, "a number of at least 1")
	}
	if c.Time == nil {
		return nil, nil
	}
	at, err := timebase.FromSeconds(*c.Time)
	if err != nil {
		return nil, cli.Invalid("--time", err)
	}
	return &at, nil
}
