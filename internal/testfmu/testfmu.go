// Package testfmu builds an FMU in C for tests of the host, for FMI 1.0, 2.0 and 3.0, that computes
// little and misbehaves on request. It crashes, hangs, exits, prints, exhausts memory, and returns
// any status, in any function and on any occasion.
//
// Its variables reveal the host's actions: out is gain times in, clock is the time reached, and
// steps is the number of steps; each input of another type has an output that repeats it; resources
// is the resource location that it received. With OSMP it echoes the message at its input, and
// truth is the text that OSMPGroundTruthInit held when initialization ended.
//
// [Build] builds an FMU from a [Recipe]. It needs a C compiler, as all tests with C do.
package testfmu

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

//go:embed source
var source embed.FS

// Recipe describes a test FMU.
type Recipe struct {
	Version int      // of FMI, 1, 2 or 3; 0 means 2
	Orders  []string // FUNCTION ACTION [NUMBER] [OCCASION]; see source/unruly.h
	OSMP    bool     // with notional binary variables, in FMI 2.0
	Clocks  string   // elements for variables of FMI 3.0
	// expected by the library, if it differs from the token in the model description
	Token       string
	Needs       string                  // name of a required library that does not exist
	Borrows     []string                // symbols that it uses without naming a library for them
	Beside      bool                    // the library exists, next to the FMU's own
	Platform    string                  // its folder in binaries/, if not this machine's
	NoResources bool                    // without that folder, and therefore without orders
	Describe    func(xml string) string // changes the model description
	Name        string                  // file name, without .fmu
}

// Build builds an FMU in a folder of the test and returns its path.
func Build(t testing.TB, r Recipe) string {
	t.Helper()
	if r.Version == 0 {
		r.Version = 2
	}
	library, err := os.ReadFile(compile(t, r))
	require.NoError(t, err)
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	add := func(name string, content []byte) {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = w.Write(content)
		require.NoError(t, err)
	}
	add("modelDescription.xml", []byte(r.description(t)))
	add("binaries/"+r.platform()+"/unruly.so", library)
	if r.Beside {
		folder := t.TempDir()
		link(t, folder, r.Needs)
		content, err := os.ReadFile(filepath.Join(folder, r.Needs))
		require.NoError(t, err)
		add("binaries/"+r.platform()+"/"+r.Needs, content)
	}
	if !r.NoResources {
		add("resources/unruly.txt", []byte(strings.Join(r.Orders, "\n")+"\n"))
	}
	require.NoError(t, z.Close())
	name := "unruly"
	if r.Name != "" {
		name = r.Name
	}
	path := filepath.Join(t.TempDir(), name+".fmu")
	require.NoError(t, os.WriteFile(path, packed.Bytes(), 0o600))
	return path
}

func (r *Recipe) platform() string {
	switch machine := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]; {
	case r.Platform != "":
		return r.Platform
	case r.Version < 3 && runtime.GOARCH == "amd64":
		return "linux64"
	default:
		return machine + "-linux"
	}
}

func (r *Recipe) description(t testing.TB) string {
	xml := string(read(t, fmt.Sprintf("fmi%d.xml", r.Version)))
	osmp := ""
	if r.OSMP {
		osmp = triple("OSMPSensorViewIn", 20, "SensorView",
			`causality="input" variability="discrete"`, `start="0"`) +
			triple("OSMPSensorDataOut", 23, "SensorData",
				`causality="output" variability="discrete" initial="exact"`, `start="0"`) +
			triple("OSMPSensorViewInConfigRequest", 26, "SensorViewConfiguration",
				`causality="calculatedParameter" variability="fixed"`, "") +
			triple("OSMPSensorViewInConfig", 29, "SensorViewConfiguration",
				`causality="parameter" variability="fixed"`, `start="0"`) +
			triple("OSMPGroundTruthInit", 32, "GroundTruth",
				`causality="parameter" variability="fixed"`, `start="0"`) +
			`<ScalarVariable name="truth" valueReference="3" causality="output" ` +
			`variability="discrete"><String/></ScalarVariable>` + "\n"
	}
	outputs, unknowns, mark := "", "", ""
	if r.OSMP { // by their indices in the list
		outputs = unknown(19, 20, 21, 31)
		unknowns = unknown(22, 23, 24, 31)
		mark = `<VendorAnnotations><Tool name="net.pmsf.osmp"><osmp:osmp ` +
			`xmlns:osmp="http://xsd.pmsf.net/OSISensorModelPackaging" version="1.6.0" ` +
			`osi-version="3.8.0"/></Tool></VendorAnnotations>`
	}
	clocked := ""
	for _, found := range clockedOutput.FindAllStringSubmatch(r.Clocks, -1) {
		clocked += `<Output valueReference="` + found[1] + `"/>`
	}
	xml = strings.NewReplacer("OSMP\n", osmp, "CLOCKS\n", r.Clocks, "MARK\n", mark, "OUTPUTS",
		outputs,
		"UNKNOWNS", unknowns, "CLOCKED", clocked).Replace(xml)
	if r.Describe != nil {
		xml = r.Describe(xml)
	}
	return xml
}

