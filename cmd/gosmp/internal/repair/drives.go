package repair

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/internal/fault"
	"gosmp/internal/quantity"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/mcap"
)

// The values of --restarts.
const (
	refuseRestarts = "refuse"
	splitRestarts  = "split"
	ignoreRestarts = "ignore"
)

// placeMCAP copies the saved messages to the output in log time order, or each drive to its own
// file.
func (r *recovered) placeMCAP(saved *inputfile.Content) error {
	f, err := mcap.Open(saved, saved.Size)
	if err != nil {
		return err
	}
	drives := []mcap.Drive{{}}
	if r.command.Restarts != ignoreRestarts {
		if drives, err = f.Drives(mcap.Query{}); err != nil {
			return err
		}
	}
	r.Drives = len(drives)
	if r.command.Restarts == splitRestarts {
		return r.placeParts(f, drives)
	}
	if len(drives) > 1 {
		return r.refuse(f, drives[1])
	}
	return cli.WriteFile(r.Output, func(w io.Writer) error {
		if !r.Sorted {
			_, err := io.Copy(w, io.NewSectionReader(saved, 0, saved.Size))
			return err
		}
		return copyDrive(f, mcap.Query{}, w)
	})
}

// refuse returns the error about a clock restart before a drive.
func (r *recovered) refuse(f *mcap.File, d mcap.Drive) error {
	return fault.New(trace.ErrRestart, fault.Place{File: r.File,
		Object: "channel " + f.Channels[d.Channel].Topic},
		fmt.Sprintf("%s s after %s s", trace.Seconds(timebase.Time(d.After)),
			trace.Seconds(timebase.Time(d.Before))), "the times of one drive; nothing was written").
		WithHint("--restarts split writes each drive to a separate file, --restarts ignore " +
			"sorts all messages as one drive")
}

// placeParts writes each drive to its own file.
func (r *recovered) placeParts(f *mcap.File, drives []mcap.Drive) error {
	if r.Output == cli.StandardOutput {
		return cli.Unexpected("--restarts split", "it with -o -", "the name of a file")
	}
	for k, d := range drives {
		var q mcap.Query
		if k > 0 {
			q.From = &d.Begin
		}
		if k+1 < len(drives) {
			q.Before = &drives[k+1].Begin
		}
		name := inputfile.PartName(r.Output, k+1, int64(d.Messages))
		if cli.SameFile(name, r.File) {
			return cli.Unexpected("--out", fmt.Sprintf("%q, whose part %q is the input", r.Output,
				name), "another name")
		}
		if err := cli.WriteFile(name, func(w io.Writer) error {
			return copyDrive(f, q, w)
		}); err != nil {
			return err
		}
		r.Parts = append(r.Parts, name)
	}
	return nil
}

// copyDrive writes the messages of a query in log time order.
func copyDrive(f *mcap.File, q mcap.Query, to io.Writer) error {
	w, err := newWriter(to)
	if err != nil {
		return err
	}
	return errors.Join(f.CopySorted(w, q), w.Close())
}

// placeOSI copies the saved messages to the output. They keep their order, even if the clock goes
// back.
func (r *recovered) placeOSI(saved *inputfile.Content) error {
	r.Drives = 1
	s, err := trace.OpenAt(r.File, saved, saved.Size, trace.Options{Type: r.command.Type,
		Restarts: trace.FollowRestarts})
	if err == nil {
		info, err := trace.Survey(s)
		_ = s.Close() // opened read-only
		if err != nil {
			return err
		}
		r.Drives = max(r.Drives, len(info.Drives))
	}
	return cli.WriteFile(r.Output, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(saved, 0, saved.Size))
		return err
	})
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
