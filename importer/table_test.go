package importer

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/fmi"
	"gosmp/fmi/archive"
)

// tableOf returns the table of an FMI 3.0 model description with some variables.
func tableOf(t *testing.T, variables string) (*table, error) {
	t.Helper()
	m,
		err := archive.Parse(strings.NewReader(
		`<fmiModelDescription fmiVersion="3.0" instantiationToken="x">` +
			`<CoSimulation modelIdentifier="x" ` +
			`hasEventMode="true"/><ModelVariables>` + variables +
			`</ModelVariables></fmiModelDescription>`))
	require.NoError(t, err)
	return newTable(m)
}

const columns = `<UInt64 name="columns" valueReference="1" causality="structuralParameter" ` +
	`start="3"><Alias name="width"/></UInt64>` +
	`<Float64 name="a" valueReference="2" causality="input" start="1 2 3">` +
	`<Dimension valueReference="1"/></Float64>`

// The size of an array follows its structural parameter, regardless of which of its names the user
// sets.
func TestStarts_AliasesOfStructuralParametersDecideSizes(t *testing.T) {
	table, err := tableOf(t, columns)
	require.NoError(t, err)
	for _, name := range []string{"columns", "width"} {
		s, err := table.starts([]StartValue{{Name: name, Value: "5"}}, false)
		require.NoError(t, err)
		require.Equal(t, 5, s.sizes[table.byName["a"]], name)
	}
	_, err = table.starts([]StartValue{{Name: "columns", Value: "5"}, {Name: "width", Value: "4"}},
		false)
	require.ErrorContains(t, err,
		"width: unusable start value: found a start value of columns as well, which is an alias")
}

// Aliases are one variable: their start value is sent once, and the user's value takes precedence.
func TestStarts_TheUsersValueOfAnAliasApplies(t *testing.T) {
	table, err := tableOf(t,
		`<Float64 name="x" valueReference="1" causality="parameter" start="1"><Alias name="y"/>`+
			`</Float64>`)
	require.NoError(t, err)
	for _, given := range [][]StartValue{nil, {{Name: "x", Value: "7"}},
		{{Name: "y", Value: "7"}}} {
		s, err := table.starts(given, true)
		require.NoError(t, err)
		require.Len(t, s.before, 1)
		want, _, err := cosim.ParseValue(cosim.Float64, map[bool]string{true: "1",
			false: "7"}[given == nil])
		require.NoError(t, err)
		require.Equal(t, []uint64{want}, s.before[0].cells)
	}
}

