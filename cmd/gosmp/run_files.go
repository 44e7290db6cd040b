package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"gosmp/cosim"
	"gosmp/internal/fault"
	"gosmp/timebase"
)

// usedFile is a file that a run has read.
type usedFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// outputFile is a file that a run writes as it goes on, so that what there is stays when it ends
// early.
type outputFile struct {
	path  string
	file  *os.File
	owned bool
}

// readFile reads an input and notes its hash.
func (r *fmuRun) readFile(path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	r.inputs = append(r.inputs, usedFile{path, hex.EncodeToString(sum[:])})
	return content, nil
}

// connectInputs adds the files of inputs as sources.
func (r *fmuRun) connectInputs() error {
	c := r.command
	if c.InputFile != "" {
		content, err := r.readFile(c.InputFile)
		if err != nil {
			return &usageError{"--input-file", err}
		}
		if r.table, err = cosim.ReadTable(strings.NewReader(string(content)), c.InputFile, r.inputVariables()); err != nil {
			return err
		}
		if err := r.connect("input file", r.table); err != nil {
			return err
		}
	}
	for _, text := range c.MessageFile {
		p, v, file, err := r.named("--input-messages", text)
		if err != nil {
			return err
		}
		content, err := r.readFile(file)
		if err != nil {
			return &usageError{"--input-messages", err}
		}
		v.Name, v.Role = r.system.Label(p, v.Name), cosim.Output
		source, err := r.readTrace(v, file, content)
		if err != nil {
			return err
		}
		if err := r.connect(file, source); err != nil {
			return err
		}
	}
	return nil
}

func (r *fmuRun) connect(name string, s cosim.Source) error {
	r.engine.AddSource(name, s)
	for _, v := range s.Variables() {
		p, input, err := r.system.Find(v.Name)
		if err != nil {
			return err
		}
		r.engine.Connect(name+"."+v.Name, p.Name+"."+input.Name)
	}
	return nil
}

const maxMessage = math.MaxInt32

// readTrace reads the messages of an OSI trace file: each has its length before it, and its time in
// field 2, as all OSI messages at the top have.
func (r *fmuRun) readTrace(v cosim.Variable, file string, content []byte) (*cosim.Sequence, error) {
	var times []timebase.Time
	var messages [][]byte
	for offset := 0; offset < len(content); {
		wrong := func(found, expected string) error {
			return &fault.Error{Kind: cosim.ErrTable, Place: fault.Place{File: file, Object: fmt.Sprintf("byte %d", offset)}, Found: found,
				Expected: expected}
		}
		if len(content)-offset < 4 {
			return nil, wrong("the end of the file", "four bytes of length")
		}
		size := int(binary.LittleEndian.Uint32(content[offset:]))
		if size > maxMessage || size > len(content)-offset-4 {
			return nil, wrong(fmt.Sprintf("a message of %d bytes", size), fmt.Sprintf("at most the %d that are left", len(content)-offset-4))
		}
		message := content[offset+4 : offset+4+size]
		t, ok := timestamp(message)
		if !ok {
			return nil, wrong("a message without a timestamp in field 2", "an OSI message")
		}
		if n := len(times); n > 0 && t < times[n-1] {
			return nil, wrong(fmt.Sprintf("a message of %v after one of %v", t, times[n-1]), "times that do not go back")
		}
		times, messages = append(times, t), append(messages, message)
		offset += 4 + size
	}
	if len(times) == 0 {
		return nil, &fault.Error{Kind: cosim.ErrTable, Place: fault.Place{File: file}, Found: "no message", Expected: "at least one"}
	}
	if first := times[0]; first > r.spec.Stop {
		r.console.warn(fmt.Sprintf("%s begins at %v s, after the stop time; its first message is taken for the start", file, first.Seconds()))
		for k := range times {
			times[k] += r.spec.Start - first
		}
	}
	return cosim.NewSequence(v, times, messages), nil
}

// timestamp is the time of an OSI message: seconds and nanoseconds in field 2.
func timestamp(message []byte) (timebase.Time, bool) {
	stamp, ok := field(message, 2)
	if !ok {
		return 0, false
	}
	var t timebase.Time
	for len(stamp) > 0 {
		number, kind, n := protowire.ConsumeTag(stamp)
		if n < 0 {
			return 0, false
		}
		stamp = stamp[n:]
		if kind != protowire.VarintType {
			return 0, false
		}
		v, n := protowire.ConsumeVarint(stamp)
		if n < 0 {
			return 0, false
		}
		stamp = stamp[n:]
		switch number {
		case 1:
			t += timebase.Time(v) * timebase.Second
		case 2:
			t += timebase.Time(v)
		}
	}
	return t, true
}

// field is the first field of a number that has bytes.
func field(message []byte, wanted protowire.Number) ([]byte, bool) {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return nil, false
		}
		message = message[n:]
		if number == wanted && kind == protowire.BytesType {
			b, n := protowire.ConsumeBytes(message)
			return b, n >= 0
		}
		if n = protowire.ConsumeFieldValue(number, kind, message); n < 0 {
			return nil, false
		}
		message = message[n:]
	}
	return nil, false
}

// create opens a file to write; it stays open until the end of the run.
func (r *fmuRun) create(flag, path string) (*os.File, error) {
	if path == standardOutput {
		return os.Stdout, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, &usageError{flag, err}
	}
	r.files = append(r.files, outputFile{path: path, file: f, owned: true})
	return f, nil
}

// closeFiles closes what create has opened.
func (r *fmuRun) closeFiles() error {
	var errs []error
	for k := range r.files {
		if r.files[k].owned {
			errs = append(errs, r.files[k].file.Close())
			r.files[k].owned = false
		}
	}
	return errors.Join(errs...)
}

// parseSize reads a number of bytes with an optional unit, 1024 based.
func parseSize(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	number, factor := strings.TrimSuffix(strings.ToUpper(text), "B"), int64(1)
	for k, unit := range []string{"K", "M", "G", "T"} {
		if rest, found := strings.CutSuffix(strings.TrimSuffix(number, "I"), unit); found {
			number, factor = rest, 1<<(10*(k+1))
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/factor {
		return 0, fmt.Errorf("found %q, expected a number of bytes such as 512M", text)
	}
	return n * factor, nil
}
