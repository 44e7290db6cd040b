package repair

import (
	"errors"
	"fmt"
	"io"
	"os"

	"gosmp/internal/fault"
	"gosmp/internal/option"
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/mcap"
)

// placeMCAP copies the saved messages to the output in log time order, or each drive to its own
// file.
func (r *recovery) placeMCAP(saved *content) error {
	f, err := mcap.Open(saved, saved.size)
	if err != nil {
		return err
	}
	drives := []mcap.Drive{{}}
	if r.o.Restarts != Ignore {
		if drives, err = f.Drives(mcap.Query{}); err != nil {
			return err
		}
	}
	r.Drives = len(drives)
	if r.o.Restarts == Split {
		return r.placeParts(f, drives)
	}
	if len(drives) > 1 {
		return r.refuse(f, drives[1])
	}
	return r.o.WriteFile(r.o.Out, func(w io.Writer) error {
		if !r.Sorted {
			_, err := io.Copy(w, io.NewSectionReader(saved, 0, saved.size))
			return err
		}
		return copyDrive(f, mcap.Query{}, w)
	})
}

// refuse returns the error about a clock restart before a drive.
func (r *recovery) refuse(f *mcap.File, d mcap.Drive) error {
	return fault.New(trace.ErrRestart, fault.Place{File: r.name,
		Object: "channel " + f.Channels[d.Channel].Topic},
		fmt.Sprintf("%s s after %s s", trace.Seconds(timebase.Time(d.After)),
			trace.Seconds(timebase.Time(d.Before))), "the times of one drive; nothing was written").
		WithHint("--restarts split writes each drive to a separate file, --restarts ignore " +
			"sorts all messages as one drive")
}

// placeParts writes each drive to its own file.
func (r *recovery) placeParts(f *mcap.File, drives []mcap.Drive) error {
	if r.o.Out == StandardOutput {
		return option.Unexpected("--restarts split", "it with -o -", "the name of a file")
	}
	for k, d := range drives {
		var q mcap.Query
		if k > 0 {
			q.From = &d.Begin
		}
		if k+1 < len(drives) {
			q.Before = &drives[k+1].Begin
		}
		name := trace.PartName(r.o.Out, k+1, int64(d.Messages))
		if sameFile(name, r.name) {
			return option.Unexpected("--out", fmt.Sprintf("%q, whose part %q is the input",
				r.o.Out, name), "another name")
		}
		if err := r.o.WriteFile(name, func(w io.Writer) error {
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
func (r *recovery) placeOSI(saved *content) error {
	r.Drives = 1
	s, err := trace.OpenAt(r.name, saved, saved.size, trace.Options{Type: r.o.Type,
		Restarts: trace.FollowRestarts})
	if err == nil {
		info, err := trace.Survey(s)
		_ = s.Close() // opened read-only
		if err != nil {
			return err
		}
		r.Drives = max(r.Drives, len(info.Drives))
	}
	return r.o.WriteFile(r.o.Out, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(saved, 0, saved.size))
		return err
	})
}

// sameFile reports whether two names refer to the same existing file.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	second, e := os.Stat(b)
	return err == nil && e == nil && os.SameFile(first, second)
}
