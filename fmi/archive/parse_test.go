package archive

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/internal/xmldoc"
)

func parseFile(t *testing.T, name string) *ModelDescription {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	m, err := Parse(f)
	require.NoError(t, err)
	requireNoNil(t, reflect.ValueOf(m), name)
	return m
}

func named(t *testing.T, m *ModelDescription, name string) Variable {
	t.Helper()
	for _, v := range m.Variables {
		if v.Name == name {
			return v
		}
	}
	require.Fail(t, "no variable "+name)
	return Variable{}
}

func value[T any](x T) *T { return &x }

func TestParse_FMI1IsTranslated(t *testing.T) {
	m := parseFile(t, "fmi1.xml")
	require.Equal(t, fmi.FMI1, m.Major())
	require.Equal(t, []string{"old_tank"}, m.ModelIdentifiers())
	require.Equal(t, "{8c4e810f}", m.InstantiationToken)
	require.Equal(t, 2, m.ContinuousStates)
	require.Equal(t, 1, m.EventIndicators)
	require.Equal(t,
		DefaultExperiment{StartTime: value(0.0), StopTime: value(5.0), Tolerance: value(1e-4)},
		m.DefaultExperiment)

	cs := m.Interface(fmi.CoSimulation)
	require.NotNil(t, cs)
	require.Nil(t, m.Interface(fmi.ModelExchange))
	require.True(t, cs.Capabilities.Has("needsExecutionTool"), "CoSimulation_Tool")
	require.True(t, cs.Capabilities.Has("canHandleVariableCommunicationStepSize"))
	require.False(t, cs.Capabilities.Has("canRejectSteps"))
	require.Contains(t, cs.Capabilities, Capability{"maxOutputDerivativeOrder", int64(2), true})

	require.Equal(t, []fmi.Unit{{Name: "m", DisplayUnits: []fmi.DisplayUnit{{Name: "cm",
		Factor: 100}}}}, m.Units)
	require.Equal(t, "2", m.Types[1].Items[1].Value, "items of FMI 1.0 count from 1")

	level := named(t, m, "level")
	require.Equal(t, []any{fmi.Output, fmi.Continuous, fmi.Exact, []string{"0.5"}},
		[]any{level.Causality, level.Variability, level.Initial, level.Start})
	require.Equal(t, []string{"m", "cm", "Height", "0", "2"}, []string{level.Unit,
		level.DisplayUnit, level.Quantity, level.Min, level.Max})
	guess := named(t, m, "guess")
	require.Equal(t, []any{fmi.Local, fmi.Continuous, fmi.Approx}, []any{guess.Causality,
		guess.Variability, guess.Initial})
	area := named(t, m, "area")
	require.Equal(t, []any{fmi.Parameter, fmi.Fixed, fmi.Exact}, []any{area.Causality,
		area.Variability, area.Initial})
	inflow := named(t, m, "inflow")
	require.Equal(t, []any{fmi.Input, fmi.Continuous, fmi.Initial("")}, []any{inflow.Causality,
		inflow.Variability, inflow.Initial})
	require.Equal(t, []any{fmi.Local, fmi.Discrete, fmi.Calculated},
		[]any{named(t, m, "mode").Causality, named(t, m, "mode").Variability,
			named(t, m, "mode").Initial})
}

// A unit without a BaseUnit is only a name, not a dimensionless unit (FMI 2.0, 2.2.2).
func TestParse_UnitsWithoutBaseUnit(t *testing.T) {
	m,
		err := Parse(strings.NewReader(
		`<fmiModelDescription fmiVersion="2.0" modelName="M" guid="1"><UnitDefinitions>
<Unit name="bar"/><Unit name="1"><BaseUnit/></Unit></UnitDefinitions></fmiModelDescription>`))
	require.NoError(t, err)
	require.False(t, m.Units[0].Defined())
	require.True(t, m.Units[1].Defined())
	require.Equal(t, 1.0, m.Units[0].Scale())
}

func TestParse_FMI1WithoutImplementationIsModelExchange(t *testing.T) {
	m,
		err := Parse(strings.NewReader(
		`<fmiModelDescription fmiVersion="1.0" modelName="M" modelIdentifier="M" guid="1"/>`))
	require.NoError(t, err)
	require.Equal(t, []Interface{{fmi.ModelExchange, "M", Capabilities{}, []string{}}},
		m.Interfaces)
}

