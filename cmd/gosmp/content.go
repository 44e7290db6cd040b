package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/internal/xmltext"
	"gosmp/mocksim/opendrive"
	"gosmp/sensor/simsensor"
)

// What a file can be, by its content.
const (
	asRecording = "recording"
	asFMU       = "fmu"
	asMap       = "map"
	asChart     = "statechart"
	asSystem    = "system"

	asExperiment = "experiment"
	asBIBI       = "bibi"
	asBridge     = "bridge"
	asSweep      = "sweep"
	asSMACH      = "SMACH script" // which is not for --as: only convert takes one
)

// roots are the kinds of XML documents, by their root element.
var roots = map[string]string{
	"OpenSCENARIO": asSweep, "OpenDRIVE": asMap, "scxml": asChart, "ExD": asExperiment, "bibi": asBIBI,
	"SystemStructureDescription": asSystem, "ParameterSet": asSystem, "ParameterMapping": asSystem, "SignalDictionary": asSystem,
}

// endings identify files whose content is empty, damaged or foreign, so that the reader of the
// right kind reports what is wrong.
var endings = map[string]string{
	".ssp": asSystem, ".ssd": asSystem, ".ssv": asSystem, ".ssm": asSystem, ".ssb": asSystem,
	".scxml": asChart, ".exc": asExperiment, ".bibi": asBIBI, ".exd": asSMACH, ".xodr": asMap, ".xosc": asSweep,
	".mcap": asTrace, ".jsonl": asTrace, ".ndjson": asTrace,
}

// commands are those that take a kind of file that most commands do not take.
var commands = map[string][]string{
	asChart: {"check", "draw", "run"}, asExperiment: {"check", "inspect", "run"}, asBIBI: {"check"}, asSMACH: {"convert"},
	asMap: {"check", "draw", "inspect", "run"}, asSystem: {"check", "inspect", "run"}, asBridge: {"bridge", "check"}, asSweep: {"check", "sweep"},
}

// headSize is how much of a file is read to find out what it is: XML documents may begin with long
// comments.
const headSize = 16 << 10

// largestInput bounds what is read from standard input, which has to be held in memory.
const largestInput = 4 << 30

// input is a file of the command line, or standard input under the name -.
type input struct {
	name    string
	content []byte // of standard input
	piped   bool
}

// openInput reads standard input to its end, and leaves files alone.
func openInput(name string) (*input, error) {
	if name != standardOutput {
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return nil, &runError{fmt.Errorf("%s: there is no such file; check the path%s", name, startOf(name)), exitInput}
		}
		return &input{name: name}, nil
	}
	b, err := io.ReadAll(io.LimitReader(os.Stdin, largestInput+1))
	if err == nil && len(b) > largestInput {
		err = fmt.Errorf("more than %d GiB; save it to a file", largestInput>>30)
	}
	if err != nil {
		return nil, fmt.Errorf("standard input: %w", err)
	}
	return &input{name: "standard input", content: b, piped: true}, nil
}

// startOf describes where a relative path starts.
func startOf(name string) string {
	folder, err := os.Getwd()
	if filepath.IsAbs(name) || err != nil {
		return ""
	}
	return "; a relative one starts at " + folder
}

// kind is what the content looks like, or else what the name says. Any other file, and one that
// cannot be read, counts as a recording, whose reader reports what is wrong.
func (in *input) kind() string {
	ending := endings[strings.ToLower(filepath.Ext(in.name))]
	head, size, ok := in.head()
	if !ok {
		return cmp.Or(ending, asRecording)
	}
	if isTrace(in.name, head, size) {
		return asTrace
	}
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		switch {
		case ending != "":
			return ending
		case in.packsSystem():
			return asSystem
		}
		return asFMU
	}
	if bytes.HasPrefix(bytes.TrimLeft(head, "\ufeff \t\r\n"), []byte("{")) && bytes.Contains(head, []byte(`"bridge"`)) {
		return asBridge
	}
	if isPlan(in.name, head) {
		return asSweep
	}
	return cmp.Or(roots[rootElement(head)], ending, asRecording)
}

