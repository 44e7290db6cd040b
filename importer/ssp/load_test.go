package ssp_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/ssp"
	"gosmp/internal/entries/hostile"
	"gosmp/internal/finding"
)

// files maps names to documents; the description is SystemStructure.ssd.
type files map[string]string

// write writes files to a folder and returns the path of the description.
func (f files) write(t testing.TB) string {
	folder := t.TempDir()
	for name, text := range f {
		full := filepath.Join(folder, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o750))
		require.NoError(t, os.WriteFile(full, []byte(text), 0o600))
	}
	return filepath.Join(folder, "SystemStructure.ssd")
}

// load loads a system that must be free of errors.
func (f files) load(t testing.TB) *ssp.System {
	s, _, err := ssp.Load(f.write(t), ssp.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// describe returns a description around the content of its system; behind is the content that
// follows the system.
func describe(system, behind string) string { return describeAs("1.0", system, behind) }

func describeAs(version, system, behind string) string {
	return fmt.Sprintf(`<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription version=%q name="test"
  xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
  xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"
  xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues"
  xmlns:ssm="http://ssp-standard.org/SSP1/SystemStructureParameterMapping"
  xmlns:ssb="http://ssp-standard.org/SSP1/SystemStructureSignalDictionary">
<ssd:System name="top">
%s
</ssd:System>
%s
</ssd:SystemStructureDescription>
`, version, system, behind)
}

// component returns a component without an FMU, with connectors "name kind type".
func component(name string, connectors ...string) string {
	return fmt.Sprintf(`<ssd:Component name=%q source="">%s</ssd:Component>`, name,
		ports(connectors...))
}

func ports(connectors ...string) string {
	if len(connectors) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<ssd:Connectors>")
	for _, c := range connectors {
		words := strings.SplitN(c, " ", 3)
		kind := ""
		if len(words) > 2 {
			kind = "<ssc:" + words[2] + "/>"
		}
		fmt.Fprintf(&b, `<ssd:Connector name=%q kind=%q>%s</ssd:Connector>`, words[0], words[1],
			kind)
	}
	return b.String() + "</ssd:Connectors>"
}

// connection returns a connection from "element.connector" to "element.connector"; without a dot,
// the connector belongs to the system.
func connection(from, to, inside string) string {
	end := func(text, which string) string {
		element, connector, is := strings.Cut(text, ".")
		if !is {
			return fmt.Sprintf(`%sConnector=%q`, which, text)
		}
		return fmt.Sprintf(`%sElement=%q %sConnector=%q`, which, element, which, connector)
	}
	return fmt.Sprintf(`<ssd:Connection %s %s>%s</ssd:Connection>`, end(from, "start"),
		end(to, "end"), inside)
}

const pressureUnits = `<ssd:Units>
<ssc:Unit name="bar"><ssc:BaseUnit kg="1" m="-1" s="-2" factor="1e5"/></ssc:Unit>
<ssc:Unit name="Pa"><ssc:BaseUnit kg="1" m="-1" s="-2"/></ssc:Unit>
<ssc:Unit name="degC"><ssc:BaseUnit K="1" offset="273.15"/></ssc:Unit>
<ssc:Unit name="K"><ssc:BaseUnit K="1"/></ssc:Unit>
</ssd:Units>`

func flat(s *ssp.System) (list []string) {
	for _, c := range s.Connections {
		text := c.From.String() + " -> " + c.To.String()
		if t := c.Transformation; !t.IsIdentity() {
			text += fmt.Sprintf(" *%g +%g", t.Factor, t.Offset)
			for _, m := range t.Map {
				text += fmt.Sprintf(" %d:%d", m.Source, m.Target)
			}
		}
		list = append(list, text)
	}
	return list
}

// SSP files are encoded in UTF-8. For any other encoding, the finding names the encoding rather
// than an invalid byte.
func TestCheck_OtherEncodings(t *testing.T) {
	for _, mark := range []string{"\xff\xfe<\x00", "\xfe\xff\x00<"} {
		list, err := ssp.Check(alone(t, "demo.ssd", mark), ssp.Options{})
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, "not well-formed: encoded in UTF-16, expected UTF-8", list[0].Message)
	}
	list, err := ssp.Check(alone(t, "demo.ssd", `<?xml version="1.0" encoding="EBCDIC"?><a/>`),
		ssp.Options{})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, `not well-formed: the encoding "EBCDIC", expected UTF-8`, list[0].Message)
	require.Equal(t, 1, list[0].Place.Line)

	latin := describe(`<ssd:Elements>`+component("Gruesse", "p output Real")+`</ssd:Elements>`, "")
	latin = strings.NewReplacer("UTF-8", "ISO-8859-1", "Gruesse", "Gr\xfc\xdfe").Replace(latin)
	require.Equal(t, []string{"Grüße"}, names(files{"SystemStructure.ssd": latin}.load(t)),
		"other tools write it, and it is read")
}

