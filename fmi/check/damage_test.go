package check_test

import (
	"archive/zip"
	"bytes"
	"debug/elf"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmi/check"
	"gosmp/internal/elftest"
	"gosmp/internal/entries/hostile"
	"gosmp/internal/finding"
)

// damage is a fault in an archive, a document or a library.
type damage struct {
	id       string
	severity finding.Severity
	name     string
	make     func(t *testing.T, f *fmu)
}

// ofLibrary changes the library of an FMU.
func ofLibrary(change func(l *elftest.Library)) func(*testing.T, *fmu) {
	return func(_ *testing.T, f *fmu) { change(f.library) }
}

// inFile replaces text in a file of an FMU.
func inFile(name string, texts ...string) func(*testing.T, *fmu) {
	return func(t *testing.T, f *fmu) { t.Helper(); f.replace(t, name, texts...) }
}

// adding adds a file to an FMU.
func adding(name, content string) func(*testing.T, *fmu) {
	return func(_ *testing.T, f *fmu) { f.add(name, content) }
}

const (
	terminals = "terminalsAndIcons/terminalsAndIcons.xml"
	build     = "sources/buildDescription.xml"
	library2  = "binaries/linux64/Tank.so"
	page      = "documentation/index.html"
	manifest  = "extra/org.example.standard/fmi-ls-manifest.xml"
)

// sound is the manifest of a layered standard that has contents of its own.
const sound = `<?xml version="1.0" encoding="UTF-8"?>
<references xmlns:fmi-ls="http://fmi-standard.org/fmi-ls-manifest" own="x"
    fmi-ls:fmi-ls-name="org.example.standard" fmi-ls:fmi-ls-version="1.0"
    fmi-ls:fmi-ls-description="d"><file name="a"/></references>`

// manifestOf returns a manifest that has only some of the attributes.
func manifestOf(names ...string) string {
	text := `<m xmlns:fmi-ls="http://fmi-standard.org/fmi-ls-manifest"`
	for _, name := range names {
		text += " fmi-ls:" + name + `="org.example.standard"`
	}
	return text + "/>"
}

