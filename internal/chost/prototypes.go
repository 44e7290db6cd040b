package chost

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Prototype is a function of FMI 3.0 as export/fmi3.h declares it. Tests generate hosts and cores
// from the prototypes so that they cover every function and parameter.
type Prototype struct {
	Result, Name string
	Types, Names []string // of the parameters; arrays are pointers
}

var (
	declaration = regexp.MustCompile(`GOSMP_EXPORT ((?:const )?\w+) (\*?)(fmi3\w+)\(([^;]*)\);`)
	parameter   = regexp.MustCompile(`^((?:const )?\w+)\s*(\*?)\s*(\w*)((?:\[\])?)$`)
)

// Prototypes reads the header.
func Prototypes(t testing.TB) (list []Prototype) {
	t.Helper()
	header, err := os.ReadFile(filepath.Join(Include(t), "fmi3.h"))
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range declaration.FindAllStringSubmatch(string(header), -1) {
		p := Prototype{Result: found[1] + found[2], Name: found[3]}
		for _, text := range strings.Split(found[4], ",") {
			if text = strings.Join(strings.Fields(text), " "); text == "void" {
				continue
			}
			part := parameter.FindStringSubmatch(text)
			if part == nil {
				t.Fatalf("%s: parameter %q", p.Name, text)
			}
			kind := part[1] + part[2]
			if part[4] != "" {
				kind += "*"
			}
			p.Types, p.Names = append(p.Types, kind), append(p.Names, part[3])
		}
		list = append(list, p)
	}
	if len(list) != 75 {
		t.Fatalf("%d functions in fmi3.h, expected 75", len(list))
	}
	return list
}

// Include returns the folder of fmi2.h and fmi3.h.
func Include(t testing.TB) string {
	t.Helper()
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, "export")
}

// IsPointer reports whether values of a type are addresses.
func IsPointer(kind string) bool {
	return strings.HasSuffix(kind, "*") || slices.Contains([]string{"fmi3Instance", "fmi3FMUState",
		"fmi3InstanceEnvironment", "fmi3String", "fmi3LogMessageCallback",
		"fmi3IntermediateUpdateCallback"}, kind)
}
