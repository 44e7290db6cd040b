package ssp_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/ssp"
)

// largestInput limits the size of fuzzed files, since small files suffice to find errors.
const largestInput = 32 << 10

// fuzz checks a file with the given name and arbitrary content. The check must return findings or
// an error, never panic, and return the same findings when repeated.
func fuzz(f *testing.F, name string) {
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, content []byte) {
		if len(content) > largestInput || bombs(content) {
			t.Skip("too large")
		}
		full := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(full, content, 0o600))
		first, err := ssp.Check(full, ssp.Options{})
		require.NoError(t, err)
		second, err := ssp.Check(full, ssp.Options{})
		require.NoError(t, err)
		require.Equal(t, first, second)
		if s, _, err := ssp.Load(full, ssp.Options{}); err == nil {
			require.NotPanics(t, func() {
				var b bytes.Buffer
				_ = ssp.Write(&b, s) // placeholders cannot be written without their source file
				_ = s.Loops()
			})
			require.NoError(t, s.Close())
		} else if s != nil {
			require.NoError(t, s.Close())
		}
	})
}

// bombs reports whether a package unpacks to much more than its size.
func bombs(content []byte) bool {
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return false
	}
	sum := uint64(0)
	for _, x := range z.File {
		sum += min(x.UncompressedSize64, 1<<30)
	}
	return sum > 1<<20
}

func FuzzPackage(f *testing.F) {
	f.Add(sound(f).bytes(f))
	f.Add(entries{{name: main, content: describe(`<ssd:Elements><ssd:Component name="a" type="app`+
		`lication/x-ssp-package" source="resources/b.ssp"/></ssd:Elements>`, "")},
		{name: "resources/b.ssp", content: string(entries{{name: main, content: describe("",
			"")}}.bytes(f))}}.bytes(f))
	fuzz(f, "fuzz.ssp")
}

func FuzzDescription(f *testing.F) {
	for _, m := range mutants(f) {
		for _, e := range m {
			for _, x := range e {
				if x.name == main {
					f.Add([]byte(x.content))
				}
			}
		}
	}
	f.Add([]byte(describeAs("2.0",
		`<ssd:Elements><ssd:System name="s" id="s"/>`+
			`<ssd:Component name="a" type="application/x-ssp-definition" source="#s"/>`+
			`</ssd:Elements>`, "")))
	fuzz(f, "fuzz.ssd")
}

func FuzzValues(f *testing.F) {
	f.Add(
		[]byte(
			parameterSet(
				`<ssv:Parameter name="a"><ssv:Real value="1" unit="m"/></ssv:Parameter>` +
					`<ssv:Parameter name="b"><ssv:Binary value="0aff"/></ssv:Parameter>`)))
	f.Add(
		[]byte(
			parameterSet(
				`<ssv:Parameter name="a"><ssv:Integer value="1 2 3"/><ssc:Dimension size="3"/>` +
					`</ssv:Parameter>`)))
	fuzz(f, "fuzz.ssv")
}

func FuzzMapping(f *testing.F) {
	f.Add(
		[]byte(
			`<ssm:ParameterMapping version="1.0" xmlns:ssm="http://ssp-standard.org/SSP1/SystemStructureParameterMapping" xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon">
<ssm:MappingEntry source="a" target="b" suppressUnitConversion="true"><ssc:LinearTransformation factor="2"/></ssm:MappingEntry></ssm:ParameterMapping>`))
	fuzz(f, "fuzz.ssm")
}

func FuzzDictionary(f *testing.F) {
	f.Add(
		[]byte(
			`<ssb:SignalDictionary version="2.0" xmlns:ssb="http://ssp-standard.org/SSP1/SystemStructureSignalDictionary" xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon">
<ssb:DictionaryEntry name="a"><ssc:Real unit="m"/><ssc:Dimension size="3"/></ssb:DictionaryEntry></ssb:SignalDictionary>`))
	fuzz(f, "fuzz.ssb")
}
