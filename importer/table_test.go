package importer

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/fmi/archive"
)

// tableOf is the table of a description of FMI 3.0 with some variables.
func tableOf(t *testing.T, variables string) (*table, error) {
	t.Helper()
	m, err := archive.Parse(strings.NewReader(`<fmiModelDescription fmiVersion="3.0" instantiationToken="x"><CoSimulation modelIdentifier="x" ` +
		`hasEventMode="true"/><ModelVariables>` + variables + `</ModelVariables></fmiModelDescription>`))
	require.NoError(t, err)
	return newTable(m)
}

const columns = `<UInt64 name="columns" valueReference="1" causality="structuralParameter" start="3"><Alias name="width"/></UInt64>` +
	`<Float64 name="a" valueReference="2" causality="input" start="1 2 3"><Dimension valueReference="1"/></Float64>`

// The size of an array follows its structural parameter, whatever name of it the user sets.
func TestStarts_AliasesOfStructuralParametersDecideSizes(t *testing.T) {
	table, err := tableOf(t, columns)
	require.NoError(t, err)
	for _, name := range []string{"columns", "width"} {
		s, err := table.starts([]StartValue{{Name: name, Value: "5"}}, false)
		require.NoError(t, err)
		require.Equal(t, 5, s.sizes[table.byName["a"]], name)
	}
	_, err = table.starts([]StartValue{{Name: "columns", Value: "5"}, {Name: "width", Value: "4"}}, false)
	require.ErrorContains(t, err, "width: unusable start value: found a start value of columns as well, which is an alias")
}

// Aliases are one variable: its start value is sent once, and the user's one counts.
func TestStarts_TheUsersValueOfAnAliasCounts(t *testing.T) {
	table, err := tableOf(t, `<Float64 name="x" valueReference="1" causality="parameter" start="1"><Alias name="y"/></Float64>`)
	require.NoError(t, err)
	for _, given := range [][]StartValue{nil, {{Name: "x", Value: "7"}}, {{Name: "y", Value: "7"}}} {
		s, err := table.starts(given, true)
		require.NoError(t, err)
		require.Len(t, s.before, 1)
		want, _, err := cosim.ParseValue(cosim.Float64, map[bool]string{true: "1", false: "7"}[given == nil])
		require.NoError(t, err)
		require.Equal(t, []uint64{want}, s.before[0].cells)
	}
}

// Whatever a description says, the table is usable or refused.
func TestNewTable_OddDescriptions(t *testing.T) {
	for variables, want := range map[string]string{
		`<String name="s" valueReference="1" causality="structuralParameter"><Start value="3"/></String>`:                          "",
		`<Float64 name="s" valueReference="1" causality="structuralParameter" start="3"/>`:                                         "",
		columns + `<Float64 name="b" valueReference="3"><Dimension valueReference="9"/></Float64>`:                                 "the size of b is that of the variable with reference 9",
		columns + `<Float64 name="b" valueReference="3"><Dimension valueReference="2"/></Float64>`:                                 "the size of b is that of the variable with reference 2",
		`<UInt64 name="n" valueReference="1" causality="structuralParameter" start="2 2"><Dimension valueReference="1"/></UInt64>`: "the size of n",
		`<UInt64 name="n" valueReference="1" causality="structuralParameter" start="18446744073709551615"/>` +
			`<Float64 name="b" valueReference="3"><Dimension valueReference="1"/></Float64>`: "b has more than 16777216 elements",
		`<Float64 name="b" valueReference="3"><Dimension start="4096"/><Dimension start="4097"/></Float64>`:                                         "b has more than",
		`<Float64 name="b" valueReference="3" causality="input" start=""><Dimension start="0"/></Float64>`:                                          "",
		`<Float64 name="" valueReference="3"/><Float64 name="" valueReference="4"><Alias name=""/></Float64>`:                                       "",
		`<Float64 name="a" valueReference="3"/><Int8 name="a" valueReference="3"/><Boolean name="b" valueReference="3"><Alias name="a"/></Boolean>`: "",
		`<Float64 name="a" valueReference="3" clocks="3"/>`:                                                                                         "",
		`<Clock name="c" valueReference="3" causality="input" intervalVariability="triggered"/><Float64 name="a" valueReference="4" clocks="4 3"/>`: "a belongs to the clock with reference 4",
		`<Clock name="c" valueReference="3" causality="input" intervalVariability="triggered" clocks="3"/>`:                                         "clocks that lead back to themselves",
		`<Clock name="c" valueReference="3" causality="parameter" intervalVariability="triggered"/>`:                                                "causality parameter",
		`<Clock name="c" valueReference="3" causality="input" intervalVariability="constant" intervalDecimal="1e300"/>`:                             "",
		`<Clock name="c" valueReference="3" causality="input" intervalVariability="constant" intervalDecimal="1e-300"/>`:                            "an interval below 1e-9 s",
	} {
		table, err := tableOf(t, variables)
		if want != "" {
			require.ErrorIs(t, err, ErrInvalid, variables)
			require.ErrorContains(t, err, want)
			continue
		}
		require.NoError(t, err, variables)
		for _, v := range table.describe(nil) {
			s, err := table.starts([]StartValue{{Name: v.Name, Value: "1"}}, true)
			if err == nil {
				require.Len(t, s.sizes, len(table.list))
			}
		}
	}
}

// A model description costs as much as it is long, also where lists could be multiplied.
func TestNewTable_CostsWhatIsThere(t *testing.T) {
	many := func(format string) (all string) {
		texts := make([]string, 10_000)
		for k := range texts {
			texts[k] = fmt.Sprintf(format, k)
		}
		return strings.Join(texts, " ")
	}
	began := time.Now()
	table, err := tableOf(t, `<Clock name="c" valueReference="1" causality="input" intervalVariability="triggered"/>`+
		`<Float64 name="x" valueReference="2" clocks="`+strings.Repeat("1 ", 500_000)+`">`+many(`<Alias name="x%d"/>`)+`</Float64>`)
	require.NoError(t, err)
	require.Equal(t, []int{0}, table.list[table.byName["x9999"]].clocks)
	_, err = tableOf(t, `<Float64 name="x" valueReference="2">`+many(`<Dimension start="1"/><!--%d-->`)+many(`<Alias name="x%d"/>`)+`</Float64>`)
	require.ErrorIs(t, err, ErrInvalid)
	require.ErrorContains(t, err, "x has 10000 dimensions, expected at most 64")
	items := make([]archive.EnumerationItem, 10_000)
	for k := range items {
		items[k] = archive.EnumerationItem{Name: fmt.Sprintf("i%d", k), Value: strconv.Itoa(k)}
	}
	table, err = tableOf(t, `<Enumeration name="e" declaredType="e" valueReference="2" causality="input" start="`+strings.Repeat("1 ", 100_000)+
		`"><Dimension start="100000"/></Enumeration>`)
	require.NoError(t, err)
	table.types["e"] = items
	_, err = table.starts([]StartValue{{"e", strings.Repeat("i9999 ", 100_000)}}, false)
	require.NoError(t, err)
	require.Less(t, time.Since(began), 20*time.Second, "a minute where each alias looks its clocks up again")
}
