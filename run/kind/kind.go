// Package kind determines the kind of a file from its content, and from its name if the content is
// not enough.
//
// Functions: [Of] for a file, [OfContent] for content from elsewhere, and [IsSystem].
package kind

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"gosmp/fmi/archive"
	"gosmp/internal/entries"
	"gosmp/internal/unchanged"
	"gosmp/internal/xmltext"
	"gosmp/trace"
)

// The kinds of files.
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
	Scenario   = "scenario"
	SMACH      = "SMACH script" // not a value of --as, because only convert accepts it
)

// roots maps the root elements of XML documents to their kinds.
var roots = map[string]string{
	"OpenSCENARIO": Scenario, "OpenDRIVE": Map, "scxml": Statechart, "ExD": Experiment,
	"bibi":                       BIBI,
	"SystemStructureDescription": System, "ParameterSet": System, "ParameterMapping": System,
	"SignalDictionary": System,
}

// endings maps file name extensions to kinds. They identify files with empty, damaged or foreign
// content, so that the reader of the right kind reports the problem.
var endings = map[string]string{
	".fmu": FMU, ".ssp": System, ".ssd": System, ".ssv": System, ".ssm": System, ".ssb": System,
	".scxml": Statechart, ".exc": Experiment, ".bibi": BIBI, ".exd": SMACH, ".xodr": Map,
	".xosc": Scenario,
}

// headSize is the number of bytes read to determine the kind of a file. XML documents may start
// with long comments.
const headSize = 16 << 10

// Of returns the kind of a file, of the folder of an unpacked FMU, or of a folder of traces, whose
// reader reports an error that names the traces. Any other file, and any file that cannot be read,
// counts as a recording, whose reader reports the problem.
func Of(name string) string {
	info, err := os.Stat(name)
	if err != nil {
		return ofFile(name)
	}
	if info.IsDir() {
		switch {
		case archive.IsFolder(name):
			return FMU
		case trace.IsFolder(name):
			return Trace
		}
	}
	return known.OfInfo(name, info, func() string { return ofFile(name) })
}

// ofFile determines the kind of a file.
func ofFile(name string) string {
	head, size, ok := headOf(name)
	if !ok {
		return cmp.Or(ending(name), Recording)
	}
	return recognize(name, head, size, packsSystem)
}

// known holds the kinds of files: a run asks several times, and a process may run a file often.
var known unchanged.Memory[string]

// OfContent returns the kind of a file that cannot be read again, such as standard input, from its
// content.
func OfContent(name string, content []byte) string {
	return recognize(name, content, int64(len(content)), func(string) bool { return false })
}

func ending(name string) string {
	if trace.FormatOf(name).StatesTypes() {
		return Trace
	}
	return endings[strings.ToLower(filepath.Ext(name))]
}

// recognize determines the kind from the content, or else from the name.
func recognize(name string, head []byte, size int64, packsSystem func(name string) bool) string {
	if isTrace(name, head, size) {
		return Trace
	}
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) {
		switch {
		case ending(name) != "":
			return ending(name)
		case packsSystem(name):
			return System
		}
		return FMU
	}
	if bytes.HasPrefix(bytes.TrimLeft(head, "\ufeff \t\r\n"), []byte("{")) &&
		bytes.Contains(head, []byte(`"bridge"`)) {
		return Bridge
	}
	if isPlan(name, head) {
		return Sweep
	}
	is := cmp.Or(roots[rootElement(head)], ending(name), Recording)
	if is == Scenario && distributesExperiment(head) {
		return Sweep
	}
	return is
}

// ofExperiment matches an experiment that an OpenSCENARIO distribution names as its file.
var ofExperiment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`<ScenarioFile\s+filepath\s*=\s*["'][^"']*\.(?i:exc)["']`)
})

// distributesExperiment reports whether an OpenSCENARIO document is the plan of a sweep of an
// experiment.
func distributesExperiment(head []byte) bool {
	if text, err := xmltext.UTF8(head); err == nil {
		head = text
	}
	return ofExperiment().Match(head)
}

// isTrace reports whether a file with this head is a trace, possibly in an unsupported format.
func isTrace(name string, head []byte, size int64) bool {
	head = head[:min(len(head), trace.HeadSize)]
	format, err := trace.Recognize(name, head, size)
	return format != trace.Unknown || err != nil || trace.DamagedMagic(head)
}

// headOf returns the beginning of the content, and the total size. ok is false for files that
// cannot be read, and for pipes: opening one can block forever, and its data can only be read once.
func headOf(name string) (head []byte, size int64, ok bool) {
	info, err := os.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, 0, false
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, false
	}
	defer func() { _ = f.Close() }() // was only read
	head = make([]byte, headSize)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return nil, 0, false
	}
	return head[:n], info.Size(), true
}

// packsSystem reports whether a zip file has a system structure description in its root, and no
// model description.
func packsSystem(name string) bool {
	z, err := entries.Open(name)
	if err != nil {
		return false
	}
	defer func() { _ = z.Close() }() // was only read
	system := false
	for _, f := range z.File {
		if f.Name == "modelDescription.xml" {
			return false
		}
		system = system || !strings.Contains(f.Name, "/") && strings.HasSuffix(f.Name, ".ssd")
	}
	return system
}

// rootElement returns the name of the first element of an XML document, or "" if there is none. It
// finds the name even if the encoding is not supported, so that the reader of the document can
// report the encoding.
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

// IsSystem reports whether a file belongs to a system. It does not look into pipes, whose data can
// only be read once.
func IsSystem(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular() && Of(name) == System
}

// tableHead matches the first line of a table of runs, which has a column for the experiment.
var tableHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:\x{feff})?(?:[^\n]*[,;\t"])?experiment[,;\t"\r\n]`)
})

// planHead matches the key that every plan has, which no other YAML document here has.
var planHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?m)^(?:\x{feff})?(?:---[ \t]+)?(?:\{\s*)?["']?experiment["']?[ \t]*:(?:\s|$)`)
})

// isPlan reports whether a file is the plan of a sweep, by its name or by the key that every plan
// has.
func isPlan(name string, head []byte) bool {
	name = strings.ToLower(name)
	for _, ending := range []string{".sweep.yaml", ".sweep.yml", ".sweep.csv"} {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	if strings.HasSuffix(name, ".csv") {
		return tableHead().Match(head)
	}
	if !strings.HasSuffix(name, ".yaml") && !strings.HasSuffix(name, ".yml") {
		return false
	}
	return planHead().Match(head)
}
