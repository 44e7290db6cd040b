package repair

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/internal/quantity"
	"gosmp/trace"
	"gosmp/trace/mcap"
	"gosmp/trace/repair"
)

// errLost ends a repair that has saved only a part; the losses have been printed.
var errLost = cli.Negative("part of the trace is lost, see above")

// recovered is the JSON output for a repaired trace, which is a contract.
type recovered struct {
	FormatVersion int      `json:"formatVersion"`
	File          string   `json:"file"`
	Output        string   `json:"output"`
	Messages      uint64   `json:"messages"`
	Whole         bool     `json:"whole"`
	Orphans       uint64   `json:"messagesWithoutChannel"`
	Damaged       int      `json:"damagedRecords"`
	Altered       uint64   `json:"alteredMessages"`
	Unchecked     uint64   `json:"uncheckedMessages"`
	Corrected     int      `json:"correctedLengths"`
	Sorted        bool     `json:"sorted"`
	Skipped       int64    `json:"skippedBytes"`
	Empty         int      `json:"emptyMessages"`
	Unknown       int      `json:"unknownRecords"`
	Places        []string `json:"places"`
	Drives        int      `json:"drives"`
	Parts         []string `json:"parts,omitempty"` // files, with --restarts split
}

// repairTrace repairs a trace and prints what was lost.
func (c *Command) repairTrace(in *inputfile.File) error {
	r, err := c.recoverTrace(in)
	if err != nil {
		return err
	}
	if err := r.print(cli.Besides(c.Out), c.JSON, c.KeepDamaged); err != nil {
		return cli.Flushed(err)
	}
	if !r.Whole {
		return errLost
	}
	return nil
}

// recoverTrace saves the readable part of a trace.
func (c *Command) recoverTrace(in *inputfile.File) (*recovered, error) {
	file, err := in.OpenContent()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	r, err := repair.Trace(in.Name, file, file.Size, repair.Options{Out: c.Out, Type: c.Type,
		Restarts: repair.Restarts(c.Restarts), KeepDamaged: c.KeepDamaged,
		WriteFile: cli.WriteFile})
	if output := (*repair.OutputError)(nil); errors.As(err, &output) {
		return nil, cli.Flushed(err)
	}
	if err != nil {
		return nil, err
	}
	return &recovered{FormatVersion: 1, File: in.Name, Output: c.Out, Messages: r.Messages,
		Whole: r.Whole, Orphans: r.Orphans, Damaged: r.Damaged, Altered: r.Altered,
		Unchecked: r.Unchecked, Corrected: r.Corrected, Sorted: r.Sorted, Skipped: r.Skipped,
		Empty: r.Empty, Unknown: r.Unknown, Places: r.Places, Drives: r.Drives,
		Parts: r.Parts}, nil
}

func (r *recovered) print(out io.Writer, asJSON, keepDamaged bool) error {
	if asJSON {
		return cli.WriteJSON(out, r)
	}
	var b bytes.Buffer
	to := r.Output
	if len(r.Parts) > 0 {
		to = quantity.Of(len(r.Parts), "file")
	}
	fmt.Fprintf(&b, "%s: %s written to %s\n", r.File, quantity.Of(r.Messages, "message"), to)
	if r.Whole {
		fmt.Fprintln(&b, "  nothing is lost")
	}
	for _, x := range r.counts(keepDamaged) {
		if x.n > 0 {
			cli.WriteWrapped(&b, quantity.Of(x.n, x.one)+x.rest)
		}
	}
	if r.Sorted {
		cli.WriteWrapped(&b, "log times went back; the messages were sorted by log time")
	}
	r.printDrives(&b)
	for _, p := range r.Places {
		cli.WriteWrapped(&b, p)
	}
	_, err := out.Write(b.Bytes())
	return err
}

// printDrives prints how often the clock restarts, and which file contains which drive.
func (r *recovered) printDrives(b *bytes.Buffer) {
	if r.Drives > 1 {
		text := "the clock starts again " + quantity.Of(r.Drives-1, "time")
		if len(r.Parts) == 0 {
			text += "; " + trace.SplitRemedy
		}
		cli.WriteWrapped(b, text)
	}
	for _, name := range r.Parts {
		cli.WriteWrapped(b, "drive: "+name)
	}
}

type count struct {
	n         int64
	one, rest string
}

// counts returns the numbers to print, without zeros.
func (r *recovered) counts(keepDamaged bool) []count {
	kept := ", left out; --keep-damaged keeps them in channels of their own"
	if keepDamaged {
		kept = ", kept in channels whose topics end in " + mcap.DamagedTopic
	}
	return []count{
		{int64(r.Damaged), "damaged record", ""},
		{int64(r.Altered), "message", " from damaged parts, which may be altered" + kept},
		{int64(r.Unchecked), "message", " saved unchecked, because no checksum covers them"},
		{int64(r.Corrected), "message", " with a wrong length, which was corrected"},
		{r.Skipped, "skipped byte", ", part of no record"},
		{int64(r.Orphans), "message", " whose channel is lost" + kept},
		{int64(r.Empty), "empty message", ", left out"},
		{int64(r.Unknown), "record", " of private kinds, left out"},
	}
}