// head is the beginning of the content, and the size of all of it; ok is false for what cannot be
// read, and for pipes: opening one can block forever, and what is read from it is gone.
func (in *input) head() (head []byte, size int64, ok bool) {
	if in.piped {
		return in.content, int64(len(in.content)), true
	}
	info, err := os.Stat(in.name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, 0, false
	}
	f, err := os.Open(in.name)
	if err != nil {
		return nil, 0, false
	}
	defer func() { _ = f.Close() }() // it was only read
	head = make([]byte, headSize)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, 0, false
	}
	return head[:n], info.Size(), true
}

// unsuited is the error of a command that was given a file that only other commands take, and nil
// for any other file.
func (in *input) unsuited(command, expected string) error {
	if _, err := os.Stat(in.name); err != nil && !in.piped {
		return nil // the reader reports why
	}
	kind := in.kind()
	if takers := commands[kind]; len(takers) > 0 && !slices.Contains(takers, command) {
		return unexpected(command, fmt.Sprintf("%s (%s)", in.name, kind), expected+"; use gosmp "+strings.Join(takers, " or gosmp "))
	}
	return nil
}

// packsSystem reports whether a zip file has a system structure description in its root, and no model
// description.
func (in *input) packsSystem() bool {
	if in.piped {
		return false
	}
	z, err := zip.OpenReader(in.name)
	if err != nil {
		return false
	}
	defer func() { _ = z.Close() }() // it was only read
	system := false
	for _, f := range z.File {
		if f.Name == "modelDescription.xml" {
			return false
		}
		system = system || !strings.Contains(f.Name, "/") && strings.HasSuffix(f.Name, ".ssd")
	}
	return system
}

// rootElement is the name of the first element of an XML document, or "" if it has no element. Even
// if the encoding is not supported the name is found, so that the reader of the document can report
// the encoding.
func rootElement(head []byte) string {
	name, err := firstTag(xmltext.NewDecoder(bytes.NewReader(head)))
	if errors.As(err, new(*xmltext.Error)) {
		d := xml.NewDecoder(bytes.NewReader(head))
		d.CharsetReader = xmltext.AsDecoded
		name, _ = firstTag(d)
	}
	return name
}

func firstTag(d *xml.Decoder) (string, error) {
	d.Strict = false
	for {
		token, err := d.Token()
		if err != nil {
			return "", err
		}
		if start, is := token.(xml.StartElement); is {
			return start.Name.Local, nil
		}
	}
}

// open opens the file for reading.
func (in *input) open() (io.ReadCloser, error) {
	if in.piped {
		return io.NopCloser(bytes.NewReader(in.content)), nil
	}
	return os.Open(in.name)
}

// readMap reads an OpenDRIVE map.
func (in *input) readMap() (*opendrive.Map, error) {
	r, err := in.open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // it was only read
	return opendrive.Read(in.name, bufio.NewReader(r))
}

func (in *input) inspect(opt simsensor.Options) (*simsensor.Report, error) {
	if in.piped {
		return simsensor.InspectBytes(in.name, in.content, opt)
	}
	return simsensor.Inspect(in.name, opt)
}

func (in *input) play(opt simsensor.Options) (*simsensor.Player, error) {
	if in.piped {
		return simsensor.OpenBytes(in.name, in.content, opt)
	}
	return simsensor.Open(in.name, opt)
}

// has reports whether a recording has a row of one of the sensors, and otherwise returns the
// sensors it has.
func (in *input) has(kinds []simsensor.Kind) (found bool, others []simsensor.Kind, err error) {
	p, err := in.play(simsensor.Options{})
	if err != nil {
		return false, nil, err
	}
	defer func() { _ = p.Close() }() // it was only read
	var row simsensor.Row
	for {
		_, ok, err := p.Next(1<<63-1, &row)
		switch {
		case err != nil:
			return false, others, err
		case !ok:
			return false, others, nil
		case slices.Contains(kinds, row.Kind):
			return true, nil, nil
		case !slices.Contains(others, row.Kind):
			others = append(others, row.Kind)
		}
	}
}

// listed is "a, b and c".
func listed[T fmt.Stringer](things []T) string {
	words := make([]string, len(things))
	for k, x := range things {
		words[k] = x.String()
	}
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}
