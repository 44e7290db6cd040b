package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"gosmp/timebase"
	"gosmp/trace"
)

const asTrace = "trace"

// isTrace reports whether a file with this beginning is a trace, or one of a format that is not read.
func isTrace(name string, head []byte, size int64) bool {
	format, err := trace.Recognize(name, head[:min(len(head), trace.HeadSize)], size)
	return format != trace.Unknown || err != nil || trace.DamagedMagic(head[:min(len(head), trace.HeadSize)])
}

// content is what is read of a file of the command line, from any place.
type content struct {
	io.ReaderAt
	size int64
	file *os.File // nil for standard input
}

// Close closes the file.
func (c *content) Close() {
	if c.file != nil {
		_ = c.file.Close() // it was only read
	}
}

// contentOf opens a regular file, or what was read from standard input.
func (in *input) contentOf() (*content, error) {
	if in.piped {
		return &content{bytes.NewReader(in.content), int64(len(in.content)), nil}, nil
	}
	f, err := os.Open(in.name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: found a folder, a pipe or a device, expected a file; a pipe can be given as -", in.name)
	}
	if err != nil {
		_ = f.Close() // it was only read
		return nil, err
	}
	return &content{f, info.Size(), f}, nil
}

// openTrace opens a trace; standard input is read as a stream.
func openTrace(name string, o trace.Options) (trace.Source, error) {
	if name == standardOutput {
		return trace.OpenStream("standard input", os.Stdin, o)
	}
	return trace.Open(name, o)
}

// traceTime is a time of the command line.
func traceTime(flag string, s float64) (timebase.Time, error) {
	t, err := timebase.FromSeconds(s)
	if err == nil && t < 0 {
		err = fmt.Errorf("found %v, expected seconds from 0 up", s)
	}
	if err != nil {
		return 0, &usageError{flag, err}
	}
	return t, nil
}

// eachMessage calls what with every message of a source. The result says where the file is damaged.
func eachMessage(s trace.Source, what func(*trace.Message) error) (damage, err error) {
	for {
		m, err := s.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil, nil
		case trace.IsDamage(err):
			return err, nil
		case err != nil:
			return nil, err
		}
		if err := what(m); err != nil {
			return nil, err
		}
	}
}

// typeName is a type for people, without the package of OSI.
func typeName(c *trace.Channel) string {
	if c.Type == "" {
		return "no schema"
	}
	return strings.TrimPrefix(c.Type, "osi3.")
}