func TestParse_FMI2(t *testing.T) {
	m := parseFile(t, "fmi2.xml")
	require.Equal(t, []string{"Tank", "TankCS"}, m.ModelIdentifiers())
	require.Equal(t, []string{"tank.c", "solver.c"}, m.Interface(fmi.CoSimulation).SourceFiles)
	require.True(t, m.Interface(fmi.ModelExchange).Capabilities.Has(
		"completedIntegratorStepNotNeeded"))
	require.Equal(t, 1, m.ContinuousStates)
	require.Equal(t, 3, m.EventIndicators)
	require.Equal(t, []fmi.Annotation{{Tool: "org.example", Elements: []fmi.Element{{
		Namespace: "http://example.org/x", Name: "mark", Attributes: []fmi.Attribute{{Name: "level",
			Value: "3"}}, Elements: []fmi.Element{}, Text: "text",
	}}}}, m.Annotations)
	text, found := m.Annotations[0].Elements[0].Value("level")
	require.True(t, found)
	require.Equal(t, "3", text)

	require.Equal(t,
		fmi.Unit{Name: "degC", K: 1, Factor: 1, Offset: 273.15,
			DisplayUnits: []fmi.DisplayUnit{{Name: "degF", Factor: 1.8, Offset: 32}}}, m.Units[0])
	require.Equal(t, []fmi.LogCategory{{Name: "logAll", Description: "everything"}},
		m.LogCategories)

	temperature := named(t, m, "tank.temperature")
	require.Equal(t, Variable{
		Name: "tank.temperature", ValueReference: 4294967295, Description: "of the content",
		Type: fmi.Real, DeclaredType: "Temperature",
		Causality: fmi.Output, Variability: fmi.Continuous, Initial: fmi.Calculated,
		Start: []string{}, Unit: "degC", DisplayUnit: "degF",
		Min: "-10", Max: "1e2", Nominal: "20", Dimensions: []Dimension{}, Clocks: []uint32{},
		Aliases:     []Alias{},
		Annotations: []fmi.Annotation{{Tool: "org.example", Elements: []fmi.Element{}}}, Line: 36,
		Column: 5,
	}, temperature)
	require.Equal(t, fmi.Exact, named(t, m, "volume").Initial)
	require.Equal(t, []string{""}, named(t, m, "path").Start, "an empty text is a start value")
	require.Equal(t, []any{fmi.Local, fmi.Continuous}, []any{named(t, m, "x").Causality,
		named(t, m, "x").Variability}, "defaults")
	require.Equal(t, fmi.Initial(""), named(t, m, "time").Initial)
	require.Equal(t, []EnumerationItem{{"open", "1", "water flows"}, {"shut", "2", ""}},
		m.Types[1].Items)
}