// damages2 are faults of FMI 2.0 FMUs outside the model description.
var damages2 = []damage{
	{"FMI2-Z1", e, "bytes before the archive", func(_ *testing.T, f *fmu) {
		f.after = func(b []byte) []byte { return append([]byte("PK\x03\x04 and so on"), b...) }
	}},
	{"FMI2-Z1", w, "bytes after the archive", func(_ *testing.T, f *fmu) {
		f.after = func(b []byte) []byte { return append(b, "tail"...) }
	}},
	{"FMI2-Z8", e, "manifest that is not XML", adding(manifest, "<a")},
	{"FMI2-B1", w, "folder named as in FMI 3.0", func(_ *testing.T, f *fmu) {
		f.entry(library2).Name = "binaries/x86_64-linux/Tank.so"
	}},
	{"FMI2-Z1", e, "checksum", func(_ *testing.T, f *fmu) {
		f.after = func(b []byte) []byte {
			const name = "resources/table.csv"
			b[bytes.Index(b, []byte(name))+len(name)+3] ^= 0xFF // within its content
			return b
		}
	}},
	{"FMI2-Z1", e, "name in the local header", func(_ *testing.T, f *fmu) {
		f.after = func(b []byte) []byte {
			return bytes.Replace(b, []byte("resources/table.csv"), []byte("resources/other.csv"), 1)
		}
	}},
	{"FMI2-Z1", e, "shared bytes", func(_ *testing.T, f *fmu) { f.after = hostile.Share }},
	{"FMI2-Z1", e, "cut off", func(_ *testing.T, f *fmu) {
		f.after = func(b []byte) []byte { return b[:len(b)-40] }
	}},
	{"FMI2-Z2", e, "path that leads outside", adding("../outside.txt", "x")},
	{"FMI2-Z2", e, "backslash", adding(`resources\x.txt`, "x")},
	{"FMI2-Z2", e, "absolute path", adding("/etc/x", "x")},
	{"FMI2-Z2", e, "link", func(_ *testing.T, f *fmu) {
		f.add("resources/link", "table.csv").SetMode(fs.ModeSymlink | 0o777)
	}},
	{"FMI2-Z2", e, "named pipe", func(_ *testing.T, f *fmu) {
		f.add("resources/pipe", "").SetMode(fs.ModeNamedPipe | 0o644)
	}},
	{"FMI2-Z2", w, "name of a device", adding("resources/Aux.txt", "x")},
	{"FMI2-Z2", w, "control character", adding("resources/a\x01b", "x")},
	{"FMI2-Z2", w, "question mark", adding("resources/what?", "x")},
	{"FMI2-Z2", w, "dot at the end", adding("resources/file.", "x")},
	{"FMI2-Z2", w, "long name", adding("resources/"+strings.Repeat("n", 256), "x")},
	{"FMI2-Z2", e, "encrypted", func(_ *testing.T, f *fmu) {
		f.after = func(b []byte) []byte {
			at := bytes.LastIndex(b, []byte("PK\x01\x02")) // of the library
			b[at+8] |= 1
			return b
		}
		f.remove(libraryName(fmi.FMI2))
		f.add(libraryName(fmi.FMI2), "")
		f.add("resources/secret", "x")
	}},
	{"FMI2-Z3", e, "two contents of one name", adding("resources/table.csv", "3,4")},
	{"FMI2-Z3", n, "a file twice", adding("resources/table.csv", "1,2")},
	{"FMI2-Z3", w, "names that differ by case", adding("resources/Table.csv", "3,4")},
	{"FMI2-Z4", w, "stored with bit 3", func(_ *testing.T, f *fmu) {
		f.entry("resources/table.csv").Method = zip.Store
	}},
	{"FMI2-Z5", e, "no description", func(_ *testing.T,
		f *fmu) {
		f.entry(description).Name = "tank/modelDescription.xml"
	}},
	{"FMI2-Z6", n, "left over", adding("resources/.DS_Store", "x")},
	{"FMI2-Z6", n, "at the root", adding("notes.txt", "x")},
	{"FMI2-Z7", n, "folder in extra", adding("extra/mine/x.txt", "x")},
	{"FMI2-Z7", w, "picture of a terminal", inFile(terminals, `iconBaseName="pipe"`,
		`iconBaseName="tube"`)},
	{"FMI2-Z7", w, "picture elsewhere", inFile(terminals, `iconBaseName="pipe"`,
		`iconBaseName="../resources/pipe"`)},
	{"FMI2-X4", e, "identifier", func(t *testing.T, f *fmu) {
		e := f.entry(description)
		e.content = strings.ReplaceAll(e.content, `modelIdentifier="Tank"`,
			`modelIdentifier="my-tank"`)
		f.entry(library2).content = string(f.library.Bytes())
		f.entry(library2).Name = "binaries/linux64/my-tank.so"
	}},
	{"FMI2-X4", w, "keyword", func(_ *testing.T, f *fmu) {
		e := f.entry(description)
		e.content = strings.ReplaceAll(e.content, `modelIdentifier="Tank"`,
			`modelIdentifier="double"`)
		f.entry(library2).content = string(f.library.Bytes())
		f.entry(library2).Name = "binaries/linux64/double.so"
	}},
	{"FMI2-Z5", w, "version of XML", inFile(description, `version="1.0" enc`, `version="1.1" enc`)},
	{"FMI2-D1", w, "no start page", func(_ *testing.T, f *fmu) { f.remove(page) }},
	{"FMI2-D1", w, "link that leads nowhere", inFile(page, "plan.html", "map.html")},
	{"FMI2-D2", n, "no main licence", func(_ *testing.T, f *fmu) {
		f.entry("documentation/licenses/license.txt").Name = "documentation/licenses/mit.txt"
	}},
	{"FMI2-D3", w, "picture", adding("model.png", "GIF89a")},
	{"FMI2-D3", w, "drawing", adding("terminalsAndIcons/icon.svg", "no drawing")},
	{"FMI2-D4", e, "variable of a terminal", inFile(terminals, `variableName="level"`,
		`variableName="lever"`)},
	{"FMI2-D4", e, "member twice", inFile(terminals, `memberName="flow"`, `memberName="level"`)},
	{"FMI2-D4", e, "matching rule", inFile(terminals, `matchingRule="plug"`,
		`matchingRule="socket"`)},
	{"FMI2-D4", e, "kind of a member", inFile(terminals, `variableKind="inflow"`,
		`variableKind="stream"`)},
	{"FMI2-D4", e, "local member", inFile(terminals, `variableName="level"`,
		`variableName="der(level)"`)},
	{"FMI2-D4", e, "stream in the wrong direction", inFile(terminals,
		`outStreamVariableName="level"`, `outStreamVariableName="inflow"`)},
	{"FMI2-D4", e, "variable of a stream", inFile(terminals, `inStreamVariableName="inflow"`,
		`inStreamVariableName="influx"`)},
	{"FMI2-D4", e, "member of a stream twice", inFile(terminals, `inStreamMemberName="h_in"`,
		`inStreamMemberName="h_out"`)},
	{"FMI2-D4", e, "streams with two flows", inFile(terminals, `variableKind="signal"`,
		`variableKind="outflow"`)},
	{"FMI2-D4", e, "schema", inFile(terminals, ` variableKind="inflow"`, "")},
	{"FMI2-D4", e, "not well-formed", inFile(terminals, "</Terminals>", "")},
	{"FMI2-B1", e, "neither binaries nor sources", func(t *testing.T, f *fmu) {
		f.replace(t, description, `<SourceFiles><File name="tank.c"/></SourceFiles>`, "")
		f.remove("sources/tank.c")
		f.remove(library2)
	}},
	{"FMI2-B1", e, "name of the library", func(_ *testing.T, f *fmu) {
		f.entry(library2).content = string(f.library.Bytes())
		f.entry(library2).Name = "binaries/linux64/Barrel.so"
	}},
	{"FMI2-B1", w, "file in binaries", adding("binaries/readme.txt", "x")},
	{"FMI2-B1", w, "folder that is no platform", func(_ *testing.T, f *fmu) {
		f.add("binaries/amiga/Tank.so", string(f.library.Bytes()))
	}},
	{"FMI2-B2", e, "machine of another folder",
		ofLibrary(func(l *elftest.Library) { l.Machine = elf.EM_AARCH64 })},
	{"FMI2-B2", e, "library of FreeBSD", func(_ *testing.T, f *fmu) {
		b := f.library.Bytes()
		b[elf.EI_OSABI] = byte(elf.ELFOSABI_FREEBSD)
		f.entry(library2).content = string(b)
	}},
	{"FMI2-B2", e, "text for a library", func(_ *testing.T,
		f *fmu) {
		f.entry(library2).content = "no library"
	}},
	{"FMI2-B2", e, "cut off", func(_ *testing.T, f *fmu) {
		whole := string(f.library.Bytes())
		f.entry(library2).content = whole[:len(whole)-100]
	}},
	{"FMI2-B3", e, "program", ofLibrary(func(l *elftest.Library) { l.Flags1 = elf.DF_1_PIE })},
	{"FMI2-B3", e, "object file", ofLibrary(func(l *elftest.Library) { l.Type = elf.ET_REL })},
	{"FMI2-B4", e, "function that is missing",
		ofLibrary(func(l *elftest.Library) { l.Exports = without(l.Exports, "fmi2CancelStep") })},
	{"FMI2-B4", e, "functions of model exchange", ofLibrary(func(l *elftest.Library) {
		l.Exports = check.Functions(fmi.FMI2, fmi.CoSimulation)
	})},
	{"FMI2-B5", e, "prefix", ofLibrary(func(l *elftest.Library) {
		for k := range l.Exports {
			l.Exports[k] = "Tank_" + l.Exports[k]
		}
	})},
	{"FMI2-B5", e, "names of C++", ofLibrary(func(l *elftest.Library) {
		for k, name := range l.Exports {
			l.Exports[k] = "_Z" + number(len(name)) + name + "Pv"
		}
	})},
	{"FMI2-B5", e, "functions of FMI 3.0", ofLibrary(func(l *elftest.Library) {
		l.Exports = check.Functions(fmi.FMI3, fmi.CoSimulation)
	})},
	{"FMI2-B6", e, "library that is nowhere",
		ofLibrary(func(l *elftest.Library) { l.Needed = append(l.Needed, "libnowhere.so.7") })},
	{"FMI2-B7", w, "libm that is not named",
		ofLibrary(func(l *elftest.Library) { l.Undefined = []string{"exp", "free"} })},
	{"FMI2-B8", e, "symbol of nobody",
		ofLibrary(func(l *elftest.Library) { l.Undefined = []string{"tank_level", "free"} })},
	{"FMI2-B9", w, "executable stack", ofLibrary(func(l *elftest.Library) { l.ExecStack = true })},
	{"FMI2-B9", e, "executable stack for a new C library", func(_ *testing.T, f *fmu) {
		f.library.ExecStack, f.options.Glibc = true, "2.41"
	}},
	{"FMI2-B9", w, "relocations in the code",
		ofLibrary(func(l *elftest.Library) { l.TextReloc = true })},
	{"FMI2-B9", w, "code that can be written",
		ofLibrary(func(l *elftest.Library) { l.WritableCode = true })},
	{"FMI2-B10", w, "path of the build machine",
		ofLibrary(func(l *elftest.Library) { l.RunPath = "/home/me/lib:$ORIGIN" })},
	{"FMI2-B10", e, "packed library that is not found", func(_ *testing.T, f *fmu) {
		f.library.Needed = append(f.library.Needed, "libpump.so")
		f.add("binaries/linux64/libpump.so", string(elftest.Library{SOName: "libpump.so"}.Bytes()))
	}},
	{"FMI2-B11", w, "newer C library", func(_ *testing.T, f *fmu) {
		f.library.Version, f.options.Glibc = "GLIBC_2.34", "2.31"
	}},
	{"FMI2-B12", w, "thread-local memory", ofLibrary(func(l *elftest.Library) {
		l.TLS,
			l.Flags = 4096, elf.DF_STATIC_TLS
	})},
	{"FMI2-B13", w, "Protocol Buffers", ofLibrary(func(l *elftest.Library) {
		l.Exports = append(l.Exports, "_ZN6google8protobuf5ArenaC1Ev")
	})},
	{"FMI2-B15", w, "name of a library of the system",
		ofLibrary(func(l *elftest.Library) { l.SOName = "libm.so.6" })},
	{"FMI2-B15", w, "no dlopen",
		ofLibrary(func(l *elftest.Library) { l.Flags1 = elf.DF_1_NOOPEN })},
	{"FMI2-B15", n, "interposer",
		ofLibrary(func(l *elftest.Library) { l.Flags1 = elf.DF_1_INTERPOSE })},
}

