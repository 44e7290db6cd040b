package kind

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"gosmp/internal/charset"
	"gosmp/internal/entries"
	"gosmp/internal/fault"
	"gosmp/trace"
)

// Kinds that [Describe] distinguishes from recordings, whereas [Of] and [OfContent] treat them as
// recordings.
const (
	Results = "results" // a table whose first column is time
	Table   = "table"   // any other table
	JSON    = "JSON"
	YAML    = "YAML"
	Foreign = "foreign trace" // in a format that is not supported by any command
	Archive = "archive"       // a zip file that is neither an FMU nor a system
	Rows    = "rows"          // a folder with the results of a sweep
	Folder  = "folder"
	Empty   = "empty file"
	Other   = "other" // not readable by any command
	Unknown = ""      // text or bytes that could be anything
)

// words describes the kinds that commands read.
var words = map[string]string{
	Recording: "a recording of sensors", Trace: "a trace of messages", FMU: "an FMU", Map: "a map",
	Statechart: "a statechart", System: "a system", Experiment: "an experiment",
	BIBI: "a BIBI configuration", Bridge: "a bridge configuration",
	Sweep: "a plan of a sweep", Scenario: "a scenario", SMACH: "a SMACH script",
	Results: "a table of results",
}

// In returns a description of a kind in words, such as "a map".
func In(kind string) string { return words[kind] }

// magic holds the first bytes of files that no command reads.
var magic = []struct{ start, text string }{
	{"\x89PNG", "a PNG image"}, {"\xff\xd8\xff", "a JPEG image"}, {"%PDF-", "a PDF document"},
	{"PAR1", "a Parquet table"}, {"\x7fELF", "a program or library for Linux"},
	{"MZ", "a program or library for Windows"}, {"MDF     ", "a measurement file (MDF)"},
	{"UnFinMF ", "an unfinished measurement file (MDF)"}, {"# .PCD", "a point cloud (PCD)"},
	{"LASF", "a point cloud (LAS)"}, {"\x89HDF\r\n", "an HDF5 file"},
	{"MATLAB ", "a MAT-file"}, {"RRF", "a recording for the Rerun viewer"},
}

// endingsOfOthers describes files that can be identified only by their names.
var endingsOfOthers = map[string]string{
	".msg": "a ROS message definition", ".srv": "a ROS service definition",
	".action": "a ROS action definition", ".idl": "a file of IDL definitions",
	".proto": "a file of protobuf definitions", ".go": "Go source code", ".py": "Python code",
	".c": "C source code", ".md": "a text in Markdown",
}

// rootsOfOthers describes XML documents that no command reads.
var rootsOfOthers = map[string]string{
	"html": "an HTML page", "svg": "an SVG picture",
	"fmiModelDescription": "the model description of an FMU, without the FMU",
	"sdf":                 "an SDF world", "robot": "a robot description (URDF)",
	"osm": "an OpenStreetMap map", "testsuites": "a JUnit report", "testsuite": "a JUnit report",
}

var (
	// row matches a row of a recording: a sensor id, and more columns.
	row = regexp.MustCompile(`(?m)^\s*\d+\s*[,;\t]\s*-?\d`)
	// header matches the first line of a recording with column names.
	header = regexp.MustCompile(`(?i)^(?:\x{feff})?\s*"?sensor`)
	// columns matches the first line of any table.
	columns = regexp.MustCompile(`^(?:\x{feff})?\s*"?([A-Za-z_][\w .\[\]()/-]*)"?[,;\t]`)
)

// Describe returns the kind of a file and describes it in words for an error, such as "a PNG
// image". It distinguishes files that [Of] treats as recordings. The description of an unknown kind
// is empty.
func Describe(name string) (is, text string) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return Unknown, ""
	case info.IsDir() && isSweep(name):
		return Rows, "a folder with the results of a sweep"
	case info.IsDir() && Of(name) == Recording:
		return Folder, "a folder"
	}
	is = Of(name)
	head, size, ok := headOf(name)
	switch {
	case is == FMU && ok && !hasModel(name):
		return Archive, "a zip archive without a model description"
	case is == Trace && ok:
		return ofTrace(name, head, size)
	case is != Recording:
		return is, words[is]
	}
	switch {
	case !ok:
		return Unknown, ""
	case size == 0:
		return Empty, "an empty file"
	}
	return describe(name, head)
}

// isSweep reports whether a folder has the results of a sweep, which look like a trace in JSON
// Lines.
func isSweep(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "sweep.json"))
	return err == nil
}

// hasModel reports whether a zip file has a model description in its root, or cannot be read.
func hasModel(name string) bool {
	z, err := entries.Open(name)
	if err != nil {
		return true
	}
	defer func() { _ = z.Close() }() // was only read
	return slices.ContainsFunc(z.File, func(f *zip.File) bool {
		return f.Name == "modelDescription.xml"
	})
}

// ofTrace describes a trace, possibly in the format of another tool.
func ofTrace(name string, head []byte, size int64) (is, text string) {
	var foreign *fault.Error
	if _, err := trace.Recognize(name, head[:min(len(head), trace.HeadSize)],
		size); errors.As(err, &foreign) {
		return Foreign, foreign.Found
	}
	return Trace, words[Trace]
}

// describe describes the content of a file that counts as a recording.
func describe(name string, head []byte) (is, text string) {
	for _, m := range magic {
		if bytes.HasPrefix(head, []byte(m.start)) {
			return Other, m.text
		}
	}
	if text := endingsOfOthers[strings.ToLower(filepath.Ext(name))]; text != "" {
		return Other, text
	}
	trimmed := bytes.TrimLeft(head, "\ufeff \t\r\n")
	encoding := charset.Of(head)
	switch {
	case encoding != "" && !isXML(head):
		return Other, "a text in " + encoding + ", which must be saved as UTF-8"
	case len(trimmed) == 0:
		return Other, "an empty text"
	case trimmed[0] == '<':
		return ofXML(trimmed)
	case trimmed[0] == '{', trimmed[0] == '[':
		return JSON, "a JSON document"
	case !isText(head):
		return Unknown, ""
	case header.Match(trimmed), row.Match(head) && !columns.Match(trimmed):
		return Recording, words[Recording]
	case slices.Contains([]string{".yaml", ".yml"}, strings.ToLower(filepath.Ext(name))):
		return YAML, "a YAML document"
	}
	return ofTable(trimmed)
}

// isXML reports whether a text in any encoding begins with an element.
func isXML(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head, "\x00\xff\xfe \t\r\n"), []byte("<"))
}

// ofXML describes an XML document of a kind that no command reads.
func ofXML(head []byte) (is, text string) {
	root := rootElement(head)
	if bytes.HasPrefix(bytes.ToLower(head), []byte("<!doctype html")) {
		root = "html"
	}
	if text := rootsOfOthers[root]; text != "" {
		return Other, text
	}
	if root == "" {
		return Unknown, ""
	}
	return Other, "an XML document with the root element " + root
}

// ofTable describes a table by its first column.
func ofTable(head []byte) (is, text string) {
	found := columns.FindSubmatch(head)
	switch {
	case found == nil:
		return Unknown, ""
	case string(found[1]) == "time":
		return Results, words[Results]
	}
	return Table, "a table whose first column is " + string(found[1])
}

// isText reports whether the beginning of a file is text in UTF-8. Its last character may be cut.
func isText(head []byte) bool {
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		if r == 0 || r == utf8.RuneError && n == 1 && len(head) >= utf8.UTFMax {
			return false
		}
		head = head[n:]
	}
	return true
}