// For any description, the table is either usable or rejected.
func TestNewTable_OddDescriptions(t *testing.T) {
	for variables, want := range map[string]string{
		`<String name="s" valueReference="1" causality="structuralParameter"><Start value="3"/>` +
			`</String>`: "",
		`<Float64 name="s" valueReference="1" causality="structuralParameter" start="3"/>`: "",
		columns +
			`<Float64 name="b" valueReference="3"><Dimension valueReference="9"/></Float64>`: "the size of b " +
			"is given by the variable with reference 9",
		columns +
			`<Float64 name="b" valueReference="3"><Dimension valueReference="2"/></Float64>`: "the size of b " +
			"is given by the variable with reference 2",
		`<UInt64 name="n" valueReference="1" causality="structuralParameter" start="2 2">` +
			`<Dimension valueReference="1"/></UInt64>`: "the size of n",
		`<UInt64 name="n" valueReference="1" causality="structuralParameter" ` +
			`start="18446744073709551615"/>` +
			`<Float64 name="b" valueReference="3"><Dimension valueReference="1"/></Float64>`: "b has more than 16777216 elements",
		`<Float64 name="b" valueReference="3"><Dimension start="4096"/><Dimension start="4097"/>` +
			`</Float64>`: "b has more than",
		`<Float64 name="b" valueReference="3" causality="input" start=""><Dimension start="0"/>` +
			`</Float64>`: "",
		`<Float64 name="" valueReference="3"/><Float64 name="" valueReference="4">` +
			`<Alias name=""/></Float64>`: "",
		`<Float64 name="a" valueReference="3"/><Int8 name="a" valueReference="3"/>` +
			`<Boolean name="b" valueReference="3"><Alias name="a"/></Boolean>`: "",
		`<Float64 name="a" valueReference="3" clocks="3"/>`: "",
		`<Clock name="c" valueReference="3" causality="input" intervalVariability="triggered"/>` +
			`<Float64 name="a" valueReference="4" clocks="4 3"/>`: "a belongs to the clock " +
			"with reference 4",
		`<Clock name="c" valueReference="3" causality="input" ` +
			`intervalVariability="triggered" clocks="3"/>`: "clocks that lead back to themselves",
		`<Clock name="c" valueReference="3" causality="parameter" ` +
			`intervalVariability="triggered"/>`: "causality parameter",
		`<Clock name="c" valueReference="3" causality="input" intervalVariability="constant" ` +
			`intervalDecimal="1e300"/>`: "",
		`<Clock name="c" valueReference="3" causality="input" intervalVariability="constant" ` +
			`intervalDecimal="1e-300"/>`: "an interval below 1e-9 s",
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

// The elements of arrays of texts and binaries are set one by one, including the start values in
// the model description. Texts with blanks are quoted or given as separate elements.
func TestStarts_ArraysOfTexts(t *testing.T) {
	table, err := tableOf(t,
		`<String name="s" valueReference="1" causality="parameter" variability="fixed">`+
			`<Dimension start="2"/><Start value="a b"/><Start value="c"/></String>`+
			`<Binary name="b" valueReference="2" causality="parameter" variability="fixed">`+
			`<Dimension start="2"/></Binary>`)
	require.NoError(t, err)
	blobs := func(all bool, values ...StartValue) (list []string) {
		s, err := table.starts(values, all)
		require.NoError(t, err)
		for _, v := range s.before {
			for _, b := range v.blobs {
				list = append(list, string(b))
			}
		}
		return list
	}
	require.Equal(t, []string{"a b", "c"}, blobs(true))
	require.Equal(t, []string{"d", "e"}, blobs(false, StartValue{Name: "s", Value: "d e"}))
	require.Equal(t, []string{"d e", "f"},
		blobs(false, StartValue{Name: "s", Elements: []string{"d e", "f"}}))
	for value, want := range map[string][]string{
		`"d e" f`: {"d e", "f"}, `"" " "`: {"", " "}, ` "a\"b"	"c\n" `: {`a"b`, "c\n"},
		`"d e`: {`"d`, "e"}, `"a"b c`: {`"a"b`, "c"}, `a" "b`: {`a"`, `"b`},
		`'a' ` + "`b`": {"'a'", "`b`"},
	} {
		require.Equal(t, want, blobs(false, StartValue{Name: "s", Value: value}), value)
	}
	require.Equal(t, []string{"\x0a", "\xff"}, blobs(false, StartValue{Name: "b", Value: "0a ff"}))
	_, err = table.starts([]StartValue{{Name: "s", Value: "d"}}, false)
	require.ErrorContains(t, err,
		"s: unusable start value: found 1 elements, expected 2, with blanks between them")
}

// The time to read a model description grows linearly with its length, even if it contains several
// long lists.
func TestNewTable_CostsWhatIsThere(t *testing.T) {
	many := func(format string) (all string) {
		texts := make([]string, 10_000)
		for k := range texts {
			texts[k] = fmt.Sprintf(format, k)
		}
		return strings.Join(texts, " ")
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	table, err := tableOf(t,
		`<Clock name="c" valueReference="1" causality="input" intervalVariability="triggered"/>`+
			`<Float64 name="x" valueReference="2" clocks="`+strings.Repeat("1 ", 500_000)+`">`+
			many(`<Alias name="x%d"/>`)+`</Float64>`)
	require.NoError(t, err)
	require.Equal(t, []int{0}, table.list[table.byName["x9999"]].clocks)
	_, err = tableOf(t, `<Float64 name="x" valueReference="2">`+
		many(`<Dimension start="1"/><!--%d-->`)+many(`<Alias name="x%d"/>`)+`</Float64>`)
	require.ErrorIs(t, err, ErrInvalid)
	require.ErrorContains(t, err, "x has 10000 dimensions, expected at most 64")
	items := make([]archive.EnumerationItem, 10_000)
	for k := range items {
		items[k] = archive.EnumerationItem{Name: fmt.Sprintf("i%d", k), Value: strconv.Itoa(k)}
	}
	table, err = tableOf(t,
		`<Enumeration name="e" declaredType="e" valueReference="2" causality="input" start="`+
			strings.Repeat("1 ", 100_000)+
			`"><Dimension start="100000"/></Enumeration>`)
	require.NoError(t, err)
	table.types["e"] = items
	_, err = table.starts([]StartValue{{Name: "e", Value: strings.Repeat("i9999 ", 100_000)}},
		false)
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<30),
		"40 GB where each alias looks its clocks up again")
}

// The time to look up the dependencies of many inputs and outputs is linear in the size of the
// description. Searching all variables for each output and each variable would take 40 000 * 40 000
// * 20 000 comparisons, which would take hours.
func TestDependencies_OfFortyThousandVariables(t *testing.T) {
	const outputs, several = 20_000, 3
	m := &archive.ModelDescription{FMIVersion: "2.0"}
	for k := range outputs {
		in := archive.Variable{Name: fmt.Sprint("in", k), Type: fmi.Real, ValueReference: uint32(k),
			Causality: fmi.Input}
		out := archive.Variable{Name: fmt.Sprint("out", k), Type: fmi.Real,
			ValueReference: uint32(outputs + k), Causality: fmi.Output}
		m.Variables = append(m.Variables, in, out)
		u := archive.Unknown{Variable: 2*k + 1, Stated: k != 7}
		for n := range several {
			// twice, and descending
			u.Dependencies = append(u.Dependencies, 2*((k+several-n)%outputs),
				2*((k+several-n)%outputs))
		}
		m.InitialUnknowns = append(m.InitialUnknowns, u)
	}
	table, err := newTable(m)
	require.NoError(t, err)
	work := 0
	for k := range outputs {
		causes, known := table.dependencies().of(&table.list[table.byName[fmt.Sprint("out", k)]])
		require.Equal(t, k != 7, known)
		work += len(causes)
		if known && k < outputs-several {
			want := []int{table.byName[fmt.Sprint("in", k+1)], table.byName[fmt.Sprint("in", k+2)],
				table.byName[fmt.Sprint("in", k+3)]}
			require.Equal(t, want, causes)
		}
	}
	require.Equal(t, several*(outputs-1), work)
	_, known := table.dependencies().of(&table.list[table.byName["in0"]])
	require.False(t, known, "not among the unknowns")
}

// The parts of a triple count as one variable, as do the aliases of a variable.
func TestDependencies_OfTriplesAndAliases(t *testing.T) {
	var xml strings.Builder
	xml.WriteString(
		`<fmiModelDescription fmiVersion="2.0" guid="x"><CoSimulation modelIdentifier="x"/>` +
			`<ModelVariables>`)
	for n, name := range []string{"OSMPSensorViewIn", "OSMPSensorDataOut"} {
		for k, role := range []string{"base.lo", "base.hi", "size"} {
			fmt.Fprintf(&xml,
				`<ScalarVariable name="%s.%s" valueReference="%d" causality="%s" `+
					`variability="discrete"><Integer/><Annotations>`+
					`<Tool name="net.pmsf.osmp">`+
					`<o:osmp-binary-variable `+
					`xmlns:o="http://xsd.pmsf.net/OSISensorModelPackaging" name="%s" role="%s" `+
					`mime-type="application/x-open-simulation-interface; type=SensorView; `+
					`version=3.8.0"/></Tool></Annotations></ScalarVariable>`,
				name, role, 3*n+k, []string{"input", "output"}[n], name, role)
		}
	}
	for n, name := range []string{"u", "y", "z"} { // y and z are aliases
		fmt.Fprintf(&xml,
			`<ScalarVariable name="%s" valueReference="%d" causality="%s"><Real/></ScalarVariable>`,
			name, min(n, 1),
			[]string{"input", "output", "output"}[n])
	}
	xml.WriteString(
		`</ModelVariables><ModelStructure><InitialUnknowns><Unknown index="4" dependencies="2"/>` +
			`<Unknown index="5" dependencies="1 3"/>` +
			`<Unknown index="6" dependencies=""/><Unknown index="8" dependencies="7"/>` +
			`</InitialUnknowns></ModelStructure></fmiModelDescription>`)
	m, err := archive.Parse(strings.NewReader(xml.String()))
	require.NoError(t, err)
	table, err := newTable(m)
	require.NoError(t, err)
	causes, known := table.dependencies().of(&table.list[table.byName["OSMPSensorDataOut"]])
	require.True(t, known)
	require.Equal(t, []int{table.byName["OSMPSensorViewIn"]}, causes)
	for _, name := range []string{"y", "z"} {
		causes, known = table.dependencies().of(&table.list[table.byName[name]])
		require.True(t, known, name)
		require.Equal(t, []int{table.byName["u"]}, causes, name)
	}
}

// TestVariables_AreDescribedOnce matters because a run requests the variables a dozen times, and
// FMUs may have hundreds of thousands of variables.
func TestVariables_AreDescribedOnce(t *testing.T) {
	table, err := newTable(&archive.ModelDescription{FMIVersion: "2.0",
		Variables: []archive.Variable{{Name: "x", Type: fmi.Real}}})
	require.NoError(t, err)
	require.Same(t, &table.describe(nil)[0], &table.describe([][]int{nil})[0])
}