// damages3 are the same kind of faults for FMI 3.0.
var damages3 = []damage{
	{"FMI3-D3", w, "SVG without PNG", adding("terminalsAndIcons/icon.svg", "<svg/>")},
	{"FMI3-Z8", e, "manifest without the name of the standard", adding(manifest,
		manifestOf("fmi-ls-version", "fmi-ls-description"))},
	{"FMI3-Z8", e, "manifest without a version", adding(manifest,
		manifestOf("fmi-ls-name", "fmi-ls-description"))},
	{"FMI3-Z8", n, "manifest without a description", adding(manifest,
		manifestOf("fmi-ls-name", "fmi-ls-version"))},
	{"FMI3-Z8", e, "manifest without the namespace", adding(manifest,
		`<m fmi-ls-name="org.example.standard" fmi-ls-version="1" fmi-ls-description="d"/>`)},
	{"FMI3-Z8", w, "blank version of a manifest", adding(manifest,
		strings.Replace(sound, `fmi-ls-version="1.0"`, `fmi-ls-version=" "`, 1))},
	{"FMI3-Z8", w, "manifest named without a domain", adding(manifest,
		strings.Replace(sound, "org.example.standard", "bus", 1))},
	{"FMI3-Z8", n, "manifest in another folder", adding(manifest,
		strings.Replace(sound, "org.example.standard", "org.example.other", 1))},
	{"FMI3-Z8", w, "manifest in extra itself", adding("extra/fmi-ls-manifest.xml", sound)},
	{"FMI3-D5", e, "source file", inFile(build, `name="tank.c"`, `name="gone.c"`)},
	{"FMI3-D5", e, "identifier", inFile(build, `modelIdentifier="Tank"`,
		`modelIdentifier="Barrel"`)},
	{"FMI3-D5", e, "version", inFile(build, `fmiVersion="3.0"`, `fmiVersion="2.0"`)},
	{"FMI3-D5", e, "schema", inFile(build, `<SourceFile name="tank.c"/>`,
		`<File name="tank.c"/><SourceFile name="tank.c"/>`)},
	{"FMI3-D5", w, "no build description", func(_ *testing.T, f *fmu) { f.remove(build) }},
	{"FMI3-D4", e, "version", inFile(terminals, `fmiVersion="3.0"`, `fmiVersion="2.0"`)},
	{"FMI3-D4", e, "terminal twice", inFile(terminals, "</Terminals>",
		`<Terminal name="pipe" matchingRule="bus"/></Terminals>`)},
	{"FMI3-D4", e, "sizes of a stream", inFile(terminals, `inStreamVariableName="inflow"`,
		`inStreamVariableName="field"`)},
	{"FMI3-B1", e, "old name of a platform", func(_ *testing.T, f *fmu) {
		f.entry("binaries/x86_64-linux/Tank.so").content = string(f.library.Bytes())
		f.entry("binaries/x86_64-linux/Tank.so").Name = library2
	}},
	{"FMI3-B4", e, "function that is missing",
		ofLibrary(func(l *elftest.Library) { l.Exports = without(l.Exports, "fmi3GetClock") })},
	{"FMI3-B5", e, "functions of FMI 2.0", ofLibrary(func(l *elftest.Library) {
		l.Exports = check.Functions(fmi.FMI2, fmi.CoSimulation)
	})},
}

