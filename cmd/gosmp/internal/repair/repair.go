// Package repair implements gosmp repair, which corrects recordings and maps, and recovers the
// readable part of damaged traces.
package repair

import (
	"fmt"
	"io"
	"os"
	"time"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/internal/quantity"
	"gosmp/run/findings"
	"gosmp/run/kind"
	"gosmp/sensor/simsensor"
	"gosmp/trace/repair"
)

// Command implements gosmp repair.
type Command struct {
	File        string `arg:"" predictor:"file" help:"Recording (simsensor CSV), trace of messages (.osi, MCAP) or OpenDRIVE map; - is standard input. It is never modified."`
	Out         string `short:"o" required:"" placeholder:"FILE" help:"Repaired file; - is standard output, and the list of changes is then written to standard error."`
	KeepDamaged bool   `help:"Keep messages of damaged MCAP chunks, which may be altered, in separate channels."`
	Date        string `placeholder:"YYYY-MM-DD" help:"Day (UTC) on which the recording begins, for GPS times that lack it."`
	Restarts    string `enum:"refuse,split,ignore" default:"refuse" placeholder:"HOW" help:"If the clock of an MCAP file restarts: refuse the file, split it into parts, one for each drive (saved_001.mcap, ...), or ignore it and sort all messages as one drive; ${default} by default."`
	Type        string `placeholder:"TYPE" help:"Type of the messages in an .osi file whose name does not contain it."`
	JSON        bool   `name:"json" help:"Print the changes as one JSON document."`
}

// Help returns the text that follows the list of flags.
func (Command) Help() string {
	return `In a recording, the command corrects errors with an unambiguous correction: rows ` +
		`out of order, a GPS velocity that is not split into components, a height above the ` +
		`ellipsoid that contains the height of the geoid, GPS times written as digits, and a ` +
		`pressure in hPa. Malformed rows are omitted. Each change is listed with the number of ` +
		`rows; remaining problems are listed as in gosmp check.

From a trace, the command saves all messages that can still be read, including messages in a ` +
		`truncated chunk. Messages in an MCAP chunk with a wrong checksum, and messages with a ` +
		`wrong length, are omitted; with --keep-damaged they are written to channels whose ` +
		`topics end in .damaged. Messages are sorted by log time. Messages from before and ` +
		`after a restart of the clock are never sorted into one drive, except with --restarts ` +
		`ignore. In an .osi file, reading continues after damage at the next message that can ` +
		`be decoded. The new file is read back before it is renamed to its final name. Lost ` +
		`data is listed. The exit code is 0 if nothing is lost, 1 if something is lost, and 2 ` +
		`if no message could be saved and no file was written.

In a map, the command corrects errors with an unambiguous correction: links without a reverse ` +
		`link or at the wrong end of a road, links and laneLinks to non-existent elements, ` +
		`lane links implied by a junction or the geometry, elements and records out of order, ` +
		`words with one wrong letter, missing zeros. Positions and lengths are never changed. ` +
		`Each change is listed with its line and the rule of gosmp check. The exit code is 0 ` +
		`if the new map has no errors, and 1 if errors remain, which are listed. The rest of ` +
		`the file does not change.

The JSON document of a recording has the members formatVersion (1), file, output, rows, ` +
		`changes (each with id, rows and what), and left, a list of findings. For a map, they ` +
		`are formatVersion, file, output, changes (each with id, line, object and what), and ` +
		`left.`
}

// repaired is the JSON output, which is a contract.
type repaired struct {
	FormatVersion int                `json:"formatVersion"`
	File          string             `json:"file"`
	Output        string             `json:"output"`
	Rows          int64              `json:"rows"`
	Changes       []change           `json:"changes"`
	Left          []findings.Counted `json:"left"`
}

type change struct {
	ID   string `json:"id"`
	Rows int64  `json:"rows"`
	What string `json:"what"`
}

// Run writes a repaired copy and lists the changes.
func (c *Command) Run() error {
	var options simsensor.RepairOptions
	if c.Date != "" {
		var err error
		if options.Date, err = time.Parse(time.DateOnly, c.Date); err != nil {
			return cli.Unexpected("--date", fmt.Sprintf("%q", c.Date), "a day such as 2024-05-31")
		}
	}
	if cli.SameFile(c.File, c.Out) {
		return cli.Unexpected("--out", fmt.Sprintf("%q, the recording itself", c.Out),
			"another file")
	}
	in, err := inputfile.Open(c.File)
	if err != nil {
		return err
	}
	if in.Kind() == kind.Trace {
		return c.repairTrace(in)
	}
	if c.Restarts != string(repair.Refuse) && c.Restarts != "" {
		return cli.Unexpected("--restarts "+c.Restarts, "a "+in.Kind(), "an MCAP file")
	}
	if in.Kind() == kind.Map {
		return c.repairMap(in)
	}
	if !in.Piped {
		if _, err := in.Inspect(simsensor.Options{Unit: simsensor.Auto}); err != nil {
			return err // it reveals more about the file than a read error would
		}
		if in.Bytes, err = os.ReadFile(c.File); err != nil {
			return err
		}
	}
	var done *simsensor.Repaired
	err = cli.TransformFile(c.Out, func(w io.Writer) (err error) {
		done, err = simsensor.Repair(w, in.Name, in.Bytes, options)
		return err
	})
	if err != nil {
		return err
	}
	return cli.Flushed(c.report(cli.Besides(c.Out), done))
}

func (c *Command) report(out io.Writer, done *simsensor.Repaired) error {
	if c.JSON {
		doc := repaired{FormatVersion: 1, File: done.File, Output: c.Out, Rows: done.Rows,
			Changes: []change{}, Left: []findings.Counted{}}
		for _, x := range done.Changes {
			doc.Changes = append(doc.Changes, change{x.Kind.ID(), x.Rows, x.What})
		}
		for _, p := range done.Left {
			doc.Left = append(doc.Left, findings.Counted{Finding: findings.OfProblem(p, 1),
				Count: 1})
		}
		return cli.WriteJSON(out, doc)
	}
	fmt.Fprintf(out, "%s: %s written to %s\n", done.File, quantity.Of(done.Rows, "row"), c.Out)
	for _, x := range done.Changes {
		cli.WriteWrapped(out, fmt.Sprintf("%s %s", quantity.Grouped(x.Rows), x.What))
	}
	if len(done.Changes) == 0 {
		fmt.Fprintln(out, "  nothing to repair")
	}
	for _, p := range done.Left {
		f := findings.OfProblem(p, 1)
		cli.WriteWrapped(out, "remains: "+f.Message+"; "+f.Remedy)
	}
	_, err := out.Write(nil)
	return err
}
