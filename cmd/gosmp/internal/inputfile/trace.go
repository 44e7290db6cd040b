package inputfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/timebase"
	"gosmp/trace"
)

// OpenTrace opens a trace; standard input is read as a stream.
func OpenTrace(name string, o trace.Options) (trace.Source, error) {
	if name == cli.StandardOutput {
		return trace.OpenStream("standard input", os.Stdin, o)
	}
	return trace.Open(name, o)
}

// ResolveChannels replaces each value of --channel that is the last part of a topic in one of the
// files with that topic. Standard input, which can be read only once, needs whole topics.
func ResolveChannels(files, names []string, o trace.Options) ([]string, error) {
	for _, name := range files {
		if name == cli.StandardOutput {
			continue
		}
		open := func() (trace.Source, error) { return trace.Open(name, o) }
		resolved, err := trace.ResolveIn(open, names)
		if err != nil {
			return nil, wrongChannel(err)
		}
		names = resolved
	}
	return names, nil
}

// ResolveChannelsAt is like [ResolveChannels], for content that supports random access.
func ResolveChannelsAt(name string, from io.ReaderAt, size int64, names []string,
	o trace.Options) ([]string, error) {
	resolved, err := trace.ResolveIn(func() (trace.Source, error) {
		return trace.OpenAt(name, from, size, o)
	}, names)
	return resolved, wrongChannel(err)
}

// wrongChannel adds the flag to an error about a name.
func wrongChannel(err error) error {
	if errors.Is(err, trace.ErrAmbiguous) {
		return cli.Invalid("--channel", err)
	}
	return err
}

// TraceTime converts a time given on the command line.
func TraceTime(flag string, s float64) (timebase.Time, error) {
	t, err := timebase.FromSeconds(s)
	if err == nil && t < 0 {
		err = fmt.Errorf("found %v, expected a non-negative number of seconds", s)
	}
	if err != nil {
		return 0, cli.Invalid(flag, err)
	}
	return t, nil
}

// RecordFormat returns the format of a recorded trace by its file name extension.
func RecordFormat(flag, name string) (trace.Format, error) {
	if f := trace.FormatOf(name); slices.Contains(trace.Live(), f) {
		return f, nil
	}
	return trace.Unknown, cli.Unexpected(flag, fmt.Sprintf("%q", name),
		trace.Endings(trace.Live()))
}