// damages1 are the same kind of faults for FMI 1.0.
var damages1 = []damage{
	{"FMI1-B5", e, "no prefix", ofLibrary(func(l *elftest.Library) {
		for k := range l.Exports {
			l.Exports[k] = strings.TrimPrefix(l.Exports[k], "Tank_")
		}
	})},
	{"FMI1-B4", e, "function that is missing",
		ofLibrary(func(l *elftest.Library) { l.Exports = without(l.Exports, "Tank_fmiDoStep") })},
}

func without(names []string, name string) (rest []string) {
	for _, other := range names {
		if other != name {
			rest = append(rest, other)
		}
	}
	return rest
}

func number(k int) string {
	if k < 10 {
		return string(rune('0' + k))
	}
	return number(k/10) + number(k%10)
}

// TestRead_EachDamage checks that a fault outside the model description is reported by its own rule
// only.
func TestRead_EachDamage(t *testing.T) {
	for v, list := range map[fmi.Version][]damage{fmi.FMI1: damages1, fmi.FMI2: damages2,
		fmi.FMI3: damages3} {
		for _, d := range list {
			t.Run(d.id+" "+d.name, func(t *testing.T) {
				if strings.HasSuffix(d.id, "-B7") || strings.HasSuffix(d.id, "-B8") ||
					d.name == "library that is nowhere" {
					skipElsewhere(t)
				}
				f := base(t, v)
				d.make(t, f)
				export(t, mutant{d.id, d.severity, d.name, nil}, f)
				requireOnly(t, d.id, d.severity, f)
			})
		}
	}
}

