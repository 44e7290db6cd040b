package examine_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// build builds an FMU from testdata, either sound or with the faults selected by flags such as
// -DRESET. change edits its model description.
func build(t *testing.T, major int, flags string, change ...string) string {
	t.Helper()
	base := fmt.Sprintf("lag%d", major)
	return buildFrom(t, "testdata/"+base+".c", base, flags, change...)
}

// buildFrom is like build, with a different C source. base is the name of the model description
// without its extension, and ends with the version of FMI.
func buildFrom(t *testing.T, source, base string, flags string, change ...string) string {
	t.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("it takes a C compiler, and Linux on amd64")
	}
	library := filepath.Join(t.TempDir(), "lag.so")
	level := "-O1"
	if testing.Short() {
		level = "-O0" // most of the processor time of these tests is for the compiler
	}
	arguments := append([]string{"-std=gnu11", level, "-fPIC", "-shared", "-w", "-o", library,
		"-Itestdata", source}, strings.Fields(flags)...)
	out, err := exec.Command(compiler, append(arguments, "-lm", "-lpthread")...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	code, err := os.ReadFile(library)
	require.NoError(t, err)
	folder := map[byte]string{'2': "linux64", '3': "x86_64-linux"}[base[len(base)-1]]
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for name, content := range map[string]string{
		"modelDescription.xml": strings.NewReplacer(change...).Replace(describe(t,
			base, flags)),
		"binaries/" + folder + "/lag.so":  string(code),
		"resources/nothing.txt":           "nothing\n",
		"documentation/index.html":        "<html></html>\n",
		"documentation/licenses/none.txt": "none\n",
	} {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = w.Write([]byte(content))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	path := filepath.Join(t.TempDir(), "lag.fmu")
	require.NoError(t, os.WriteFile(path, packed.Bytes(), 0o600))
	return path
}

// describe returns the model description of a test FMU.
func describe(t *testing.T, base, flags string) string {
	text, err := os.ReadFile("testdata/" + base + ".xml")
	require.NoError(t, err)
	replace := strings.NewReplacer("OSMPMARK\n", "", "BOOLEAN", "on", "CAUSALITY", "input",
		"INTEGERS\n", `<ScalarVariable name="count" valueReference="0" causality="output" `+
			`variability="discrete"><Integer/></ScalarVariable>`+"\n"+
			`<ScalarVariable name="kind" valueReference="1" causality="parameter" `+
			`variability="fixed"><Integer start="1" min="1" max="3"/></ScalarVariable>`+"\n",
		"OUTPUTS", `<Unknown index="7" dependencies=""/>`,
		"UNKNOWNS", `<Unknown index="7" dependencies=""/>`)
	if strings.Contains(flags, "-DOSMP") {
		outputs := ""
		for _, k := range []int{5, 10, 11, 12} {
			outputs += fmt.Sprintf(`<Unknown index="%d"/>`, k)
		}
		replace = strings.NewReplacer("OSMPMARK", mark, "BOOLEAN", "valid", "CAUSALITY",
			`output" initial="exact`, "INTEGERS\n", triples, "OUTPUTS", outputs, "UNKNOWNS",
			`<Unknown index="13"/><Unknown index="14"/><Unknown index="15"/>`)
	}
	return replace.Replace(string(text))
}

const (
	space = `xmlns:osmp="http://xsd.pmsf.net/OSISensorModelPackaging"`
	mark  = `<VendorAnnotations><Tool name="net.pmsf.osmp" ` + space +
		`><osmp:osmp version="1.6.0" osi-version="3.8.0"/></Tool></VendorAnnotations>`
)

var triples = triple("SensorViewIn", 0, "SensorView", `causality="input" variability="discrete"`,
	`start="0"`) +
	triple("SensorDataOut", 3, "SensorData",
		`causality="output" variability="discrete" initial="exact"`, `start="0"`) +
	triple("SensorViewInConfigRequest", 6, "SensorViewConfiguration",
		`causality="calculatedParameter" variability="fixed"`, "") +
	triple("SensorViewInConfig", 9, "SensorViewConfiguration",
		`causality="parameter" variability="fixed"`, `start="0"`)

func triple(name string, first int, message, attributes, start string) (text string) {
	for k, role := range []string{"base.lo", "base.hi", "size"} {
		text += fmt.Sprintf(`<ScalarVariable name="OSMP%s.%s" valueReference="%d" %s><Integer %s/>`+
			`<Annotations><Tool name="net.pmsf.osmp" %s><osmp:osmp-binary-variable name="OSMP%s" `+
			`role="%s" mime-type="application/x-open-simulation-interface; type=%s; `+
			`version=3.8.0"/>`+
			"</Tool></Annotations></ScalarVariable>\n", name, role, first+k, attributes, start,
			space,
			name, role, message)
	}
	return text
}
