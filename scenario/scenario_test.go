package scenario_test

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/finding"
	"gosmp/scenario"
)

const clean = "check/testdata/clean.xosc"

func open(t *testing.T, name string) *scenario.Document {
	t.Helper()
	d, err := scenario.Open(name)
	require.NoError(t, err)
	return d
}

func TestResolve_ReplacesParametersAndReferences(t *testing.T) {
	s, err := open(t, clean).Resolve(scenario.Values{"speed_kph": "${36 + 54}"})
	require.NoError(t, err)
	require.Equal(t, []scenario.Parameter{
		{Name: "speed_kph", Type: "double", Value: scenario.Value{Kind: scenario.Number,
			Number: 90}},
		{Name: "speed", Type: "double", Value: scenario.Value{Kind: scenario.Number, Number: 25}},
	}, s.Parameters)
	private := s.Root.Path("Storyboard", "Init", "Actions", "Private")
	target := private.All("PrivateAction")[1].Path("LongitudinalAction", "SpeedAction",
		"SpeedActionTarget",
		"AbsoluteTargetSpeed")
	require.Equal(t, "25", target.Value("value"))
	cars := s.Root.Child("Entities").All("ScenarioObject")
	require.Equal(t, "60", cars[0].Child("CatalogReference").Entry.Child("Performance").Value(
		"maxSpeed"))
	require.Equal(t, "50", cars[1].Child("CatalogReference").Entry.Child("Performance").Value(
		"maxSpeed"))
	require.Equal(t, filepath.Join("check", "testdata", "road.xodr"), s.MapFile())
	require.Empty(t, s.Notes)
}

// TestResolve_ReadsCatalogsOnce checks that a document resolved for each point of a sweep reads its
// catalogs only once.
func TestResolve_ReadsCatalogsOnce(t *testing.T) {
	d := open(t, clean)
	one, err := d.Resolve(nil)
	require.NoError(t, err)
	two, err := d.Resolve(scenario.Values{"speed_kph": "50"})
	require.NoError(t, err)
	require.NotEmpty(t, one.Catalogs)
	require.Same(t, one.Catalogs[0], two.Catalogs[0])
}

func TestResolve_LeavesTheDocumentAlone(t *testing.T) {
	d := open(t, clean)
	text, err := d.Text(nil)
	require.NoError(t, err)
	_, err = d.Resolve(nil)
	require.NoError(t, err)
	after, err := d.Text(nil)
	require.NoError(t, err)
	require.Equal(t, text, after)
	require.Equal(t, "$speed", d.Root.Path("Storyboard", "Init", "Actions",
		"Private").All("PrivateAction")[1].
		Path("LongitudinalAction", "SpeedAction", "SpeedActionTarget", "AbsoluteTargetSpeed").Value(
		"value"))
}

func TestResolve_Refuses(t *testing.T) {
	for want, values := range map[string]scenario.Values{
		`no parameter "speed_kmh"`:                                     {"speed_kmh": "1"},
		`expected speed_kph, speed; did you mean "speed_kph"?`:         {"speed_kmh": "1"},
		"violated constraint: found speed_kph = 131, expected <= 130":  {"speed_kph": "131"},
		`found "fast" for speed_kph of type double, expected a number`: {"speed_kph": "fast"},
		`found "^" at character 3`:                                     {"speed_kph": "${2 ^ 3}"},
	} {
		_, err := open(t, clean).Resolve(values)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "clean.xosc:")
	}
}

// TestText_ChangesValuesOnly checks that with new values, the text differs only in the bytes of
// these values.
func TestText_ChangesValuesOnly(t *testing.T) {
	original, err := os.ReadFile(clean)
	require.NoError(t, err)
	d := open(t, clean)
	same, err := d.Text(nil)
	require.NoError(t, err)
	require.Equal(t, original, same)
	text, err := d.Text(scenario.Values{"speed_kph": `a"b<&`})
	require.NoError(t, err)
	require.Equal(t, bytes.Replace(original, []byte(`value="72"`),
		[]byte(`value="a&#34;b&lt;&amp;"`), 1), text)
	back, err := scenario.Parse("x", text)
	require.NoError(t, err)
	require.Equal(t, `a"b<&`, back.Root.Path("ParameterDeclarations", "ParameterDeclaration").Value(
		"value"))
}

func TestParse_Encodings(t *testing.T) {
	text, err := os.ReadFile(clean)
	require.NoError(t, err)
	wide := []byte("\xff\xfe")
	for _, c := range strings.Replace(string(text), "UTF-8", "UTF-16", 1) {
		wide = append(wide, byte(c), 0)
	}
	for name, text := range map[string][]byte{
		"mark": append([]byte("\ufeff"), text...), "wide": wide,
		"quotes": bytes.Replace(text, []byte(`version="1.0" encoding="UTF-8"`),
			[]byte(`version='1.0' encoding='utf-8'`), 1),
		"1.3": bytes.Replace(text, []byte(`version="1.0"`), []byte(`version="1.3"`), 1),
	} {
		d, err := scenario.Parse(name, text)
		require.NoError(t, err, name)
		require.Empty(t, d.Validate(), name)
		require.Equal(t, scenario.Version{Major: 1, Minor: 3}, d.Version)
	}
}

