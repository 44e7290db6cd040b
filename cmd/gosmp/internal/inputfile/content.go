// Package inputfile opens the files of the command line. What a file is follows from its content, and
// from its name where the content leaves that open.
package inputfile

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

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/xmltext"
	"gosmp/mocksim/opendrive"
	"gosmp/sensor/simsensor"
)

// What a file can be, by its content.
const (
	Recording  = "recording"
	Trace      = "trace"
	FMU        = "fmu"
	Map        = "map"
	Statechart = "statechart"
	System     = "system"

	Experiment = "experiment"
	BIBI       = "bibi"
	Bridge     = "bridge"
	Sweep      = "sweep"
	SMACH      = "SMACH script" // which is not for --as: only convert takes one
)

// roots are the kinds of XML documents, by their root element.
var roots = map[string]string{
	"OpenSCENARIO": Sweep, "OpenDRIVE": Map, "scxml": Statechart, "ExD": Experiment, "bibi": BIBI,
	"SystemStructureDescription": System, "ParameterSet": System, "ParameterMapping": System, "SignalDictionary": System,
}

// endings identify files whose content is empty, damaged or foreign, so that the reader of the
// right kind reports what is wrong.
var endings = map[string]string{
	".ssp": System, ".ssd": System, ".ssv": System, ".ssm": System, ".ssb": System,
	".scxml": Statechart, ".exc": Experiment, ".bibi": BIBI, ".exd": SMACH, ".xodr": Map, ".xosc": Sweep,
	".mcap": Trace, ".jsonl": Trace, ".ndjson": Trace,
}

// commands are those that take a kind of file that most commands do not take.
var commands = map[string][]string{
	Statechart: {"check", "draw", "run"}, Experiment: {"check", "inspect", "run"}, BIBI: {"check"}, SMACH: {"convert"},
	Map: {"check", "draw", "inspect", "run"}, System: {"check", "inspect", "run"}, Bridge: {"bridge", "check"}, Sweep: {"check", "sweep"},
}

// headSize is how much of a file is read to find out what it is: XML documents may begin with long
// comments.
const headSize = 16 << 10

// largestInput bounds what is read from standard input, which has to be held in memory.
const largestInput = 4 << 30

// File is a file of the command line, or standard input under the name -.
type File struct {
	Name  string
	Bytes []byte // of standard input
	Piped bool
}

// Open reads standard input to its end, and leaves files alone.
func Open(name string) (*File, error) {
	if name != cli.StandardOutput {
		if _, err := os.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return nil, cli.ExitWith(fmt.Errorf("%s: there is no such file; check the path%s", name, StartOf(name)), cli.ExitInput)
		}
		return &File{Name: name}, nil
	}
	b, err := io.ReadAll(io.LimitReader(os.Stdin, largestInput+1))
	if err == nil && len(b) > largestInput {
		err = fmt.Errorf("more than %d GiB; save it to a file", largestInput>>30)
	}
	if err != nil {
		return nil, fmt.Errorf("standard input: %w", err)
	}
	return &File{Name: "standard input", Bytes: b, Piped: true}, nil
}

// StartOf describes where a relative path starts.
func StartOf(name string) string {
	folder, err := os.Getwd()
	if filepath.IsAbs(name) || err != nil {
		return ""
	}
	return "; a relative one starts at " + folder
}

// Kind is what the content looks like, or else what the name says. Any other file, and one that
// cannot be read, counts as a recording, whose reader reports what is wrong.
func (in *File) Kind() string {
	ending := endings[strings.ToLower(filepath.Ext(in.Name))]
	head, size, ok := in.head()
	if !ok {
		return cmp.Or(ending, Recording)
	}
	if isTrace(in.Name, head, size) {
		return Trace
	}
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		switch {
		case ending != "":
			return ending
		case in.packsSystem():
			return System
		}
		return FMU
	}
	if bytes.HasPrefix(bytes.TrimLeft(head, "\ufeff \t\r\n"), []byte("{")) && bytes.Contains(head, []byte(`"bridge"`)) {
		return Bridge
	}
	if isPlan(in.Name, head) {
		return Sweep
	}
	return cmp.Or(roots[rootElement(head)], ending, Recording)
}

