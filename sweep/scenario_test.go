package sweep_test

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/sweep"
)

// document returns a ParameterValueDistribution with that definition.
func document(definition string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>
<OpenSCENARIO xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:noNamespaceSchemaLocation="OpenSCENARIO.xsd">
	<FileHeader author="a" date="2024-03-01T12:00:00" description="d" revMajor="1" revMinor="3">
		<License name="MPL-2.0">text</License>
		<Properties><Property name="a" value="b"/></Properties>
	</FileHeader>
	<ParameterValueDistribution>
		<ScenarioFile filepath="sub/a.exc"/>
` + definition + `
	</ParameterValueDistribution>
</OpenSCENARIO>
`
}

func single(name, kind string) string {
	return `<DeterministicSingleParameterDistribution parameterName="` + name + `">` + kind +
		`</DeterministicSingleParameterDistribution>`
}

func stochastic(attributes string, distributions ...string) string {
	var b strings.Builder
	for k, d := range distributions {
		fmt.Fprintf(&b,
			"<StochasticDistribution parameterName=\"p%d.x\">\n%s\n</StochasticDistribution>\n",
			k, d)
	}
	return `<Stochastic ` + attributes + `>` + b.String() + `</Stochastic>`
}

// TestRead_OpenSCENARIO: a document gives the same table as the equivalent YAML plan.
func TestRead_OpenSCENARIO(t *testing.T) {
	const limits = `<Range lowerLimit="0.5" upperLimit="6"/>`
	for name, c := range map[string]struct{ document, plan string }{
		"empty": {`<Deterministic/>`, ``},
		"set": {`<Deterministic>` + single("s.x",
			`<DistributionSet><Element value="80.50"/><Element value="dry road"/><Element value="true"/>
			<Element value="0x10"/><Element value=" -1e-3 "/><Element value="TRUE"/></DistributionSet>`) + `</Deterministic>`,
			`{s.x: {values: [80.5, dry road, true, '0x10', -0.001, 'TRUE']}}`},
		"range": {`<Deterministic>` + single("s.x",
			`<DistributionRange stepWidth="0.1"><Range lowerLimit="0.1" upperLimit="0.75"/>`+
				`</DistributionRange>`) + `</Deterministic>`,
			`{s.x: {from: 0.1, to: 0.75, step: 0.1}}`},
		"one value": {`<Deterministic>` + single("timeout",
			`<DistributionRange stepWidth="1"><Range lowerLimit="3" upperLimit="3"/>`+
				`</DistributionRange>`) + `</Deterministic>`,
			`{timeout: {values: [3]}}`},
		"sets": {`<Deterministic>` + single("s.x",
			`<DistributionSet><Element value="1"/><Element value="2"/></DistributionSet>`) +
			`<DeterministicMultiParameterDistribution><ValueSetDistribution>
				<ParameterValueSet><ParameterAssignment parameterRef="m.a" value="1"/><ParameterAssignment parameterRef="m.b" value="u"/></ParameterValueSet>
				<ParameterValueSet><ParameterAssignment parameterRef="m.b" value="v"/><ParameterAssignment parameterRef="m.a" value="1"/></ParameterValueSet>
				<ParameterValueSet><ParameterAssignment parameterRef="m.a" value="2"/><ParameterAssignment parameterRef="m.b" value="u"/></ParameterValueSet>
			</ValueSetDistribution></DeterministicMultiParameterDistribution>` +
			single("t.x",
				`<DistributionRange stepWidth="2"><Range lowerLimit="-1" upperLimit="1"/>`+
					`</DistributionRange>`) + `</Deterministic>`,
			`{s.x: {values: [1, 2]}, m.a: {values: [1, 1, 2]}, m.b: {values: [u, v, u], with: ` +
				`m.a}, t.x: {from: -1, to: 1, step: 2}}`},
		"stochastic": {stochastic(`numberOfTestRuns="40" randomSeed="7.0"`, `<UniformDistribution>`+
			limits+`</UniformDistribution>`,
			`<NormalDistribution expectedValue="2" variance="0.25"/>`,
			`<NormalDistribution expectedValue="2" variance="4">`+limits+`</NormalDistribution>`,
			`<LogNormalDistribution expectedValue="0.5" variance="4"/>`,
			`<LogNormalDistribution expectedValue="0.5" variance="4">`+limits+
				`</LogNormalDistribution>`,
			`<PoissonDistribution expectedValue="3.5"/>`,
			`<PoissonDistribution expectedValue="3.5">`+limits+`</PoissonDistribution>`,
			`<Histogram><Bin weight="3"><Range lowerLimit="0" upperLimit="1"/></Bin>`+
				`<Bin weight="1"><Range lowerLimit="2" upperLimit="4"/></Bin></Histogram>`,
			`<ProbabilityDistributionSet><Element value="dry" weight="3"/>`+
				`<Element value="2" weight="0"/><Element value="wet" weight="0.5"/>`+
				`</ProbabilityDistributionSet>`),
			`{p0.x: {uniform: [0.5, 6]}, p1.x: {normal: {mean: 2, deviation: 0.5}}, p2.x: {normal: {mean: 2, deviation: 2}, min: 0.5, max: 6},
			p3.x: {lognormal: {mean: 0.5, deviation: 2}}, p4.x: {lognormal: {mean: 0.5, deviation: 2}, min: 0.5, max: 6},
			p5.x: {poisson: {mean: 3.5}}, p6.x: {poisson: {mean: 3.5}, min: 0.5, max: 6},
			p7.x: {histogram: [{from: 0, to: 1, weight: 3}, {from: 2, to: 4, weight: 1}]},
			p8.x: {values: [dry, 2, wet], weights: [3, 0, 0.5]}}` +
				"\nsampling: {method: random, count: 40, seed: 7}"},
		"a fraction as the seed": {stochastic(`numberOfTestRuns="3" randomSeed="1.25"`,
			`<UniformDistribution>`+limits+`</UniformDistribution>`),
			"{p0.x: {uniform: [0.5, 6]}}\nsampling: {method: random, count: 3, " +
				"seed: 4608308318706860032}"},
		"names with a dollar": {`<Deterministic>` + single("$s.x",
			`<DistributionSet><Element value="1"/><Element value="2"/></DistributionSet>`) +
			`</Deterministic>`, `{s.x: {values: [1, 2]}}`},
		"no seed": {stochastic(`numberOfTestRuns="3"`, `<UniformDistribution>`+limits+
			`</UniformDistribution>`),
			"{p0.x: {uniform: [0.5, 6]}}\nsampling: {method: random, count: 3}"},
	} {
		t.Run(name, func(t *testing.T) {
			text := "experiment: sub/a.exc\nseeds: [1]\nparameters: " + c.plan
			if c.plan == "" {
				text = "experiment: sub/a.exc\nseeds: [1]\n"
			}
			found, err := sweep.Read("a.xosc", strings.NewReader("\ufeff"+document(c.document)))
			require.NoError(t, err)
			expected := read(t, text)
			found.Seeds = expected.Seeds
			require.Equal(t, table(t, expected), table(t, found))
			require.Equal(t, expected.Experiment, found.Experiment)
			require.Equal(t, expected.Sampling, found.Sampling)
			require.Equal(t, expected.Attempts, found.Attempts)
		})
	}
}

// TestRead_OpenSCENARIOGuide: the guide's document yields the runs of its first plan.
func TestRead_OpenSCENARIOGuide(t *testing.T) {
	guide, err := os.ReadFile("../docs/SWEEP.md")
	require.NoError(t, err)
	block := regexp.MustCompile("(?s)```xml\n(.*?)```").FindSubmatch(guide)
	require.NotNil(t, block)
	found, err := sweep.Read("range.xosc", bytes.NewReader(block[1]))
	require.NoError(t, err)
	require.Equal(t,
		table(t,
			read(t,
				"experiment: braking.exc\nparameters: {sensor.nominalrange: {from: 20, to: "+
					"140, step: 20}}")), table(t, found))
}

// TestRead_OpenSCENARIOByContent: documents are recognized by content, and empty ones by their file
// name.
func TestRead_OpenSCENARIOByContent(t *testing.T) {
	_, err := sweep.Read("plan.yaml", strings.NewReader(document("<Deterministic/>")))
	require.NoError(t, err)
	wide := strings.Join(strings.Split(document("<Deterministic/>"), ""), "\x00") + "\x00"
	_, err = sweep.Read("plan.yaml", strings.NewReader("\xff\xfe"+wide))
	require.NoError(t, err)
	_, err = sweep.Read("plan.XOSC", strings.NewReader(""))
	require.ErrorContains(t, err,
		"plan.XOSC:1:1: unusable plan: found no element, expected the element OpenSCENARIO")
}

func TestRead_OpenSCENARIORefuses(t *testing.T) {
	in := func(kind string) string {
		return document("<Deterministic>\n" + single("s.x", "\n"+kind) + "</Deterministic>")
	}
	drawn := func(kind string) string { return document(stochastic(`numberOfTestRuns="1"`, kind)) }
	sets := func(sets string) string {
		return document(
			"<Deterministic><DeterministicMultiParameterDistribution><ValueSetDistribution>\n" +
				sets +
				"</ValueSetDistribution></DeterministicMultiParameterDistribution></Deterministic>")
	}
	assign := func(name, value string) string {
		return `<ParameterAssignment parameterRef="` + name + `" value="` + value + `"/>`
	}
	const bounds = `<Range lowerLimit="0" upperLimit="1"/>`
	for text, expected := range map[string]string{
		`<OpenSCENARIO/>`: "a.xosc:1:1: OpenSCENARIO: unusable plan: found no " +
			"FileHeader, expected one",
		`<OpenSCENARIO>`: "a.xosc:1:15: unusable plan: unexpected EOF",
		"<OpenSCENARIO>\n<FileHeader>\n</OpenSCENARIO>": "a.xosc:3:16: unusable plan: element " +
			"<FileHeader> closed by </OpenSCENARIO>",
		"<OpenSCENARIO>\n<Storyboard/>": "a.xosc:2:14: unusable plan: unexpected EOF",
		`<scxml/>`: "a.xosc:1:1: scxml: unusable plan: found the root element scxml, " +
			"expected OpenSCENARIO",
		"<!-- only -->": "a.xosc:1:14: unusable plan: found no element, expected the " +
			"element OpenSCENARIO",
		`<OpenSCENARIO><ParameterValueDistribution/></OpenSCENARIO>`: "a.xosc:1:1: OpenSCENARIO: " +
			"unusable plan: found no FileHeader, expected one",
		"<OpenSCENARIO/><OpenSCENARIO/>": "a.xosc:1:16: unusable plan: found a second root " +
			"element, expected one",
		`<?xml version="1.0" encoding="UTF-16"?><OpenSCENARIO/>`: `a.xosc:1:40: unusable plan: ` +
			`found the encoding declared as "UTF-16", and the text is not in UTF-16, expected a ` +
			`text in its encoding`,
		`<?xml version="1.0" encoding="EBCDIC"?><OpenSCENARIO/>`: `a.xosc:1:40: unusable plan: ` +
			`found the encoding "EBCDIC", expected UTF-8, UTF-16, ISO-8859-1, ` +
			`windows-1252 or US-ASCII`,
		"<?xml version='1.0' encoding='us-ascii'?>\n<OpenSCENARIO>\n\n\xfc": `a.xosc:4:1: ` +
			`unusable plan: found the encoding "us-ascii", and byte 59 is not ASCII, expected a ` +
			`text in its encoding`,
		"<!DOCTYPE x [<!ENTITY a \"aaaa\">" +
			"<!ENTITY b \"&a;&a;&a;\">]>\n<OpenSCENARIO>&b;</OpenSCENARIO>": "a.xosc:1:1: " +
			"unusable plan: found a document type, expected none, as in all documents " +
			"of OpenSCENARIO",
		`<OpenSCENARIO>&b;</OpenSCENARIO>`: "invalid character entity &b;",
		strings.Repeat("<OpenSCENARIO>", 100000): "a.xosc:1:1401: unusable plan: found elements " +
			"nested more than 100 deep, expected fewer levels",
		document(""): "a.xosc:7:2: ParameterValueDistribution: unusable plan: found none of " +
			"Deterministic, Stochastic, expected one",
		document("<Deterministic/>\n<Deterministic/>"): "a.xosc:10:1: Deterministic: unusable " +
			"plan: found the element Deterministic in ParameterValueDistribution once more or in " +
			"the wrong place",
		document("<Deterministic/><Stochastic/>"): "a.xosc:9:17: Stochastic: unusable plan: " +
			"found the element Stochastic in ParameterValueDistribution once more or in " +
			"the wrong place",
		document("<Deterministic>text</Deterministic>"): `a.xosc:9:1: Deterministic: unusable ` +
			`plan: found the text "text", expected none`,
		document(`<Deterministic type="x"/>`): "a.xosc:9:16: Deterministic.type: unusable plan: " +
			"found the attribute type, expected no attribute",
		document(`<ScenarioFile filepath="b.exc"/><Deterministic/>`): "a.xosc:9:1: ScenarioFile: " +
			"unusable plan: found the element ScenarioFile in ParameterValueDistribution, " +
			"expected one of Deterministic, Stochastic",
		strings.Replace(document("<Deterministic/>"), "a.exc", "cut-in.fmu", 1): `a.xosc:8:3: ` +
			`ScenarioFile: unusable plan: found filepath "sub/cut-in.fmu", expected a scenario ` +
			`(.xosc) or an experiment (.exc)`,

		document("<Deterministic>\n" + single("speed", "<DistributionSet/>") +
			"</Deterministic>"): "a.xosc:10:65: DistributionSet: unusable plan: found no " +
			"Element, expected one",
		in(``): "a.xosc:10:1: DeterministicSingleParameterDistribution: unusable plan: found " +
			"none of DistributionSet, DistributionRange, UserDefinedDistribution, expected one",
		in(`<DistributionSet/>`): "a.xosc:11:1: DistributionSet: unusable plan: found no " +
			"Element, expected one",
		in(`<UserDefinedDistribution type="t">x</UserDefinedDistribution>`): "a.xosc:11:1: " +
			"UserDefinedDistribution: unusable plan: found a UserDefinedDistribution, expected " +
			"one of DistributionSet, DistributionRange, ProbabilityDistributionSet, " +
			"NormalDistribution, LogNormalDistribution, UniformDistribution, " +
			"PoissonDistribution, Histogram",
		in(`<DistributionSet><Element/></DistributionSet>`): "Element: unusable plan: found no " +
			"attribute value, expected one",
		in(`<DistributionSet><Element value="1" weight="1"/></DistributionSet>`): "a.xosc:11:37: " +
			"Element.weight: unusable plan: found the attribute weight, expected value",
		in(`<DistributionSet><Element value="1" value="1"/></DistributionSet>`): "a.xosc:11:37: " +
			"unusable plan: found the attribute value twice, expected it once",
		in(`<DistributionSet><Element value="$a"/></DistributionSet>`): `found value "$a", ` +
			`expected a number or a text`,
		in(
			`<DistributionSet><Element value="1"/><Element value="1.0"/></DistributionSet>`): "a.xosc:10:1: parameters.s.x: unusable plan: found 1 twice, expected different values",
		in(`<DistributionSet><Element value="1"><a/></Element></DistributionSet>`): "a.xosc:11:37" +
			": a: unusable plan: found the element a in Element, expected no further element",
		in(`<DistributionRange stepWidth="1"/>`): "DistributionRange: unusable plan: found no " +
			"Range, expected one",
		in(`<DistributionRange stepWidth="0">` + bounds + `</DistributionRange>`): "found stepWid" +
			"th 0, expected a number above 0",
		in(`<DistributionSet><Element value="${1+}"/></DistributionSet>`): `found value "${1+}", ` +
			`expected an expression of constants`,
		in(`<DistributionRange stepWidth="${1+1}">` + bounds +
			`</DistributionRange>`): `found stepWidth "${1+1}", expected a number`,
		in(`<DistributionRange stepWidth="1e-300">` + bounds +
			`</DistributionRange>`): "a.xosc:11:1: DistributionRange: unusable plan: found " +
			"200001 values or more, expected at most 200000",
		in(`<DistributionRange stepWidth="1">` + bounds + bounds +
			`</DistributionRange>`): "a.xosc:11:72: Range: unusable plan: found the element " +
			"Range in DistributionRange once more or in the wrong place",
		in(
			"<DistributionRange stepWidth=\"1\">\n<Range lowerLimit=\"2\" upperLimit=\"1\"/>" +
				"</DistributionRange>"): "a.xosc:12:1: Range: unusable plan: found lowerLimit 2 " +
			"and upperLimit 1, expected a lower limit below the upper one",
		in(
			`<DistributionRange stepWidth="1"><Range lowerLimit="INF" upperLimit="1"/>` +
				`</DistributionRange>`): `found lowerLimit "INF", expected a number`,
		in(
			`<DistributionRange stepWidth="1"><Range lowerLimit="0" upperLimit="1e999"/></DistributionRange>`): `found upperLimit "1e999", expected a number`,

		sets(""):                     "a.xosc:9:57: ValueSetDistribution: unusable plan: found no ParameterValueSet, expected one",
		sets("<ParameterValueSet/>"): "a.xosc:10:1: ParameterValueSet: unusable plan: found no ParameterAssignment, expected one",
		sets("<ParameterValueSet>" + assign("m.a", "1") + assign("m.b", "1") +
			"</ParameterValueSet>\n<ParameterValueSet>" + assign("m.b", "1") +
			"</ParameterValueSet>"): `a.xosc:11:1: ParameterValueSet: unusable plan: found 1 parameters, and "m.a" in 0 of them, expected each of the 2 parameters of the first set once`,
		sets("<ParameterValueSet>" + assign("m.a", "1") + assign("m.a", "1") +
			"</ParameterValueSet>"): `found 2 parameters, and "m.a" in 2 of them`,
		sets(strings.Repeat("<ParameterValueSet>"+assign("m.a", strings.Repeat("long", 50))+
			"</ParameterValueSet>", 2)): "longlon... twice",
		sets("<ParameterValueSet>" + strings.Repeat(assign("m.a", "1"), 70000) +
			"</ParameterValueSet>"): "found 70000 parameters, expected at most 1000",
		sets("<ParameterValueSet>" + assign("a", "1") + "</ParameterValueSet>"): `ParameterAssignment: unusable plan: found the parameter "a"`,
		sets(strings.Repeat("<ParameterValueSet>"+assign("m.a", "1")+assign("m.b", "x")+
			"</ParameterValueSet>",
			2)): `parameters.m.a: unusable plan: found 1 with "x" twice, expected different values`,
		document("<Deterministic>\n" + strings.Repeat(single("s.x",
			`<DistributionSet><Element value="1"/></DistributionSet>`)+"\n",
			2) + "</Deterministic>"): `a.xosc:11:1: DeterministicSingleParameterDistribution: unusable plan: found the parameter "s.x", which line 10 has already, expected it once`,

		document(stochastic(`numberOfTestRuns="0"`)):                   "a.xosc:9:1: Stochastic: unusable plan: found no StochasticDistribution, expected one",
		document(stochastic(`numberOfTestRuns="1"`)):                   "a.xosc:9:1: Stochastic: unusable plan: found no StochasticDistribution, expected one",
		document(stochastic(`numberOfTestRuns="1" randomSeed="0.5"`)):  "a.xosc:9:1: Stochastic: unusable plan: found no StochasticDistribution, expected one",
		document(stochastic(`numberOfTestRuns="1" randomSeed="seed"`)): `found randomSeed "seed", expected a number`,
		drawn(``):                       "a.xosc:9:34: StochasticDistribution: unusable plan: found none of ProbabilityDistributionSet, NormalDistribution, LogNormalDistribution, UniformDistribution, PoissonDistribution, Histogram, UserDefinedDistribution, expected one",
		drawn(`<BetaDistribution/>`):    "a.xosc:10:1: BetaDistribution: unusable plan: found the element BetaDistribution in StochasticDistribution, expected one of ProbabilityDistributionSet, NormalDistribution, LogNormalDistribution, UniformDistribution, PoissonDistribution, Histogram, UserDefinedDistribution",
		drawn(`<UniformDistribution/>`): "UniformDistribution: unusable plan: found no Range, expected one",
		drawn(`<UniformDistribution><Range lowerLimit="1" upperLimit="1"/></UniformDistribution>`): "found lowerLimit 1 and upperLimit 1",
		drawn(`<NormalDistribution expectedValue="1"/>`):                                           "found no attribute variance, expected one",
		drawn(`<NormalDistribution expectedValue="1" variance="0"/>`):                              "found variance 0, expected a number above 0",
		drawn(`<NormalDistribution expectedValue="100" variance="1">` + bounds +
			`</NormalDistribution>`): "NormalDistribution: unusable plan: found nothing of the distribution between 0 and 1",
		drawn(`<LogNormalDistribution expectedValue="x" variance="1"/>`): `found expectedValue "x", expected a number`,
		drawn(`<PoissonDistribution expectedValue="0"/>`):                "found expectedValue 0, expected a number above 0, up to 500",
		drawn(`<Histogram/>`):                                                 "a.xosc:10:1: Histogram: unusable plan: found no Bin, expected one",
		drawn(`<Histogram><Bin weight="1"/></Histogram>`):                     "Bin: unusable plan: found no Range, expected one",
		drawn(`<Histogram><Bin weight="-1">` + bounds + `</Bin></Histogram>`): "found weight -1, expected a number of at least 0",
		drawn(`<Histogram><Bin weight="0">` + bounds + `</Bin></Histogram>`):  "Histogram: unusable plan: expected a bin with a weight above 0",
		drawn(`<Histogram>` + strings.Repeat(`<Bin weight="1">`+bounds+`</Bin>`, 2) +
			`</Histogram>`): "found lowerLimit 0, expected at least the upperLimit of the bin before, 1",
		drawn(`<ProbabilityDistributionSet><Element value="1"/></ProbabilityDistributionSet>`): "found no attribute weight",
		drawn(
			`<ProbabilityDistributionSet><Element value="1" weight="0"/></ProbabilityDistributionSet>`): "found weights with the sum 0",
	} {
		_, err := sweep.Read("a.xosc", strings.NewReader(text))
		require.ErrorIs(t, err, sweep.ErrPlan, text)
		require.ErrorContains(t, err, expected, text)
		require.ErrorContains(t, err, "a.xosc:", text)
	}
}

// TestRead_OpenSCENARIOOfAScenario: parameters have the names of the scenario, and values may be
// expressions of constants.
func TestRead_OpenSCENARIOOfAScenario(t *testing.T) {
	text := strings.Replace(document("<Deterministic>"+single("Ego_speed",
		`<DistributionSet><Element value="${0.6/2}"/><Element value="car"/></DistributionSet>`)+
		"</Deterministic>"), "a.exc", "a.xosc", 1)
	plan, err := sweep.Read("v.xosc", strings.NewReader(text))
	require.NoError(t, err)
	cases, err := plan.Cases()
	require.NoError(t, err)
	require.Len(t, cases, 2)
	require.Equal(t, []sweep.Setting{{Name: "Ego_speed", Value: "0.3"}}, cases[0].Set)
	require.Equal(t, []sweep.Setting{{Name: "Ego_speed", Value: "car"}}, cases[1].Set)
}

// TestRestrict: a part of 100 million points has the numbers that the points have in the document.
func TestRestrict(t *testing.T) {
	whole := func(name string) string {
		return single(name, `<DistributionRange stepWidth="1"><Range lowerLimit="0" upperLimit="9999"/>
</DistributionRange>`)
	}
	text := strings.Replace(document(`<Deterministic>`+whole("A")+whole("B")+`</Deterministic>`),
		"sub/a.exc", "a.xosc", 1)
	_, err := sweep.Read("p.xosc", strings.NewReader(text))
	require.NoError(t, err)
	_, err = read(t, text).Cases()
	require.ErrorContains(t, err, "100000000 combinations and seeds of 2 parameters")
	require.ErrorContains(t, err, "gosmp sweep --select 'A>40'")
	p := read(t, text)
	p.Restrict(0, func(v any) bool { return v == 7.0 })
	p.Restrict(1, func(v any) bool { return v.(float64) >= 9998 })
	cases, err := p.Cases()
	require.NoError(t, err)
	require.Len(t, cases, 2)
	require.Equal(t, 79998, cases[0].Index)
	require.Equal(t, 79999, cases[1].Index)
	require.Equal(t, []any{7.0, 9999.0}, cases[1].Values)
	p.Restrict(0, func(any) bool { return false })
	cases, err = p.Cases()
	require.NoError(t, err)
	require.Empty(t, cases)
	// A range of its own may not be as large.
	text = strings.Replace(text, `stepWidth="1"`, `stepWidth="0.0001"`, 1)
	_, err = sweep.Read("p.xosc", strings.NewReader(text))
	require.ErrorContains(t, err, "found 200001 values or more, expected at most 200000")
	require.ErrorContains(t, err, "a larger stepWidth")
	text = strings.Replace(document(stochastic(`numberOfTestRuns="100000000"`,
		`<UniformDistribution><Range lowerLimit="0" upperLimit="1"/></UniformDistribution>`)),
		"sub/a.exc", "a.xosc", 1)
	_, err = sweep.Read("p.xosc", strings.NewReader(text))
	require.ErrorContains(t, err, "documents with different randomSeed")
}