// skipElsewhere skips a test whose result depends on the libraries of Linux for x86-64.
func skipElsewhere(t *testing.T) {
	t.Helper()
	for _, file := range []string{"/lib/x86_64-linux-gnu/libm.so.6", "/lib64/libm.so.6"} {
		if _, err := os.Stat(file); err == nil {
			return
		}
	}
	t.Skip("no GNU C library for x86-64 on this machine")
}

// TestRead_OddButLegal checks that unusual but valid FMUs have no findings.
func TestRead_OddButLegal(t *testing.T) {
	for name, make := range map[string]func(t *testing.T, f *fmu){
		"packed library by $ORIGIN": func(_ *testing.T, f *fmu) {
			f.library.Needed, f.library.RunPath = append(f.library.Needed, "libpump.so"),
				"$ORIGIN/lib"
			f.add("binaries/linux64/lib/libpump.so",
				string(elftest.Library{SOName: "libpump.so"}.Bytes()))
		},
		"packed library of the system": func(_ *testing.T, f *fmu) {
			f.library.Needed, f.library.RunPath = append(f.library.Needed, "libstdc++.so.6"), "$ORIGIN"
			f.add("binaries/linux64/libstdc++.so.6",
				string(elftest.Library{SOName: "libstdc++.so.6"}.Bytes()))
		},
		"links in comments": func(_ *testing.T, f *fmu) {
			f.entry(page).content += "<!-- <img src=\"gone.png\">\n<a href=\"gone.html\"> -->"
		},
		"weak symbols": ofLibrary(func(l *elftest.Library) { l.Weak = []string{"__gmon_start__"} }),
		"folders of both naming schemes": func(_ *testing.T, f *fmu) {
			f.add("binaries/x86_64-linux/Tank.so", string(f.library.Bytes()))
		},
		"platform without a name in FMI 2.0": func(_ *testing.T, f *fmu) {
			f.library.Machine = elf.EM_AARCH64
			f.entry(library2).Name = "binaries/aarch64-linux/Tank.so"
		},
		"folder of a vendor":         adding("binaries/x86_64-linux-musl/readme.md", "x"),
		"comment of the archive":     func(_ *testing.T, f *fmu) { f.after = commented },
		"manifest of another format": adding(manifest, "<own/>"),
		"folder entries": func(_ *testing.T, f *fmu) {
			f.add("resources/", "")
			f.add("binaries/",
				"")
		},
		"sources only": func(_ *testing.T, f *fmu) {},
		"flat names": inFile(description, `"structured"`, `"flat"`, `name="area"`,
			`name="Fläche [m²]"`),
		"byte order mark": func(_ *testing.T,
			f *fmu) {
			d := f.entry(description)
			d.content = "\uFEFF" + d.content
		},
		"UTC by an offset": inFile(description, "03:04:05Z", "03:04:05.5+00:00"),
		"both angles": inFile(description, `<Unit name="degC">`,
			`<Unit name="rad/s"><BaseUnit s="-1"/></Unit><Unit name="degC">`),
		"display units": inFile(description, `<Unit name="degC">`, `<Unit name="K">`+
			`<BaseUnit K="1"/><DisplayUnit name="degC" offset="-273.15"/>`+
			`<DisplayUnit name="degF" factor="1.8" offset="-459.67"/><DisplayUnit name="C"/></Unit>`+
			`<Unit name="rad/s"><BaseUnit s="-1"/><DisplayUnit name="rpm" `+
			`factor="9.549296585513721"/><DisplayUnit name="Hz" factor="0.15915494309189535"/>`+
			`</Unit><Unit name="1"><BaseUnit/><DisplayUnit name="%" factor="100"/></Unit>`+
			`<Unit name="degC">`),
	} {
		t.Run(name, func(t *testing.T) {
			f := base(t, fmi.FMI2)
			make(t, f)
			require.Empty(t, texts(f.check(t)))
		})
	}
}

