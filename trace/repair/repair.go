// Package repair recovers the readable part of damaged traces: MCAP and .osi files that are
// truncated, have wrong checksums or lengths, or are not in time order.
//
//	file, err := os.Open("drive.mcap")
//	report, err := repair.Trace("drive.mcap", file, size, repair.Options{Out: "saved.mcap"})
//
// The saved messages are written to a temporary file next to the output, and read back from it,
// before the output gets its content. A damaged file is therefore never overwritten by something
// that cannot be read.
//
// Function: [Trace]; types: [Options], [Report], [OutputError].
package repair

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gosmp/internal/option"
	"gosmp/internal/wholefile"
	"gosmp/trace"
)

// Restarts determines what happens to an MCAP file whose clock restarts.
type Restarts string

// The ways to treat a restart of the clock.
const (
	Refuse Restarts = "refuse" // an error; this is the default
	Split  Restarts = "split"  // each drive is written to its own file
	Ignore Restarts = "ignore" // all messages are sorted as one drive
)

// StandardOutput is the value of [Options].Out for which WriteFile writes to a stream.
const StandardOutput = "-"

// Options describes a repair.
type Options struct {
	Out         string // the repaired file, in the format of the damaged one
	Type        string // of the messages of an .osi file whose name does not contain it
	Restarts    Restarts
	KeepDamaged bool // keep messages that may be altered, in separate channels of MCAP
	// WriteFile writes an output file; if it is nil, the file appears whole or not at all.
	WriteFile func(path string, write func(io.Writer) error) error
}

// Report states what was saved and what was lost.
type Report struct {
	Messages  uint64   // saved
	Whole     bool     // nothing was lost
	Orphans   uint64   // messages whose channel is lost
	Damaged   int      // records
	Altered   uint64   // messages from damaged parts, which may be altered
	Unchecked uint64   // messages that no checksum covers
	Corrected int      // lengths
	Sorted    bool     // log times went back, and the messages were sorted
	Skipped   int64    // bytes
	Empty     int      // messages
	Unknown   int      // records of private kinds
	Places    []string // of the damage, for people
	Drives    int
	Parts     []string // files, with [Split]
}

// OutputError reports that the output could not be written or not be read back.
type OutputError struct{ Cause error }

func (e *OutputError) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e *OutputError) Unwrap() error { return e.Cause }

// output marks an error, if any, as an output error.
func output(err error) error {
	if err == nil {
		return nil
	}
	return &OutputError{err}
}

// content is a file in memory or on disk.
type content struct {
	io.ReaderAt
	size int64
}

// recovery is a repair in progress.
type recovery struct {
	Report
	name string // of the damaged file
	o    Options
}

// Trace writes the readable part of a trace to a temporary file, and reads that file again before
// the output gets its content.
func Trace(name string, file io.ReaderAt, size int64, o Options) (*Report, error) {
	if known := trace.OSI("", o.Type); o.Type != "" && !known.IsOSI() {
		return nil, option.Unexpected("--type", fmt.Sprintf("%q", o.Type),
			"a top-level message of OSI: SensorView (or sv), GroundTruth, ...")
	}
	if o.WriteFile == nil {
		o.WriteFile = writeWhole
	}
	unpacked, err := trace.Unpack(name, file, size)
	if err != nil {
		return nil, err
	}
	defer func() { _ = unpacked.Close() }() // opened read-only
	from := &content{unpacked, unpacked.Size}
	format, err := formatOf(name, from)
	if err != nil {
		return nil, err
	}
	r := &recovery{name: name, o: o, Report: Report{Places: []string{}}}
	save, verify, place := r.saveOSI, r.verifyOSI, r.placeOSI
	if format == trace.MCAP {
		save, verify, place = r.saveMCAP, r.verifyMCAP, r.placeMCAP
	}
	if err := o.suit(name, format); err != nil {
		return nil, err
	}
	if err := r.verified(from, save, verify, place); err != nil {
		return nil, err
	}
	if unpacked.Damage != nil {
		r.Whole = false
		r.Places = append(r.Places, unpacked.Damage.Error())
	}
	return &r.Report, nil
}

// writeWhole writes a file that appears whole or not at all.
func writeWhole(path string, write func(io.Writer) error) error {
	return output(wholefile.Write(context.Background(), path, write))
}

// formatOf returns the format of a trace that can be repaired.
func formatOf(name string, from *content) (trace.Format, error) {
	head := make([]byte, min(from.size, trace.HeadSize))
	if _, err := from.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return trace.Unknown, err
	}
	format, err := trace.Recognize(name, head, from.size)
	switch {
	case err != nil:
		return trace.Unknown, err
	case format.IsText():
		return trace.Unknown,
			fmt.Errorf("%s: a trace in text: correct the line that gosmp check names", name)
	case format == trace.MCAP || format == trace.Unknown:
		return trace.MCAP, nil
	case format != trace.OSIFile:
		return trace.Unknown, option.Unexpected("repair",
			name+", a trace in the format ."+string(format), "an .osi or MCAP file")
	}
	return format, nil
}

// suit refuses options that do not suit the format.
func (o *Options) suit(name string, format trace.Format) error {
	// readers determine the format from the name
	if given := trace.FormatOf(o.Out); given != trace.Unknown && given != format {
		return option.Unexpected("--out", fmt.Sprintf("%q for the saved part of %s", o.Out, name),
			fmt.Sprintf("a name that ends in .%s, as repair keeps the format; gosmp convert "+
				"changes it afterwards", format))
	}
	if format != trace.MCAP && o.Restarts != Refuse && o.Restarts != "" {
		return option.Unexpected("--restarts "+string(o.Restarts),
			"a trace in the format ."+string(format),
			"an MCAP file; gosmp convert also splits other traces")
	}
	return nil
}

// verified lets save write a file next to the output, verify read that file, and place copy it to
// the output.
func (r *recovery) verified(from *content, save func(*content, io.Writer) error,
	verify, place func(*content) error) error {
	folder := filepath.Dir(r.o.Out)
	if r.o.Out == StandardOutput {
		folder = ""
	}
	f, err := os.CreateTemp(folder, ".gosmp-repair-")
	if err != nil {
		return output(err)
	}
	defer func() {
		_ = f.Close() // it is a copy
		_ = os.Remove(f.Name())
	}()
	buffered := bufio.NewWriterSize(f, 1<<20)
	if err := save(from, buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return output(err)
	}
	info, err := f.Stat()
	if err != nil {
		return output(err)
	}
	if err := verify(&content{f, info.Size()}); err != nil {
		return output(fmt.Errorf("%s: the saved data cannot be read back: %w", r.o.Out, err))
	}
	return place(&content{f, info.Size()})
}