func TestParse_FMI3(t *testing.T) {
	m := parseFile(t, "fmi3.xml")
	require.Equal(t, "{token}", m.InstantiationToken)
	require.Len(t, m.Interfaces, 3)
	cs := m.Interface(fmi.CoSimulation).Capabilities
	require.True(t, cs.Has("hasEventMode"))
	require.Contains(t, cs, Capability{"fixedInternalStepSize", 0.001, true})
	require.Contains(t, m.Interface(fmi.ScheduledExecution).Capabilities,
		Capability{"needsExecutionTool", false, false})
	require.Equal(t, 1, m.ContinuousStates)
	require.Equal(t, 2, m.EventIndicators)
	require.Equal(t, "net.pmsf.osmp", m.Annotations[0].Tool)

	matrix := named(t, m, "matrix")
	require.Equal(t, []string{"1", "2", "3", "4", "5", "6"}, matrix.Start)
	require.Equal(t, []Dimension{{Start: value(uint64(2))}, {ValueReference: value(uint32(2))}},
		matrix.Dimensions)
	require.Equal(t, []any{fmi.Parameter, fmi.Fixed, fmi.Exact}, []any{matrix.Causality,
		matrix.Variability, matrix.Initial}, "defaults")
	require.Equal(t, []Alias{{"matrix.other", "the same"}}, matrix.Aliases)
	bytes := named(t, m, "blob")
	require.Equal(t, []string{"00fF", ""}, bytes.Start)
	require.Equal(t, []string{"image/png", "4096"}, []string{bytes.MIMEType, bytes.MaxSize})
	require.Equal(t, "application/octet-stream", named(t, m, "plain").MIMEType)
	require.Equal(t, []any{fmi.Discrete, []uint32{8}}, []any{named(t, m, "ticks").Variability,
		named(t, m, "ticks").Clocks})
	require.Equal(t, []any{fmi.Discrete, fmi.Initial("")}, []any{named(t, m, "clock").Variability,
		named(t, m, "clock").Initial})
	require.Equal(t, []any{"triggered", &Timing{}}, []any{named(t, m, "clock").IntervalVariability,
		named(t, m, "clock").Timing})
	require.Equal(t,
		[]any{"fixed", &Timing{Interval: value(0.1), Shift: 0.05, SupportsFraction: true,
			Resolution: 10, IntervalCounter: 1}},
		[]any{named(t, m, "beat").IntervalVariability, named(t, m, "beat").Timing},
		"of the type and of the clock")
	require.Equal(t, fmi.Continuous, named(t, m, "speed").Variability)
	require.Equal(t, []string{"m/s", "0"}, []string{named(t, m, "speed").Unit,
		named(t, m, "speed").Min}, "of the type")
	require.Equal(t, "18446744073709551615", named(t, m, "size").Max, "numbers keep their digits")
}

func TestParse_Encodings(t *testing.T) {
	document := func(encoding, name string) string {
		return `<?xml version="1.0" encoding="` + encoding + `"?>` + strings.Replace(minimal, `"M"`,
			`"`+name+`"`, 1)
	}
	wide := func(text string) string {
		var b []byte
		for _, u := range utf16.Encode([]rune("\uFEFF" + text)) {
			b = append(b, byte(u), byte(u>>8))
		}
		return string(b)
	}
	for name, text := range map[string]string{
		"UTF-8":        document("UTF-8", "Größe 5 €"),
		"with mark":    "\uFEFF" + document("utf-8", "Größe 5 €"),
		"UTF-16":       wide(document("UTF-16", "Größe 5 €")),
		"windows-1252": document("windows-1252", "Gr\xF6\xDFe 5 \x80"),
	} {
		t.Run(name, func(t *testing.T) {
			m, err := Parse(strings.NewReader(text))
			require.NoError(t, err)
			require.Equal(t, "Größe 5 €", m.ModelName)
		})
	}
	m, err := Parse(strings.NewReader(document("ISO-8859-1", "Gr\xF6\xDFe"+strings.Repeat("\xE4",
		2000))))
	require.NoError(t, err)
	require.Equal(t, "Größe"+strings.Repeat("ä", 2000), m.ModelName)
}

func TestParse_EntitiesOfTheDocument(t *testing.T) {
	text := `<!DOCTYPE fmiModelDescription [<!ENTITY maker "Ann &amp; Co">` +
		`<!ENTITY name "M by &maker;">` +
		`]>` + "\n" + strings.Replace(minimal, `"M"`, `"&name;"`, 1)
	m, err := Parse(strings.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, "M by Ann & Co", m.ModelName)
	_, err = Parse(strings.NewReader(strings.Replace(text, "Ann", "&name;", 1)))
	require.ErrorIs(t, err, ErrTooLarge)
	require.ErrorContains(t, err, "refer to each other")
}