var clockedOutput = regexp.MustCompile(`valueReference="(\d+)" causality="output"`)

// unknown returns entries of ModelStructure for variables, by their indices in the list of
// variables.
func unknown(places ...int) (list string) {
	for _, place := range places {
		list += fmt.Sprintf(`<Unknown index="%d"/>`, place)
	}
	return list
}

// triple returns the three Integers of a notional binary variable.
func triple(name string, reference int, message, attributes, start string) string {
	var b strings.Builder
	for k, role := range []string{"base.lo", "base.hi", "size"} {
		fmt.Fprintf(&b,
			`    <ScalarVariable name="%s.%s" valueReference="%d" %s><Integer %s/><Annotations>`+
				`<Tool name="net.pmsf.osmp">`+
				`<osmp:osmp-binary-variable `+
				`xmlns:osmp="http://xsd.pmsf.net/OSISensorModelPackaging" name="%s" role="%s" `+
				`mime-type="application/x-open-simulation-interface; type=%s; version=3.8.0"/>`+
				`</Tool></Annotations></ScalarVariable>`+"\n",
			name, role, reference+k, attributes, start, name, role, message)
	}
	return b.String()
}

func read(t testing.TB, name string) []byte {
	content, err := source.ReadFile("source/" + name)
	require.NoError(t, err)
	return content
}

// compile builds the library, once for each kind and content of its source.
func compile(t testing.TB, r Recipe) string {
	t.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	sum := sha256.New()
	files := []string{"unruly.h", "unruly.c", fmt.Sprintf("unruly%d.c", r.Version)}
	if r.Version == 3 {
		files = append(files, "unruly3clock.c")
	}
	for _, name := range files {
		sum.Write(read(t, name))
	}
	arguments := slices.Concat([]string{"-shared", "-fPIC", "-O1", "-std=gnu11", "-o", "unruly.so"},
		sanitizers, files[1:])
	if len(r.Borrows) == 0 {
		arguments = append(arguments, "-lpthread", "-ldl", "-lm")
	}
	fmt.Fprint(sum, arguments, r.Token, r.Needs, r.Borrows)
	cache := filepath.Join(os.TempDir(), "gosmp-testfmu-"+hex.EncodeToString(sum.Sum(nil))[:16]+
		".so")
	if _, err := os.Stat(cache); err == nil {
		return cache
	}
	folder := t.TempDir()
	for _, name := range files {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), read(t, name), 0o600))
	}
	if len(r.Borrows) > 0 {
		arguments = append(arguments, borrow(t, folder, r.Borrows))
	}
	if r.Token != "" {
		arguments = append(arguments, fmt.Sprintf("-DTOKEN=%q", r.Token))
	}
	if r.Needs != "" { // a library of that name exists only while this one is linked
		link(t, folder, r.Needs)
		arguments = append(arguments, "-Wl,--no-as-needed", "./"+r.Needs)
	}
	run(t, folder, compiler, arguments...)
	temporary := filepath.Join(folder, "unruly.so")
	content, err := os.ReadFile(temporary)
	require.NoError(t, err)
	// tests that run at the same time each create their own file
	partial, err := os.CreateTemp(os.TempDir(), "gosmp-testfmu-partial-")
	require.NoError(t, err)
	_, err = partial.Write(content)
	require.NoError(t, err)
	require.NoError(t, partial.Close())
	require.NoError(t, os.Rename(partial.Name(), cache))
	return cache
}

// borrow writes a source that refers to symbols, and returns its name.
func borrow(t testing.TB, folder string, symbols []string) string {
	t.Helper()
	var text strings.Builder
	for _, name := range symbols {
		fmt.Fprintf(&text, "extern void %[1]s(void);\nvoid *borrowed_%[1]s = (void *)%[1]s;\n",
			name)
	}
	const name = "borrowed.c"
	require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text.String()), 0o600))
	return name
}

// link builds an empty library.
func link(t testing.TB, folder, name string) {
	run(t, folder, "cc", "-shared", "-fPIC", "-x", "c", "/dev/null", "-Wl,-soname,"+name, "-o",
		name)
}

func run(t testing.TB, folder, name string, arguments ...string) {
	t.Helper()
	c := exec.Command(name, arguments...)
	c.Dir = folder
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