// TestRead_RoundedIntervals checks that decimal intervals and shifts of clocks may be rounded to the
// digits that are written, but not differ by more than that.
func TestRead_RoundedIntervals(t *testing.T) {
	for _, c := range []struct {
		attributes string
		differs    bool
	}{
		{`intervalDecimal="0.033333" intervalCounter="1" resolution="30"`, false},
		{`intervalDecimal="0.03" intervalCounter="1" resolution="30"`, false},
		{`intervalDecimal="0.016667" intervalCounter="1" resolution="60"`, false},
		{`intervalDecimal="0.0166667" intervalCounter="1" resolution="60"`, false},
		{`intervalDecimal="0.016666" intervalCounter="1" resolution="60"`, false}, // cut off
		{`intervalDecimal="1.66667e-02" intervalCounter="1" resolution="60"`, false},
		{`intervalDecimal="0.03333333507180214" intervalCounter="1" resolution="30"`, false},
		{`intervalDecimal="0.033333" intervalCounter="2" shiftDecimal="0.016667" ` +
			`shiftCounter="1" resolution="60"`, false},
		{`intervalDecimal="0.033333" intervalCounter="1001" resolution="30000"`, true},
		{`intervalDecimal="0.034" intervalCounter="1" resolution="30"`, true},
		{`intervalDecimal="1.6667e-03" intervalCounter="1" resolution="60"`, true},
		{`intervalDecimal="0.1" intervalCounter="3" shiftDecimal="0" shiftCounter="1" ` +
			`resolution="30"`, true},
	} {
		f := base(t, fmi.FMI3)
		f.replace(t, description, `intervalDecimal="0.1"`, c.attributes)
		if found := texts(f.check(t)); c.differs {
			require.Contains(t, found, "FMI3-C4", c.attributes)
		} else {
			require.Empty(t, found, c.attributes)
		}
	}
}