func TestParse_Refuses(t *testing.T) {
	for text, want := range map[string]string{
		"": "a.xosc:1:1: not a valid scenario: found no element",
		"<a><b></a>": "a.xosc:1:11: not a valid scenario: element <b> " +
			"closed by </a>",
		"<a/>x":                              "found text outside the root element",
		"<a/><b/>":                           "found a second root element",
		"<!DOCTYPE a [<!ENTITY b 'c'>]><a/>": "found a document type",
		"<a>\n <b c='1'\n  c='2'/></a>": "a.xosc:3:3: not a valid scenario: found the " +
			"attribute c twice",
		strings.Repeat("<a>", 200):                     "elements nested more than 100 deep",
		"<a>" + strings.Repeat("<b/>", 1<<20) + "</a>": "more than 1048576 elements",
		"<a " + attributes(1001) + "/>":                "more than 1000 attributes",
	} {
		_, err := scenario.Parse("a.xosc", []byte(text))
		require.ErrorIs(t, err, scenario.ErrDocument)
		require.ErrorContains(t, err, want)
	}
}

func attributes(n int) string {
	var b strings.Builder
	for k := range n {
		b.WriteString(" a" + strings.Repeat("b", k) + "='1'")
	}
	return b.String()
}

// TestDistribution_CountsInTheOrderOfTheDocument checks that the last parameter varies fastest.
func TestDistribution_CountsInTheOrderOfTheDocument(t *testing.T) {
	d, err := scenario.Parse("folder/d.xosc", []byte(`<OpenSCENARIO>
<FileHeader revMajor="1" revMinor="3" date="2026-11-26T12:00:00" description="d" author="a"/>
<ParameterValueDistribution><ScenarioFile filepath="../s.xosc"/><Deterministic>
<DeterministicSingleParameterDistribution parameterName="a"><DistributionRange stepWidth="0.1">
<Range lowerLimit="0.1" upperLimit="0.3"/></DistributionRange></DeterministicSingleParameterDistribution>
<DeterministicMultiParameterDistribution><ValueSetDistribution>
<ParameterValueSet><ParameterAssignment parameterRef="b" value="x"/><ParameterAssignment parameterRef="c" value="1"/></ParameterValueSet>
<ParameterValueSet><ParameterAssignment parameterRef="c" value="2"/></ParameterValueSet>
</ValueSetDistribution></DeterministicMultiParameterDistribution>
</Deterministic></ParameterValueDistribution></OpenSCENARIO>`))
	require.NoError(t, err)
	require.Empty(t, d.Validate())
	points, err := d.Distribution()
	require.NoError(t, err)
	require.Equal(t, 6, points.Len())
	require.Equal(t, []string{"a", "b", "c"}, points.Names())
	require.Equal(t, "s.xosc", points.Scenario)
	require.Equal(t, scenario.Values{"a": "0.1", "b": "x", "c": "1"}, points.Point(0))
	require.Equal(t, scenario.Values{"a": "0.1", "c": "2"}, points.Point(1))
	require.Equal(t, scenario.Values{"a": "0.3", "c": "2"}, points.Point(5))
	_, err = open(t, clean).Distribution()
	require.ErrorIs(t, err, scenario.ErrValues)
}

// TestDistribution_Refuses checks that distributions without points have errors that name what is
// wrong.
// TestDistribution_Large: the values of a range need no memory.
func TestDistribution_Large(t *testing.T) {
	d, err := scenario.Parse("p.xosc", []byte(`<OpenSCENARIO><FileHeader revMajor="1" revMinor="3"
date="2026-01-01T00:00:00" author="a" description="d"/><ParameterValueDistribution>
<ScenarioFile filepath="a.xosc"/><Deterministic>
<DeterministicSingleParameterDistribution parameterName="A"><DistributionRange stepWidth="0.000001">
<Range lowerLimit="0" upperLimit="99.999999"/></DistributionRange>
</DeterministicSingleParameterDistribution></Deterministic></ParameterValueDistribution>
</OpenSCENARIO>`))
	require.NoError(t, err)
	var points *scenario.Distribution
	require.Less(t, testing.AllocsPerRun(1, func() { points, err = d.Distribution() }), 1000.0)
	require.NoError(t, err)
	require.Equal(t, scenario.MaxPoints, points.Len())
	require.Equal(t, scenario.Values{"A": "12.345678"}, points.Point(12_345_678))
}

