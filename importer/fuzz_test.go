package importer

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/importer/worker"
)

// description returns a model description of the test FMU.
func description(t testing.TB, version int) []byte {
	t.Helper()
	content, err := os.ReadFile("../internal/testfmu/source/fmi" + strconv.Itoa(version) + ".xml")
	require.NoError(t, err)
	return content
}

const tried = 50 // variables; more would not reveal more errors

// FuzzModelDescription reads arbitrary model descriptions. Each one is either rejected with an
// error of the package, or its variables and start values are usable. Nothing is loaded.
func FuzzModelDescription(f *testing.F) {
	f.Add(description(f, 2))
	f.Add(description(f, 3))
	f.Add(
		[]byte(
			`<fmiModelDescription fmiVersion="3.0" instantiationToken="x">` +
				`<CoSimulation modelIdentifier="unruly"/><ModelVariables>` +
				`<Float64 name="a" valueReference="0"><Dimension valueReference="1"/></Float64>` +
				`<UInt64 name="n" valueReference="1" ` +
				`causality="structuralParameter" start="99999999999"/></ModelVariables>` +
				`</fmiModelDescription>`))
	f.Add(
		[]byte(
			`<fmiModelDescription fmiVersion="3.0" instantiationToken="x">` +
				`<CoSimulation modelIdentifier="unruly" hasEventMode="true"/>` +
				`<ModelVariables><Clock name="c" valueReference="1" causality="input" ` +
				`intervalVariability="fixed" supportsFraction="true" ` +
				`resolution="3" intervalCounter="1" shiftCounter="2" clocks="2"/>` +
				`<Clock name="d" valueReference="2" causality="output" ` +
				`intervalVariability="triggered"/><Int8 name="i" valueReference="3" ` +
				`causality="input" start="1" clocks="1 2"/></ModelVariables>` +
				`</fmiModelDescription>`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := archive.Parse(bytes.NewReader(text))
		if err != nil || m.Major() != 2 && m.Major() != 3 {
			return
		}
		table, err := newTable(m)
		if err != nil {
			require.ErrorIs(t, err, ErrInvalid)
			return
		}
		list := table.describe(nil)
		for k := range list[:min(len(list), tried)] {
			v := &list[k]
			require.NotZero(t, v.Kind)
			require.NotEqual(t, worker.OSMP, v.Kind)
			require.GreaterOrEqual(t, v.Size, 0)
			require.LessOrEqual(t, v.Size, maxElements)
			causes, _ := table.dependencies().of(&table.list[k])
			require.True(t, slices.IsSorted(causes))
			s, err := table.starts([]StartValue{{Name: v.Name, Value: "1"}}, false)
			if err != nil {
				require.NotEmpty(t, err.Error())
				continue
			}
			require.Len(t, s.sizes, len(list))
			require.Equal(t, 1, len(s.structural)+len(s.before)+len(s.inputs))
		}
		if _, err := table.starts(nil, true); err != nil {
			require.NotEmpty(t, err.Error())
		}
	})
}

// FuzzMessage formats arbitrary texts that an FMU may log. The result must not contain terminal
// control sequences, and its length must follow from its references and escapes.
func FuzzMessage(f *testing.F) {
	for _, text := range []string{"100 % of #r1# and ##", "#1#", "#r1", "\x1b[2J\xff\xfe\n",
		"####r1##", strings.Repeat("#r1#", 100), "\u009b"} {
		f.Add(text, "logEvents", true)
	}
	tables := map[bool]*table{}
	for version, old := range map[int]bool{2: true, 3: false} {
		m, err := archive.Parse(bytes.NewReader(description(f, version)))
		require.NoError(f, err)
		tables[old], err = newTable(m)
		require.NoError(f, err)
	}
	f.Fuzz(func(t *testing.T, text, category string, old bool) {
		m := tables[old].message("x", worker.Record{Status: int(fmi.Warning), HasCategory: true,
			Category: category, Text: text})
		for _, s := range []string{m.Text, m.Category} {
			require.True(t, utf8.ValidString(s))
			require.Equal(t, -1, strings.IndexFunc(s, unicode.IsControl), "%q", s)
		}
		if !strings.Contains(text, "#") {
			require.GreaterOrEqual(t, len(m.Text), len(strings.TrimRight(text, " \n\t\r")))
			require.LessOrEqual(t, len(m.Text), 4*len(text))
		}
	})
}