// TestRead_OneWarningPerUnit checks that correct display units of a wrong unit are not reported,
// and that only the first of two display units with the same name is.
func TestRead_OneWarningPerUnit(t *testing.T) {
	f := base(t, fmi.FMI2)
	f.replace(t, description, `<BaseUnit K="1" offset="273.15"/>`,
		`<BaseUnit K="1"/><DisplayUnit name="K" offset="273.15"/>`)
	require.Equal(t, 1, strings.Count(texts(f.check(t)), "FMI2-U2"))

	f = base(t, fmi.FMI2)
	f.replace(t, description, `<Unit name="degC">`, `<Unit name="rad"><BaseUnit/>`+
		`<DisplayUnit name="deg" factor="57.29578"/><DisplayUnit name="deg" factor="0.0174533"/>`+
		`</Unit><Unit name="degC">`)
	found := texts(f.check(t))
	require.Contains(t, found, "FMI2-U1")
	require.NotContains(t, found, "FMI2-U2")
}

// commented adds a comment to an archive.
func commented(b []byte) []byte {
	const text = "made by hand"
	b[len(b)-2] = byte(len(text))
	return append(b, text...)
}

// TestRead_LayeredStandards checks that manifests with any root element, also in the namespace of
// the attributes, are accepted.
func TestRead_LayeredStandards(t *testing.T) {
	f := base(t, fmi.FMI3)
	f.add(manifest, sound)
	f.add("extra/org.example.other/data/fmi-ls-manifest.txt", "x")
	f.add("extra/org.example.minimal/fmi-ls-manifest.xml", `<fmiLayeredStandardManifest
	xmlns="http://fmi-standard.org/fmi-ls-manifest"
	xmlns:ls="http://fmi-standard.org/fmi-ls-manifest" ls:fmi-ls-name="org.example.minimal"
	ls:fmi-ls-version="1" ls:fmi-ls-description=""/>`)
	require.Empty(t, texts(f.check(t)))
}

// TestRead_LargestFloat32 checks that usual spellings of the largest Float32 number are accepted,
// although some of them are larger before they are rounded.
func TestRead_LargestFloat32(t *testing.T) {
	for _, number := range []string{"3.4028235e38", "-3.40282347e+38", "3.402823467E+38"} {
		f := base(t, fmi.FMI3)
		f.replace(t, description, "</ModelVariables>", `<Float32 name="single" valueReference="99" `+
			`causality="parameter" variability="fixed" start="`+number+`"/></ModelVariables>`)
		require.Empty(t, texts(f.check(t)))
	}
}

// TestRead_NotesOnRequest checks that findings that apply to most FMUs are reported only on
// request.
func TestRead_NotesOnRequest(t *testing.T) {
	f := base(t, fmi.FMI2)
	f.replace(t, description, ` author="A"`, "", `"t2"`, `"{t2}"`, `stepSize="0.1"`,
		`stepSize="0.3"`,
		`<CoSimulation `, `<CoSimulation needsExecutionTool="true" canInterpolateInputs="true" `,
		`encoding="UTF-8"`, "", ` dependencies="3" dependenciesKind="constant"`, "",
		`<Unknown index="8" dependencies=""/>`,
		`<Unknown index="8" dependencies="2" dependenciesKind="constant"/>`)
	f.library.Exports, f.library.Version = append(f.library.Exports, "helper"), "GLIBC_2.17"
	f.library.RPath, f.library.Flags1 = "$ORIGIN", elf.DF_1_NODELETE
	f.library.Initializers = 3
	f.add("sources/fmi2Functions.h", "")
	f.remove("documentation/licenses/license.txt")
	require.Empty(t, texts(f.check(t)))
	f.options.Notes = true
	list := f.check(t)
	for _, id := range []string{"FMI2-X8", "FMI2-X3", "FMI2-E2", "FMI2-C2", "FMI2-C3", "FMI2-Z5",
		"FMI2-M6", "FMI2-M8",
		"FMI2-B13", "FMI2-B11", "FMI2-B10", "FMI2-B15", "FMI2-Z6", "FMI2-D2", "FMI2-V18"} {
		require.Contains(t, texts(list), "["+id+"]")
	}
	require.Contains(t, texts(list), "3 functions in DT_INIT_ARRAY, 0 in DT_FINI_ARRAY")
	worst, _ := list.Worst()
	require.Equal(t, finding.Note, worst)
}

