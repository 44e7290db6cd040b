package ssp_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/ssp"
)

// Each change to the sound package has the findings of the table, with their numbers and names, and
// no others.
func TestCheck_JudgesConnectors(t *testing.T) {
	s := sound(t)
	in := func(old, replacement string) entries { return s.with(main, old, replacement) }
	mime := func(kind string) string {
		return `<ssd:Connector name="OSMPSensorViewIn" kind="input"><ssc:Binary mime-type=` +
			`"application/x-open-simulation-interface; type=` + kind + `; version=3.8.0"/>` +
			`</ssd:Connector>`
	}
	const k = `<ssd:Connector name="k" kind="parameter"><ssc:Real/></ssd:Connector>`
	const on = `<ssd:Connector name="on" kind="output"><ssc:Boolean/></ssd:Connector>`
	fix := func(kind string) string {
		return `<ssd:Connector name="fix" kind="` + kind + `"><ssc:Real/></ssd:Connector>`
	}
	lines := connection("source.OSMPSensorViewOut.base.lo", "sensor.OSMPSensorViewIn.base.lo",
		"") + "\n" + connection("source.OSMPSensorViewOut.base.hi",
		"sensor.OSMPSensorViewIn.base.hi", "") + "\n" + connection("source.OSMPSensorViewOut.size",
		"sensor.OSMPSensorViewIn.size", "")
	whole := func(kind string) entries {
		return in(messagePorts("OSMPSensorViewOut", "output"),
			ports("OSMPSensorViewOut output Binary")).with(main, messagePorts("OSMPSensorViewIn",
			"input"), `<ssd:Connectors>`+mime(kind)+`</ssd:Connectors>`).with(main, lines, connection("source.OSMPSensorViewOut",
			"sensor.OSMPSensorViewIn", ""))
	}
	suppressed := func(transformation string) entries {
		link := connection("a.p", "b.k", transformation)
		link = strings.Replace(link, "<ssd:Connection ",
			`<ssd:Connection suppressUnitConversion="true" `, 1)
		return in(k, `<ssd:Connector name="k" kind="input"><ssc:Real unit="K"/></ssd:Connector>`).
			with(main, connection("a.p", "b.p", ""), link)
	}
	array := func(connector string) entries {
		return twin(t).plus("x", arrays(t), ports(connector))
	}
	for name, c := range map[string]struct {
		of   entries
		want []string // parts of the messages, in any order; "-" before one that must be missing
	}{
		"a unit the FMU does not state": {in(k,
			`<ssd:Connector name="k" kind="parameter"><ssc:Real unit="Pa"/></ssd:Connector>`),
			[]string{"-SSP-U"}},
		"a local constant":   {in(on, on+fix("local")), []string{"-SSP-S6"}},
		"a constant as such": {in(on, on+fix("constant")), []string{"-SSP-S6"}},
		"a constant": {in(on, on+fix("parameter")),
			[]string{"fix is of kind parameter, but the FMU's variable is of kind local, constant"}},
		"a variable that is no constant": {in(`name="on" kind="output"`, `name="on" kind="input"`),
			[]string{"on is of kind input, but the FMU's variable is of kind output ["}},
		"the same message": {whole("SensorView"), []string{"-SSP-O2"}},
		"another message":  {whole("SensorData"), []string{"SSP-O2", "the messages differ"}},
		"no type":          {in(`<ssc:Boolean/>`, ""), []string{"1 connector without a type: on"}},
		"dimensions differ, with a transformation": {suppressed(
			`<ssc:LinearTransformation factor="2"/>`),
			[]string{"only by a transformation", "-untransformed"}},
		"dimensions differ, without a transformation": {suppressed(""),
			[]string{"unconverted and untransformed", "-only by"}},
		"an unknown connector, like another": {in(connection("a.gear", "b.gear", ""),
			connection("a.gaer", "b.gear", "")), []string{`a has no connector "gaer"; near "gear"`}},
		"an unknown connector": {in(connection("a.gear", "b.gear", ""), connection("a.zebra",
			"b.gear", "")), []string{`a has no connector "zebra"`, "-near"}},
		"a name without UTF-8 beside a comment": {append(s[:len(s):len(s)], entry{name: "extra/x",
			header: func(h *zip.FileHeader) { h.Comment, h.NonUTF8 = "ü", true }}),
			[]string{"-SSP-Z1"}},
		"a unit with another zero": {in(`name="p" kind="output"><ssc:Real unit="Pa"/>`,
			`name="p" kind="output"><ssc:Real unit="gauge"/>`).with(main, "<ssd:Units>",
			`<ssd:Units><ssc:Unit name="gauge"><ssc:BaseUnit kg="1" m="-1" s="-2" offset="101325"/>`+
				`</ssc:Unit>`), []string{`p is in "gauge" (kg m-1 s-2), and in "Pa" (kg m-1 s-2) in the FMU`}},
		"a dimension without a size": {array(`v output Float64/><ssc:Dimension`),
			[]string{"-SSP-S6"}},
		"a dimension of another size": {array(`v output Float64/><ssc:Dimension size="4"`),
			[]string{"dimension 1 of v is 4, and 3 in the FMU"}},
		"a Boolean that is scaled": {in(connection("a.p", "b.p", ""), connection("a.on", "b.p",
			`<ssc:LinearTransformation factor="2"/>`)),
			[]string{"a.on is of type Boolean, and b.p is of type Real"}},
		"a message of a kind that only the connector states": {whole("SensorView").plus("x",
			arrays(t), ports(`blob output Binary mime-type="text/plain"`)).with(main,
			connection("source.OSMPSensorViewOut", "sensor.OSMPSensorViewIn", ""),
			connection("x.blob", "sensor.OSMPSensorViewIn", "")),
			[]string{"the messages differ: text/plain goes to"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, list := c.of.check(t, ssp.Options{})
			text := ""
			for _, f := range list {
				text += f.String() + "\n"
			}
			for _, want := range c.want {
				if not, is := strings.CutPrefix(want, "-"); is {
					require.NotContains(t, text, not)
				} else {
					require.Contains(t, text, want)
				}
			}
		})
	}
}

// TestCheck_VersionOfZip: a package states which version of zip is necessary to unpack each entry.
func TestCheck_VersionOfZip(t *testing.T) {
	b := sound(t).bytes(t)
	at := bytes.LastIndex(b, []byte("PK\x01\x02")) // the directory's last entry
	b[at+6] = 45                                   // version needed
	name := filepath.Join(t.TempDir(), "demo.ssp")
	require.NoError(t, os.WriteFile(name, b, 0o600))
	list, err := ssp.Check(name, ssp.Options{})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Contains(t, list[0].Message, "needs version 4.5 of zip to unpack, expected at most 2.0")
}

// TestCheck_NamesOfVariants: variants of SSP 2.0 must have different names. In SSP 1.0, several
// variants may have the same name.
func TestCheck_NamesOfVariants(t *testing.T) {
	s := sound(t)
	for version, want := range map[string]bool{"1.0": false, "2.0": true} {
		p := s.with(main, `version="1.0" name="test"`, `version="`+version+`" name="test"`)
		p = append(p, entry{name: "Other.ssd", content: p[0].content})
		_, list := p.check(t, ssp.Options{})
		found := false
		for _, f := range list {
			found = found || strings.Contains(f.Message, `has the name "test", like `)
		}
		require.Equal(t, want, found, version)
	}
}