func TestDistribution_Refuses(t *testing.T) {
	steps := func(low, high, step string) string {
		return `<DistributionRange stepWidth="` + step + `"><Range lowerLimit="` + low +
			`" upperLimit="` + high + `"/></DistributionRange>`
	}
	for content, want := range map[string]string{
		steps("1", "3", "0"):        "found stepWidth 0, expected a number above 0",
		steps("1", "3", "-1"):       "found stepWidth -1, expected a number above 0",
		steps("1", "3", "NaN"):      "found stepWidth NaN, expected a number above 0",
		steps("3", "1", "0.5"):      "a range from 3 to 1 in steps of 0.5",
		steps("3", "2.9", "0.5"):    "a range from 3 to 2.9 in steps of 0.5",
		steps("0", "1", "1e-9"):     "a range from 0 to 1 in steps of 1e-09, expected at most 100 million points",
		steps("1", "3", "x"):        `limits "1" and "3" with stepWidth "x", expected numbers`,
		"<DistributionSet/>":        "found no value, expected at least one",
		"<DistributionRange/>":      "expected numbers",
		steps("0", "9999", "0.001"): "",
		steps("0", "0", "5"):        "",
		`<DistributionSet><Element value="1"/></DistributionSet>`: "",
	} {
		d, err := scenario.Parse("d.xosc", []byte(`<OpenSCENARIO><ParameterValueDistribution>
<ScenarioFile filepath="s.xosc"/><Deterministic>
<DeterministicSingleParameterDistribution parameterName="a">`+content+
			`</DeterministicSingleParameterDistribution></Deterministic></ParameterValueDistribution>
</OpenSCENARIO>`))
		require.NoError(t, err)
		points, err := d.Distribution()
		if want == "" {
			require.NoError(t, err, content)
			require.Positive(t, points.Len())
			continue
		}
		require.ErrorIs(t, err, scenario.ErrValues, content)
		require.ErrorContains(t, err, want, content)
		require.ErrorContains(t, err, "d.xosc:3:")
	}
}

func TestAllows(t *testing.T) {
	d := open(t, clean)
	for value, want := range map[string]bool{"72": true, "130": true, "130.1": false,
		"${65 * 2}": true} {
		ok, err := d.Allows(scenario.Values{"speed_kph": value})
		require.NoError(t, err)
		require.Equal(t, want, ok, value)
	}
	_, err := d.Allows(scenario.Values{"speed": "slow"})
	require.ErrorIs(t, err, scenario.ErrParameter)
}

// FuzzParse checks that any text results in a tree or an error, that all methods work on the tree,
// and that it is written back unchanged.
func FuzzParse(f *testing.F) {
	for _, name := range []string{clean, "check/testdata/catalogs/vehicles.xosc"} {
		text, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte("<a b = 'c'/>"))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := scenario.Parse("check/testdata/x.xosc", text)
		if err != nil {
			return
		}
		list := d.Validate()
		_, _ = d.ResolveAll(nil) // errors are irrelevant here
		_, _ = d.Distribution()
		again, err := d.Text(nil)
		require.NoError(t, err)
		back, err := scenario.Parse("check/testdata/x.xosc", again)
		require.NoError(t, err)
		require.Equal(t, len(list), len(back.Validate()))
		for _, g := range list {
			require.NotEmpty(t, g.ID)
			require.LessOrEqual(t, g.Severity, finding.Error)
		}
	})
}

func TestElement_Number(t *testing.T) {
	for text, want := range map[string]float64{"4.5": 4.5, "-INF": math.Inf(-1), "+1e3": 1000} {
		e := &scenario.Element{Attributes: []*scenario.Attribute{{Name: "length",
			Value: " " + text + "\n"}}}
		x, ok := e.Number("length")
		require.True(t, ok, text)
		require.Equal(t, want, x, text)
	}
	for _, text := range []string{"", "0x10", "1e999", "infinity", "4,5"} {
		e := &scenario.Element{Attributes: []*scenario.Attribute{{Name: "length", Value: text}}}
		x, ok := e.Number("length")
		require.False(t, ok, text)
		require.Zero(t, x, text)
	}
	var none *scenario.Element
	_, ok := none.Number("length")
	require.False(t, ok)
}

// TestDeclaresAll checks that a parameter which only the distribution knows is reported there.
func TestDeclaresAll(t *testing.T) {
	d, err := scenario.Parse("a.xosc", []byte(`<OpenSCENARIO><ParameterDeclarations>
<ParameterDeclaration name="speed" parameterType="double" value="1"/></ParameterDeclarations>
</OpenSCENARIO>`))
	require.NoError(t, err)
	for text, want := range map[string]string{
		`<S parameterName="speed"/>`: "",
		"<S>\n<P parameterRef='sped'/></S>": `v.xosc:2:4: P.parameterRef: bad parameter: found no ` +
			`parameter "sped", expected speed; did you mean "speed"?`,
		`<S parameterName="v"/>`: `v.xosc:1:46: S.parameterName: bad parameter: found no parameter ` +
			`"v", expected speed`,
	} {
		v, err := scenario.Parse("v.xosc", []byte(`<OpenSCENARIO><ParameterValueDistribution>`+text+
			`</ParameterValueDistribution></OpenSCENARIO>`))
		require.NoError(t, err)
		if err := d.DeclaresAll(v); want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, want)
		}
	}
}