// TestRead_ExternalLibraries checks that an undocumented external library and an FMU without
// binaries each cause a note.
func TestRead_ExternalLibraries(t *testing.T) {
	f := base(t, fmi.FMI2)
	f.library.Needed, f.options.Notes = append(f.library.Needed, "libnowhere.so.7"), true
	require.Contains(t, texts(f.check(t)), "[FMI2-D6]")
	f = base(t, fmi.FMI2)
	f.remove(library2)
	require.Contains(t, texts(f.check(t)), "sources only (FMI 2.0.5, 4.3.1) [FMI2-C2]")
}

// TestRead_FastMath checks that a library with the code of crtfastm.o is recognized even if it is
// stripped.
func TestRead_FastMath(t *testing.T) {
	f := base(t, fmi.FMI2)
	f.library.Code = []byte{0x0F, 0xAE, 0x5C, 0x24, 0xFC, 0x81, 0x4C, 0x24, 0xFC, 0x40, 0x80, 0, 0,
		0x0F, 0xAE, 0x54, 0x24, 0xFC, 0xC3}
	requireOnly(t, "FMI2-B14", w, f)
}

// TestRead_RefusesWhatIsNoFMU checks that a file of another kind causes an error, not a finding.
func TestRead_RefusesWhatIsNoFMU(t *testing.T) {
	for _, text := range []string{"", "hello", "<fmiModelDescription/>"} {
		_, err := check.Read(strings.NewReader(text), int64(len(text)), check.Options{})
		require.Error(t, err)
	}
	_, err := check.File("gone.fmu", check.Options{})
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestRead_Places checks that findings state the clause and their place in the document.
func TestRead_Places(t *testing.T) {
	f := base(t, fmi.FMI2)
	f.replace(t, description, `<Real start="1" nominal="1"/>`, `<Real start="1" unit="M/s"/>`)
	list := f.check(t)
	require.Len(t, list, 1)
	line := strings.Count(strings.SplitAfter(f.entry(description).content, `unit="M/s"`)[0], "\n") +
		1
	require.Equal(t, description, list[0].Place.Entry)
	require.Equal(t, line, list[0].Place.Line)
	require.Equal(t, 94, list[0].Place.Column)
	require.Equal(t, "gain", list[0].Place.Object)
	require.Equal(t, "FMI 2.0.5, 2.2.7", list[0].Clause)
	require.Equal(t, []string{`"M/s"`, `"m/s"`}, []string{list[0].Found, list[0].Expected})
}

func FuzzRead(fz *testing.F) {
	f := &fmu{library: &elftest.Library{Exports: []string{"fmi2DoStep"}}}
	f.add(description, `<fmiModelDescription fmiVersion="2.0"/>`)
	f.add(library2, "")
	fz.Add([]byte(`<fmiModelDescription fmiVersion="3.0"><ModelVariables><Clock/>`+
		`</ModelVariables></fmiModelDescription>`),
		f.library.Bytes())
	fz.Fuzz(func(t *testing.T, text, library []byte) {
		f := &fmu{}
		f.add(description, string(text))
		f.add(library2, string(library))
		f.add(terminals, string(text))
		f.add(build, string(text))
		f.options.Notes = true
		for _, found := range f.check(t) {
			require.NotEmpty(t, found.Message)
			require.NotContains(t, found.String(), "\n")
		}
	})
}