// A value is first converted to the unit of its destination and then transformed; this is repeated
// at each boundary in turn (rules 15 and 16).
func TestLoad_NestedSystemsConvertInTurn(t *testing.T) {
	inner := `<ssd:System name="inner">` +
		ports("p input Real unit=\"Pa\"", "q output Real unit=\"bar\"") +
		`<ssd:Elements>` + component("c", "p input Real unit=\"bar\"",
		"q output Real unit=\"Pa\"") + `</ssd:Elements>
<ssd:Connections>` + connection("p", "c.p", `<ssc:LinearTransformation factor="2"/>`) +
		connection("c.q", "q", "") + `</ssd:Connections>
</ssd:System>`
	s := files{"SystemStructure.ssd": describe(`<ssd:Elements>`+component("a",
		"p output Real unit=\"bar\"")+inner+
		component("b", "q input Real unit=\"bar\"")+`</ssd:Elements><ssd:Connections>`+
		connection("a.p", "inner.p", `<ssc:LinearTransformation offset="1000"/>`)+
		connection("inner.q", "b.q", "")+
		`</ssd:Connections>`, pressureUnits)}.load(t)
	require.Equal(t, []string{"a", "inner.c", "b"}, names(s))
	// 3 bar = 300000 Pa, + 1000 = 301000 Pa = 3.01 bar, doubled.
	c := s.Connections[0]
	require.Equal(t, "a.p -> inner.c.p", c.From.String()+" -> "+c.To.String())
	require.InDelta(t, 6.02, c.Transformation.Real(3), 1e-12)
	require.InDelta(t, 3e-5, s.Connections[1].Transformation.Real(3), 1e-20)
}

func names(s *ssp.System) (list []string) {
	for _, c := range s.Components {
		list = append(list, c.Name)
	}
	return list
}

// The order of the two ends makes no difference (rule 13).
func TestLoad_ConnectionsWrittenBackwards(t *testing.T) {
	both := `<ssd:Elements>` + component("a", "y output Real") + component("b", "u input Real") +
		`</ssd:Elements><ssd:Connections>%s</ssd:Connections>`
	forward := files{"SystemStructure.ssd": describe(fmt.Sprintf(both, connection("a.y", "b.u",
		"")), "")}.load(t)
	backward := files{"SystemStructure.ssd": describe(fmt.Sprintf(both, connection("b.u", "a.y",
		"")), "")}.load(t)
	require.Equal(t, []string{"a.y -> b.u"}, flat(forward))
	require.Equal(t, flat(forward), flat(backward))
}

// A signal dictionary carries the value from its single writer to all its readers, also through
// nested systems (rule 13).
func TestLoad_SignalDictionary(t *testing.T) {
	dictionary := `<ssd:SignalDictionaries><ssd:SignalDictionary name="bus"><ssb:SignalDictionary version="1.0">
<ssb:DictionaryEntry name="speed"><ssc:Real/></ssb:DictionaryEntry></ssb:SignalDictionary></ssd:SignalDictionary></ssd:SignalDictionaries>`
	reference := `<ssd:SignalDictionaryReference name="%s" dictionary="bus">` +
		ports("speed inout") + `</ssd:SignalDictionaryReference>`
	s := files{"SystemStructure.ssd": describe(`<ssd:Elements>`+component("a", "y output Real")+
		fmt.Sprintf(reference, "out")+
		`<ssd:System name="in"><ssd:Elements>`+component("b", "u input Real")+fmt.Sprintf(reference,
		"bus")+
		`</ssd:Elements><ssd:Connections>`+connection("bus.speed", "b.u", "")+
		`</ssd:Connections></ssd:System></ssd:Elements>
<ssd:Connections>`+connection("a.y", "out.speed", "")+`</ssd:Connections>`+dictionary, "")}.load(t)
	require.Equal(t, []string{"a.y -> in.b.u"}, flat(s))
}

// binding returns a binding with one Real parameter.
func binding(name string, value float64) string {
	return fmt.Sprintf(
		`<ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version="1.0" name="s"><ssv:Parameters>
<ssv:Parameter name=%q><ssv:Real value="%g"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding>`, name, value)
}

// A binding at a higher level takes precedence; within one level, the later one does (rule 19). The
// test removes the levels one by one.
func TestLoad_PrecedenceOfBindings(t *testing.T) {
	wrap := func(bindings ...string) string {
		if len(bindings) == 0 {
			return ""
		}
		return `<ssd:ParameterBindings>` + strings.Join(bindings, "") + `</ssd:ParameterBindings>`
	}
	for level, want := range []string{"5", "4", "3", "2", "1"} {
		var top, sub, leaf []string
		leaf = append(leaf, binding("k", 1))
		if level < 4 {
			leaf = append(leaf, binding("k", 2))
		}
		if level < 3 {
			sub = append(sub, binding("c.k", 3))
		}
		if level < 2 {
			top = append(top, binding("sub.c.k", 4))
		}
		if level < 1 {
			top = append(top, binding("sub.c.k", 5))
		}
		s := files{"SystemStructure.ssd": describe(wrap(top...)+
			`<ssd:Elements><ssd:System name="sub">`+wrap(sub...)+
			`<ssd:Elements><ssd:Component name="c" source="">`+ports("k parameter Real")+
			wrap(leaf...)+
			`</ssd:Component></ssd:Elements></ssd:System></ssd:Elements>`, "")}.load(t)
		require.Equal(t, []string{want}, s.Components[0].Starts[0].Values, "level %d", level)
	}
}

