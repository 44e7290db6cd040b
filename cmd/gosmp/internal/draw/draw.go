// Package draw implements gosmp draw, which draws messages from above, maps, systems and
// statecharts.
package draw

import (
	"bytes"
	"io"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/report/birdseye"
	"gosmp/timebase"
	"gosmp/trace"
)

// Command implements gosmp draw.
type Command struct {
	File    string   `arg:"" optional:"" predictor:"file" help:"SensorView or SensorData, a trace with them (.osi, MCAP, JSON Lines), a statechart (SCXML), a map (OpenDRIVE), or a system of FMUs (.ssp, .ssd); - is standard input. Without it the demo scene is drawn, a motorway."`
	Out     string   `short:"o" placeholder:"FILE" help:"Picture to write; the extension determines the format: ${pictures}. - is a png on standard output. By default NAME.png in the working directory for FILE NAME, or motorway.png. A statechart, a map or a system is an svg."`
	Time    *float64 `xor:"moment" placeholder:"SECONDS" help:"Time to draw: for a trace, the last message at or before this time; for the demo scene, 4 by default."`
	Frame   int      `xor:"moment" placeholder:"N" help:"Draw message number N of a trace; counted from 1, the default."`
	Mark    []string `placeholder:"STATE" help:"Mark a state of a statechart as active, with the states that contain it; may be repeated."`
	As      string   `enum:",sensorview,sensordata,groundtruth,statechart,map" default:"" placeholder:"TYPE" help:"The kind of the file, sensorview, sensordata, groundtruth, statechart or map, if it cannot be determined from its content."`
	Channel []string `sep:"none" placeholder:"TOPIC" help:"Draw the first message of these channels of a trace: a topic, its last part, or a type such as SensorView or sv. May be repeated."`

	Variant string `placeholder:"NAME" help:"Description to draw of a package of a system (.ssp), if not SystemStructure.ssd."`
}

// The values of --as.
const (
	asView  = "sensorview"
	asData  = "sensordata"
	asTruth = "groundtruth"
)

// Help returns the text that follows the list of flags.
func (Command) Help() string {
	return `The picture shows the ground truth of a SensorView from above, around the host ` +
		`vehicle, and for a SensorData also the detections. A recorded message does not ` +
		`describe the sensor, so its picture shows no field of view; the demo scene does.`
}

// Run draws one message from above.
func (c *Command) Run() error {
	if in, kind := c.document(); c.drawings()[kind] != nil {
		return c.drawDocument(in, kind)
	}
	if in := (&inputfile.File{Name: c.File}); c.As == "" && c.File != cli.StandardOutput {
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
	var picture bytes.Buffer
	if err := birdseye.Write(&picture, format, frame); err != nil {
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
	switch read, err := isRead(in); {
	case err != nil:
		return nil, err
	case read:
		return c.tracedSnapshot(in, at)
	case len(c.Channel) > 0:
		return nil, cli.Unexpected("--channel", c.File+", which has no channels",
			"a trace with channels, such as MCAP")
	}
	r := newRecorded(in)
	b, err := r.pick(c.Frame, at)
	if err != nil {
		return nil, err
	}
	named := trace.TypeOfName(c.File) == "GroundTruth" && c.As == "" && r.trace
	if named || c.As == asTruth {
		return drawn("GroundTruth", b)
	}
	view, data, err := r.decode(b, c.As)
	switch {
	case err != nil:
		return nil, err
	case data != nil:
		return snapshotOf(data)
	}
	return snapshotOf(view)
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