// head is the beginning of the content, and the size of all of it; ok is false for what cannot be
// read, and for pipes: opening one can block forever, and what is read from it is gone.
func (in *File) head() (head []byte, size int64, ok bool) {
	if in.Piped {
		return in.Bytes, int64(len(in.Bytes)), true
	}
	info, err := os.Stat(in.Name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, 0, false
	}
	f, err := os.Open(in.Name)
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

// Unsuited is the error of a command that was given a file that only other commands take, and nil
// for any other file.
func (in *File) Unsuited(command, expected string) error {
	if _, err := os.Stat(in.Name); err != nil && !in.Piped {
		return nil // the reader reports why
	}
	kind := in.Kind()
	if takers := commands[kind]; len(takers) > 0 && !slices.Contains(takers, command) {
		return cli.Unexpected(command, fmt.Sprintf("%s (%s)", in.Name, kind), expected+"; use gosmp "+strings.Join(takers, " or gosmp "))
	}
	return nil
}

// packsSystem reports whether a zip file has a system structure description in its root, and no model
// description.
func (in *File) packsSystem() bool {
	if in.Piped {
		return false
	}
	z, err := zip.OpenReader(in.Name)
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

// Open opens the file for reading.
func (in *File) Open() (io.ReadCloser, error) {
	if in.Piped {
		return io.NopCloser(bytes.NewReader(in.Bytes)), nil
	}
	return os.Open(in.Name)
}

// ReadMap reads an OpenDRIVE map.
func (in *File) ReadMap() (*opendrive.Map, error) {
	r, err := in.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // it was only read
	return opendrive.Read(in.Name, bufio.NewReader(r))
}

// Inspect examines a recording.
func (in *File) Inspect(opt simsensor.Options) (*simsensor.Report, error) {
	if in.Piped {
		return simsensor.InspectBytes(in.Name, in.Bytes, opt)
	}
	return simsensor.Inspect(in.Name, opt)
}

// Play opens a recording for replay.
func (in *File) Play(opt simsensor.Options) (*simsensor.Player, error) {
	if in.Piped {
		return simsensor.OpenBytes(in.Name, in.Bytes, opt)
	}
	return simsensor.Open(in.Name, opt)
}

// Has reports whether a recording has a row of one of the sensors, and otherwise returns the
// sensors it has.
func (in *File) Has(kinds []simsensor.Kind) (found bool, others []simsensor.Kind, err error) {
	p, err := in.Play(simsensor.Options{})
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

// Listed is "a, b and c".
func Listed[T fmt.Stringer](things []T) string {
	words := make([]string, len(things))
	for k, x := range things {
		words[k] = x.String()
	}
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// IsSystem reports whether a file is one of a system. Pipes are not looked into: what is read from
// them is gone.
func IsSystem(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular() && (&File{Name: name}).Kind() == System
}

// isPlan reports whether a file is the plan of a sweep: by its name, or by the keys that each has.
func isPlan(name string, head []byte) bool {
	name = strings.ToLower(name)
	if strings.HasSuffix(name, ".sweep.yaml") || strings.HasSuffix(name, ".sweep.yml") {
		return true
	}
	if !strings.HasSuffix(name, ".yaml") && !strings.HasSuffix(name, ".yml") {
		return false
	}
	lines := "\n" + strings.TrimPrefix(string(head), "\ufeff")
	return strings.Contains(lines, "\nexperiment:") && strings.Contains(lines, "\nparameters:")
}

// largestText bounds what is read of a file that people write.
const largestText = 16 << 20

// Text is the whole content.
func (in *File) Text() ([]byte, error) {
	r, err := in.Open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(r, largestText+1))
	if err == nil && len(text) > largestText {
		err = fmt.Errorf("%s: more than %d MB, expected a text that people write", in.Name, largestText>>20)
	}
	return text, err
}