// TestOpen_SharedBytes checks that a package whose entries share compressed bytes is refused.
func TestOpen_SharedBytes(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "a.ssp")
	content := hostile.Share(entries{{name: main, content: describe("", "")},
		{name: "b", content: "c"}}.bytes(t))
	require.NoError(t, os.WriteFile(name, content, 0o600))
	_, _, err := ssp.Load(name, ssp.Options{})
	require.ErrorContains(t, err, `"SystemStructure.ssd" and "b" share compressed bytes`)
}

// TestOpen_Zip64: packages with ZIP64 records are read. Those whose records contradict the package
// are refused, with a reason.
func TestOpen_Zip64(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		b.Reset()
		z := zip.NewWriter(&b)
		for _, name := range []string{main, "b"} {
			w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
			require.NoError(t, err)
			_, err = io.WriteString(w, describe("", ""))
			require.NoError(t, err)
		}
		require.NoError(t, z.Close())
		for _, lie := range hostile.Lies {
			name := filepath.Join(t.TempDir(), "a.ssp")
			require.NoError(t, os.WriteFile(name, lie.WithZip64(b.Bytes()), 0o600))
			_, list, err := ssp.Load(name, ssp.Options{})
			if lie.Harmless {
				require.NoError(t, err, lie.Name)
				continue
			}
			require.ErrorContains(t, err, name, lie.Name)
			require.ErrorContains(t, err, "unusable system: ", lie.Name)
			require.Equal(t, finding.Error, list[0].Severity)
		}
	}
}

// TestOpen_DamagedDocument: also a document that is stored without compression has a checksum.
func TestOpen_DamagedDocument(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateHeader(&zip.FileHeader{Name: main, Method: zip.Store})
	require.NoError(t, err)
	_, err = io.WriteString(w, describe("", ""))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	name := filepath.Join(t.TempDir(), "a.ssp")
	require.NoError(t, os.WriteFile(name, bytes.Replace(b.Bytes(), []byte(`version="1.0"`),
		[]byte(`version="2.0"`), 1), 0o600))
	_, _, err = ssp.Load(name, ssp.Options{})
	require.ErrorContains(t, err, "checksum error")
}

// TestOpen_NoChecksum: 0 means that a document has no checksum, for any method.
func TestOpen_NoChecksum(t *testing.T) {
	t.Parallel()
	text := describe("", "")
	var packed bytes.Buffer
	f, err := flate.NewWriter(&packed, flate.BestSpeed)
	require.NoError(t, err)
	_, err = io.WriteString(f, text)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	for method, content := range map[uint16][]byte{zip.Store: []byte(text),
		zip.Deflate: packed.Bytes()} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, err := z.CreateRaw(&zip.FileHeader{Name: main, Method: method,
			CompressedSize64: uint64(len(content)), UncompressedSize64: uint64(len(text))})
		require.NoError(t, err)
		_, err = w.Write(content)
		require.NoError(t, err)
		require.NoError(t, z.Close())
		name := filepath.Join(t.TempDir(), "a.ssp")
		require.NoError(t, os.WriteFile(name, b.Bytes(), 0o600))
		_, _, err = ssp.Load(name, ssp.Options{})
		require.NoError(t, err)
	}
}

// TestOpen_Encrypted: an encrypted entry is a finding, and the others are examined.
func TestOpen_Encrypted(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(main)
	require.NoError(t, err)
	_, err = io.WriteString(w, describe("", ""))
	require.NoError(t, err)
	w, err = z.CreateRaw(&zip.FileHeader{Name: "resources/secret.bin", Flags: 1,
		CompressedSize64: 15, UncompressedSize64: 3})
	require.NoError(t, err)
	_, err = io.WriteString(w, "twelve bytes+++")
	require.NoError(t, err)
	require.NoError(t, z.Close())
	name := filepath.Join(t.TempDir(), "a.ssp")
	require.NoError(t, os.WriteFile(name, b.Bytes(), 0o600))
	_, list, err := ssp.Load(name, ssp.Options{})
	require.NoError(t, err)
	var found []string
	for _, f := range list {
		found = append(found, f.Place.Entry+" "+f.Message)
	}
	require.Contains(t, found, "resources/secret.bin encrypted")
	require.Contains(t, found, main+" the system has no component")
}