func TestParse_Refused(t *testing.T) {
	for name, c := range map[string]struct {
		text         string
		kind         error
		line, column int
		message      string
	}{
		"empty": {"", ErrXML, 1, 1, "no element"},
		"cut off": {"<fmiModelDescription>\n  <A>", ErrXML, 2, 6,
			"the end of the document inside <A> of line 2"},
		"wrong end": {"<a>\n <b></a>", ErrXML, 2, 5,
			"element <b> of line 2 closed by </a>, expected </b>"},
		"twice": {"<a>\n<b x='1' x='2'/></a>", ErrXML, 2, 1,
			"found the attribute x of <b> twice"},
		"two roots":    {"<a/><b/>", ErrXML, 1, 5, "found <b> after the end"},
		"text outside": {"<a/>b", ErrXML, 1, 5, "text outside"},
		"entity":       {"<a>&bomb;</a>", ErrXML, 1, 10, "&bomb;"},
		"bad bytes":    {"<a>\xFF</a>", ErrXML, 1, 5, "UTF-8"},
		"encoding": {`<?xml version="1.0" encoding="ebcdic"?><a/>`, ErrXML, 1, 40,
			`encoding "ebcdic", expected UTF-8`},
		"odd UTF-16": {"\xFF\xFE<", ErrXML, 1, 1, "odd number of bytes"},
		"other root": {"\n<html/>", ErrNotFMI, 2, 1, "<html>, expected <fmiModelDescription>"},
		"no version": {"<fmiModelDescription/>", ErrNotFMI, 1, 1, "no attribute fmiVersion"},
		"version 4": {`<fmiModelDescription fmiVersion="4.0"/>`, ErrNotFMI, 1, 1,
			`"4.0", expected 1.0, 2.0 or 3.0`},
		"version": {`<fmiModelDescription fmiVersion="2"/>`, ErrNotFMI, 1, 1, `"2", expected`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(strings.NewReader(c.text))
			require.ErrorIs(t, err, c.kind)
			require.ErrorContains(t, err, c.message)
			var input *Error
			require.ErrorAs(t, err, &input)
			require.Equal(t, []any{"modelDescription.xml", c.line, c.column},
				[]any{input.Place.Entry, input.Place.Line, input.Place.Column}, err)
		})
	}
}

func TestParse_Bounds(t *testing.T) {
	few := xmldoc.Options{Limits: xmldoc.Limits{Bytes: 100, Elements: 5, Names: 2, Depth: 3}}
	for name, text := range map[string]string{
		"more than 100 bytes":           "<a>" + strings.Repeat(" ", 100) + "</a>",
		"more than 5 elements":          "<a><b/><b/><b/><b/><b/></a>",
		"elements nested more than 3 d": "<a><b><c><d/></c></b></a>",
		"3 attributes of <a>":           "<a b='' c='' d=''/>",
	} {
		_, _, err := parse(strings.NewReader(text), few)
		require.ErrorIs(t, err, ErrTooLarge)
		require.ErrorContains(t, err, name)
	}
	_, _, err := parse(strings.NewReader("<a><b><c/></b><b/><b/></a>"), few)
	require.ErrorIs(t, err, ErrNotFMI, "within all bounds")
}

func TestCapabilities_JSONKeepsOrderAndTypes(t *testing.T) {
	text, err := json.Marshal(Capabilities{{"b", true, true}, {"a", int64(2), false},
		{"c", nil, false}, {"d", "maybe", true}})
	require.NoError(t, err)
	require.Equal(t, `{"b":true,"a":2,"c":null,"d":"maybe"}`, string(text))
}

func TestPlain_StopsTerminalSequences(t *testing.T) {
	require.Equal(t, "a b\uFFFD[31mc\uFFFDd\uFFFDe", Plain("a\nb\x1b[31mc\xFFd\u202Ee"))
	require.Equal(t, "Größe 5 €", Plain("Größe 5 €"))
}

// FuzzParse searches for input that makes Parse panic or violate its documented guarantees.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"fmi1.xml", "fmi2.xml", "fmi3.xml"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(f, err)
		f.Add(text)
	}
	some := xmldoc.Options{Limits: xmldoc.Limits{Bytes: 1 << 16, Elements: 1 << 12, Names: 100,
		Depth: 50}}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, _, err := parse(strings.NewReader(string(text)), some)
		if err != nil {
			var input *Error
			require.ErrorAs(t, err, &input)
			require.NotEmpty(t, err.Error())
			return
		}
		require.Contains(t, []fmi.Version{fmi.FMI1, fmi.FMI2, fmi.FMI3}, m.Major())
		requireNoNil(t, reflect.ValueOf(m), "model description")
		_, err = json.Marshal(m)
		require.NoError(t, err)
	})
}
