package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/internal/finding"
	"gosmp/osmp"
	"gosmp/osmp/check"
)

// description is a model description to write.
type description struct {
	fmi, face, convention, step string
	marks                       []string // each the content of an annotation
	variables                   []*scalar
}

// scalar is a variable to write.
type scalar struct {
	name, kind, causality, variability, start string // no start value if start is "none"
	reference                                 int
	mark                                      string // content of the annotation, none if empty
	mime                                      string // of a Binary
}

const (
	space = `xmlns:osmp="http://xsd.pmsf.net/OSISensorModelPackaging"`
	mark  = `<osmp:osmp ` + space + ` version="1.6.0" osi-version="3.8.0"/>`
	osi   = "application/x-open-simulation-interface; type="
)

func osiMIME(message string) string { return osi + message + "; version=3.8.0" }

func part(prefix, role, mime string) string {
	return fmt.Sprintf(`<osmp:osmp-binary-variable %s name="%s" role="%s" mime-type="%s"/>`, space,
		prefix, role, mime)
}

// triple adds the three integers of a binary variable.
func (d *description) triple(prefix, message, causality, variability string) {
	start := "0"
	if causality == "calculatedParameter" {
		start = "none"
	}
	for _, role := range []string{"base.lo", "base.hi", "size"} {
		d.variables = append(d.variables, &scalar{prefix + "." + role, "Integer", causality,
			variability, start, len(d.variables),
			part(prefix, role, osiMIME(message)), ""})
	}
}

// native adds a binary variable of FMI 3.0.
func (d *description) native(prefix, message, causality, variability string) {
	d.variables = append(d.variables, &scalar{prefix, "Binary", causality, variability, "",
		len(d.variables),
		part(prefix, "full", osiMIME(message)), osiMIME(message)})
}

// sensor returns a sensor model without mistakes.
func sensor() *description {
	d := &description{"2.0", "CoSimulation", "structured", "0.02", []string{mark}, nil}
	d.triple("OSMPSensorViewIn", "SensorView", "input", "discrete")
	d.triple("OSMPSensorDataOut", "SensorData", "output", "discrete")
	d.triple("OSMPSensorViewInConfigRequest", "SensorViewConfiguration", "calculatedParameter",
		"fixed")
	d.triple("OSMPSensorViewInConfig", "SensorViewConfiguration", "parameter", "fixed")
	return d
}

// sensor3 returns a sensor model for FMI 3.0 without mistakes.
func sensor3() *description {
	d := &description{"3.0", "CoSimulation", "structured", "0.02", []string{mark}, nil}
	d.native("OSMPSensorViewIn", "SensorView", "input", "discrete")
	d.native("OSMPSensorDataOut", "SensorData", "output", "discrete")
	return d
}

func (d *description) String() string {
	var b strings.Builder
	three := d.fmi == "3.0"
	tool, label, annotations := "Tool", "name", "VendorAnnotations"
	if three {
		tool, label, annotations = "Annotation", "type", "Annotations"
	}
	annotate := func(element string, contents ...string) {
		fmt.Fprintf(&b, "<%s>", element)
		for _, content := range contents {
			fmt.Fprintf(&b, `<%s %s="net.pmsf.osmp">%s</%s>`, tool, label, content, tool)
		}
		fmt.Fprintf(&b, "</%s>", element)
	}
	fmt.Fprintf(&b,
		`<fmiModelDescription fmiVersion="%s" modelName="M" guid="1" instantiationToken="1" `+
			`variableNamingConvention="%s">`+
			`<%s modelIdentifier="M"/><DefaultExperiment stepSize="%s"/>`, d.fmi, d.convention,
		d.face,
		d.step)
	annotate(annotations, d.marks...)
	b.WriteString("<ModelVariables>\n")
	for _, v := range d.variables {
		attributes := fmt.Sprintf(`name="%s" valueReference="%d" causality="%s" variability="%s"`,
			v.name, v.reference, v.causality, v.variability)
		start := ""
		if v.start != "none" {
			start = fmt.Sprintf(` start="%s"`, v.start)
		}
		switch {
		case !three:
			fmt.Fprintf(&b, "<ScalarVariable %s><%s%s/>", attributes, v.kind, start)
		case v.kind == "Binary":
			fmt.Fprintf(&b, `<Binary %s mimeType="%s">`, attributes, v.mime)
			if v.start != "none" {
				fmt.Fprintf(&b, `<Start value="%s"/>`, v.start)
			}
		default:
			fmt.Fprintf(&b, "<%s %s%s>", v.kind, attributes, start)
		}
		if v.mark != "" {
			annotate("Annotations", v.mark)
		}
		if three {
			fmt.Fprintf(&b, "</%s>\n", v.kind)
		} else {
			b.WriteString("</ScalarVariable>\n")
		}
	}
	b.WriteString("</ModelVariables></fmiModelDescription>")
	return b.String()
}

// replace changes the annotations of selected variables.
func (d *description) replace(from, to int, before, after string) {
	for _, v := range d.variables[from:to] {
		v.mark = strings.ReplaceAll(v.mark, before, after)
		v.mime = strings.ReplaceAll(v.mime, before, after)
	}
}

// rename changes the prefix of a triple.
func (d *description) rename(from int, before, after string) {
	for _, v := range d.variables[from : from+3] {
		v.name = strings.Replace(v.name, before, after, 1)
		v.mark = strings.Replace(v.mark, before, after, 1)
	}
}

func TestExamine_SoundModelsHaveNoProblems(t *testing.T) {
	several := sensor()
	several.rename(0, "OSMPSensorViewIn", "OSMPSensorViewIn[1]")
	several.rename(6, "OSMPSensorViewInConfigRequest", "OSMPSensorViewInConfigRequest[1]")
	several.rename(9, "OSMPSensorViewInConfig", "OSMPSensorViewInConfig[1]")
	several.triple("OSMPSensorViewIn[2]", "SensorView", "input", "discrete")
	several.triple("OSMPSensorViewInConfig[2]", "SensorViewConfiguration", "parameter", "fixed")
	several.triple("OSMPSensorViewInConfigRequest[2]", "SensorViewConfiguration",
		"calculatedParameter", "fixed")
	several.triple("OSMPGroundTruthInit", "GroundTruth", "parameter", "fixed")
	calculated := sensor()
	for _, v := range calculated.variables[3:6] {
		v.start = "none" // FMI forbids start values of outputs that are calculated initially
	}
	mixed := sensor3() // the three integers of FMI 2.0 are allowed, too
	mixed.triple("OSMPTrafficCommandIn", "TrafficCommand", "input", "discrete")
	for _, v := range mixed.variables[2:] {
		v.kind = "Int32"
	}
	own := sensor()
	own.triple("own.'Daten #1'[2].image", "SensorView", "output", "continuous")
	own.replace(12, 15, osiMIME("SensorView"), "image/png")
	bounded := sensor() // by what they can hold, and sizes that are not negative
	bounded.variables[0].start = `0" min="-2147483648" max="2147483647`
	bounded.variables[2].start = `0" min="0`
	for name, d := range map[string]*description{"FMI 2": sensor(), "FMI 3": sensor3(),
		"several": several, "calculated": calculated, "mixed": mixed, "own": own,
		"bounded": bounded} {
		_, r := examine(t, d.String())
		require.Empty(t, messages(r.Problems), name)
	}
}

func TestExamine_WithoutOSMP(t *testing.T) {
	d := sensor()
	d.marks, d.variables, d.convention = nil, nil, "flat"
	d.variables = append(d.variables, &scalar{"pool.size", "Integer", "input", "discrete", "3", 1,
		"", ""})
	_, r := examine(t, d.String())
	require.Empty(t, r.Problems)
	require.Equal(t, check.NoKind, r.Kind)
	require.Equal(t, []check.Kind{check.NoKind}, r.Kinds)
}

// Each case breaks a sound model in one way and lists all expected findings.
func TestExamine_ReportsBrokenRules(t *testing.T) {
	const lo = 0 // OSMPSensorViewIn.base.lo
	for name, c := range map[string]struct {
		change func(d *description)
		want   []string
	}{
		"A1 not marked": {func(d *description) { d.marks = nil },
			[]string{
				"error: modelDescription.xml: there are binary variables, but no <osmp:osmp> " +
					"annotation of the tool net.pmsf.osmp marks the FMU [OSMP-A1]"}},
		"A1 twice": {func(d *description) { d.marks = []string{mark, mark} },
			[]string{"2 <osmp:osmp> annotations, expected one [OSMP-A1]"}},
		"A1 version": {func(d *description) {
			d.marks[0] = strings.Replace(mark, "1.6.0", "latest", 1)
		},
			[]string{
				`the version of OSMP is "latest", expected three numbers like 1.6.0 [OSMP-A1]`}},
		"A1 unknown release": {func(d *description) {
			d.marks[0] = strings.Replace(mark, "1.6.0", "1.3.7", 1)
		},
			[]string{"warning: modelDescription.xml: gosmp does not know OSMP 1.3.7, expected a " +
				"release up to 1.6.0 [OSMP-A1]"}},
		"A1 namespace": {func(d *description) {
			d.marks[0] = strings.Replace(mark, "Packaging", "Package", 1)
		},
			[]string{
				`<osmp> is in the namespace "http://xsd.pmsf.net/OSISensorModelPackage", ` +
					`expected "http://xsd.pmsf.net/OSISensorModelPackaging" [OSMP-A1]`}},
		"A2 none": {func(d *description) {
			d.marks[0] = strings.Replace(mark, ` osi-version="3.8.0"`, "", 1)
		},
			[]string{"warning: modelDescription.xml: no osi-version"}},
		"A2 none in 0.3.0": {func(d *description) {
			d.marks[0] = strings.Replace(strings.Replace(mark, ` osi-version="3.8.0"`, "", 1),
				"1.6.0", "0.3.0", 1)
		}, []string{"error: modelDescription.xml: no osi-version"}},
		"A2 form": {func(d *description) {
			d.marks[0] = strings.Replace(mark, "3.8.0", "3.8", 1)
			d.replace(0, 12, "; version=3.8.0", "")
		}, []string{`osi-version is "3.8", expected three numbers like 3.8.0 [OSMP-A2]`}},
		"A3 element": {func(d *description) { d.replace(lo, 1, "binary-variable", "binary") },
			[]string{
				"warning: OSMPSensorViewIn.base.lo (line 2): element <osmp-binary> in the " +
					"annotation of OSMP", "no variable has the role base.lo, expected one named " +
					"OSMPSensorViewIn.base.lo [OSMP-A8]"}},
		"A3 name": {func(d *description) { d.replace(lo, 1, `name="OSMPSensorViewIn"`, "") },
			[]string{"<osmp-binary-variable> has no name", "[OSMP-A8]"}},
		"A3 role": {func(d *description) { d.replace(lo, 1, `"base.lo"`, `"low"`) },
			[]string{`role="low", expected base.lo, base.hi or size`, "[OSMP-A8]"}},
		"A3 forgotten": {func(d *description) { d.variables[lo].mark = "" },
			[]string{
				"error: OSMPSensorViewIn.base.lo (line 2): named like part of an OSMP binary " +
					"variable, but without its annotation [OSMP-A3]", "[OSMP-A8]"}},
		"A3 no MIME type": {func(d *description) {
			d.replace(0, 3, `mime-type="`+osiMIME("SensorView")+`"`, "")
		},
			[]string{
				"binary variable OSMPSensorViewIn: the annotation has no mime-type [OSMP-A3]"}},
		"A4": {func(d *description) { d.replace(0, 3, osiMIME("SensorView"), "OSI SensorView") },
			[]string{
				`"OSI SensorView" is not a MIME type, expected type/subtype; name=value [OSMP-A4]`}},
		"A5 no type": {func(d *description) {
			d.triple("own", "X", "local", "discrete")
			d.replace(12, 15, " type=X;", "")
		},
			[]string{
				`does not name a message, expected type=SensorView or another one [OSMP-A5]`}},
		"A5 parameter": {func(d *description) {
			d.replace(0, 3, "; version=3.8.0", "; version=3.8.0; charset=utf-8")
		},
			[]string{"warning: OSMPSensorViewIn.base.lo (line 2): binary variable " +
				"OSMPSensorViewIn: the MIME type has the parameter charset, expected only type " +
				"and version [OSMP-A5]"}},
		"A5 message": {func(d *description) { d.triple("own", "Sensorview", "local", "discrete") },
			[]string{"the MIME type has type=Sensorview, expected a top-level message of OSI, " +
				"such as SensorView [OSMP-A5]"}},
		"B3 bounds": {func(d *description) { d.variables[lo].start = `0" min="0` },
			[]string{`min is "0" and max is "", expected no bounds: the halves of an address may ` +
				`have any value, also a negative one [OSMP-B3]`}},
		"B5 bounds": {func(d *description) { d.variables[lo+2].start = `0" min="1` },
			[]string{`min is "1", expected 0 or no min: the size 0 means that there is no data ` +
				`[OSMP-B5]`}},
		"B5 maximum": {func(d *description) { d.variables[lo+2].start = `0" max="0` },
			[]string{`max is "0", expected no max: the size of a message may be any positive ` +
				`number [OSMP-B5]`}},
		"A5 version": {func(d *description) { d.replace(0, 3, "version=3.8.0", "version=3") },
			[]string{"the MIME type has version=3, expected three numbers like 3.8.0 [OSMP-A5]"}},
		"A6 differs": {func(d *description) { d.replace(0, 3, "version=3.8.0", "version=3.7.0") },
			[]string{
				"warning: OSMPSensorViewIn.base.lo (line 2): binary variable OSMPSensorViewIn: " +
					"the MIME type has OSI 3.7.0, but osi-version is 3.8.0 [OSMP-A6]"}},
		"A6 nowhere": {func(d *description) {
			d.marks[0] = strings.Replace(mark, ` osi-version="3.8.0"`, "", 1)
			d.replace(0, 3, "; version=3.8.0", "")
		}, []string{"no osi-version",
			"error: OSMPSensorViewIn.base.lo (line 2): binary variable OSMPSensorViewIn: neither " +
				"the MIME type nor osi-version names an OSI release [OSMP-A6]"}},
		"A7": {func(d *description) { d.replace(1, 2, "3.8.0", "3.7.0") },
			[]string{"error: OSMPSensorViewIn.base.hi (line 3): the MIME type is \"" + osi +
				"SensorView; version=3.7.0\", but the MIME type of OSMPSensorViewIn.base.lo is"}},
		"A8 missing": {func(d *description) { d.variables = slices.Delete(d.variables, 2, 3) },
			[]string{
				"binary variable OSMPSensorViewIn: no variable has the role size, expected one " +
					"named OSMPSensorViewIn.size [OSMP-A8]"}},
		"A8 twice": {func(d *description) { d.replace(2, 3, `role="size"`, `role="base.hi"`) },
			[]string{"2 variables have the role base.hi, expected one [OSMP-A8]",
				"no variable has the role size",
				"expected the variable to be named OSMPSensorViewIn.base.hi [OSMP-A9]"}},
		"A8 full": {func(d *description) { d.replace(2, 3, `role="size"`, `role="full"`) },
			[]string{"role full next to base.lo, base.hi or size",
				"role full, which needs the Binary variables of FMI 3.0, in FMI 2.0", "[OSMP-A9]",
				"[OSMP-B2]", "[OSMP-B7]"}},
		"A9": {func(d *description) { d.variables[lo].name = "OSMPSensorViewIn.low" },
			[]string{
				"the annotation has the name OSMPSensorViewIn and the role base.lo, expected the " +
					"variable to be named OSMPSensorViewIn.base.lo [OSMP-A9]"}},
		"A9 other name": {func(d *description) { d.replace(1, 2, "OSMPSensorViewIn", "OSMPSensorDataIn") },
			[]string{
				"error: OSMPSensorViewIn.base.hi (line 3): the annotation has the name " +
					"OSMPSensorDataIn and the role base.hi, expected the variable to be named " +
					"OSMPSensorDataIn.base.hi [OSMP-A9]"}},
		"B1": {func(d *description) { d.triple("view 1", "SensorView", "local", "discrete") },
			[]string{`"view 1" is not a structured name [OSMP-B1]`}},
		"B2 type": {func(d *description) { d.variables[lo].kind = "Real" },
			[]string{"a variable of type Real, expected Integer [OSMP-B2]"}},
		"B2 reference": {func(d *description) { d.variables[1].reference = 0 },
			[]string{
				"error: OSMPSensorViewIn.base.hi (line 3): has the valueReference 0 of " +
					"OSMPSensorViewIn.base.lo, expected three different integers [OSMP-B2]"}},
		"B6 causality": {func(d *description) { d.variables[2].causality = "output" },
			[]string{
				"output and discrete, but OSMPSensorViewIn.base.lo is input and discrete: " +
					"causality and variability have to be equal [OSMP-B6]"}},
		"B6 variability": {func(d *description) { d.variables[2].variability = "continuous" },
			[]string{"input and continuous, but"}},
		"B7 start": {func(d *description) { d.variables[lo].start = "7" },
			[]string{
				"the start value is 7, expected 0, which means that there is no data [OSMP-B7]"}},
		"B7 no start": {func(d *description) { d.variables[lo].start = "none" },
			[]string{"no start value, expected 0"}},
		"B9": {func(d *description) {
			d.variables = append(d.variables, &scalar{"OSMPSensorViewIn", "Real", "local",
				"continuous", "0", 99, "", ""})
		},
			[]string{
				"error: OSMPSensorViewIn (line 14): has the name of a binary variable, which no " +
					"variable may have [OSMP-B9]"}},
		"C1": {func(d *description) { d.variables = d.variables[:9] },
			[]string{"there is a request, but no OSMPSensorViewInConfig [OSMP-C1]"}},
		"C2": {func(d *description) { d.words(6, "parameter", "fixed") },
			[]string{"causality is parameter, expected calculatedParameter by the name [OSMP-C2]"}},
		"C2 variability": {func(d *description) {
			d.words(6, "calculatedParameter", "discrete")
			d.words(9, "parameter", "discrete")
		}, []string{"variability is discrete, expected fixed or tunable by the name [OSMP-C2]",
			"[OSMP-C3]"}},
		"C3": {func(d *description) { d.words(6, "calculatedParameter", "tunable") },
			[]string{
				"variability is tunable, but the variability of OSMPSensorViewInConfig is fixed: they have to " +
					"be equal [OSMP-C3]"}},
		"C4": {func(d *description) { d.replace(9, 12, "SensorViewConfiguration", "SensorView") },
			[]string{
				"expected application/x-open-simulation-interface; type=SensorViewConfiguration " +
					"by the name [OSMP-C4]"}},
		"D2 single": {func(d *description) {
			d.rename(3, "OSMPSensorDataOut", "OSMPSensorDataOut[1]")
		},
			[]string{
				"binary variable OSMPSensorDataOut[1]: the only one of its kind, expected no " +
					"index: OSMPSensorDataOut [OSMP-D2]"}},
		"D2 gap": {func(d *description) {
			d.rename(3, "OSMPSensorDataOut", "OSMPSensorDataOut[1]")
			d.triple("OSMPSensorDataOut[3]", "SensorData", "output", "discrete")
		},
			[]string{
				"binary variable OSMPSensorDataOut[3]: 2 variables of this kind, expected the " +
					"indices 1 to 2 without gaps: here OSMPSensorDataOut[2] [OSMP-D2]"}},
		"D2 zero": {func(d *description) {
			d.rename(3, "OSMPSensorDataOut", "OSMPSensorDataOut[0]")
			d.triple("OSMPSensorDataOut[1]", "SensorData", "output", "discrete")
		}, []string{"binary variable OSMPSensorDataOut[0]: 2 variables"}},
		"D2 bare": {func(d *description) {
			d.triple("OSMPSensorDataOut[1]", "SensorData", "output", "discrete")
		},
			[]string{"binary variable OSMPSensorDataOut: 2 variables"}},
		"D3": {func(d *description) { d.words(3, "output", "continuous") },
			[]string{"variability is continuous, expected discrete by the name [OSMP-D3]"}},
		"D4": {func(d *description) { d.replace(3, 6, "SensorData;", "SensorView;") },
			[]string{
				"expected application/x-open-simulation-interface; type=SensorData by the " +
					"name [OSMP-D4]"}},
		"G2": {func(d *description) { d.rename(0, "OSMPSensorViewIn", "View") },
			[]string{"there is no corresponding input OSMPSensorViewIn [OSMP-G2]",
				"OSMPSensorViewInConfig: there is no corresponding input"}},
		"P1 interface": {func(d *description) { d.face = "ModelExchange" },
			[]string{"no co-simulation interface, which OSMP requires [OSMP-P1]"}},
		"P3": {func(d *description) { d.convention = "flat" },
			[]string{"variableNamingConvention is flat, expected structured [OSMP-P3]"}},
		"P4": {func(d *description) { d.step = "0" },
			[]string{"warning: modelDescription.xml: no stepSize above 0"}},
		"V3": {func(d *description) { d.words(0, "local", "discrete") },
			[]string{"causality is local, expected input by the name [OSMP-V3]"}},
		"V4": {func(d *description) { d.replace(0, 3, osiMIME("SensorView"), "image/png") },
			[]string{
				`the MIME type is "image/png", expected application/x-open-simulation-interface; ` +
					`type=SensorView by the name [OSMP-V4]`}},
	} {
		t.Run(name, func(t *testing.T) {
			d := sensor()
			c.change(d)
			requireProblems(t, d, c.want)
		})
	}
}

func TestK1_K2_K3_K4_OtherKinds(t *testing.T) {
	for name, c := range map[string]struct {
		prefix, message, causality string
		want                       []string
	}{
		"causality": {"OSMPStreamingUpdateIn", "StreamingUpdate", "output",
			[]string{"causality is output, expected input by the name (OSMP 1.4.0, Streaming " +
				"update inputs) [OSMP-K1]"}},
		"message": {"OSMPTrafficUpdateOut", "TrafficCommand", "output",
			[]string{"expected application/x-open-simulation-interface; type=TrafficUpdate by " +
				"the name (OSMP 1.1.0, Traffic update outputs) [OSMP-K2]"}},
		"index": {"OSMPTrafficCommandIn[2]", "TrafficCommand", "input",
			[]string{"the only one of its kind, expected no index: OSMPTrafficCommandIn " +
				"[OSMP-K3]"}},
		"name": {"OSMPSensorViewInConfiguration", "SensorViewConfiguration", "input",
			[]string{"warning: OSMPSensorViewInConfiguration.base.lo (line 14): binary variable " +
				"OSMPSensorViewInConfiguration: a name that no OSMP release defines [OSMP-K4]"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := sensor()
			d.triple(c.prefix, c.message, c.causality, "discrete")
			requireProblems(t, d, c.want)
		})
	}
}

// words sets the causality and variability of a triple.
func (d *description) words(from int, causality, variability string) {
	for _, v := range d.variables[from : from+3] {
		v.causality, v.variability = causality, variability
		if v.start = "0"; causality == "calculatedParameter" {
			v.start = "none"
		}
	}
}

func requireProblems(t *testing.T, d *description, want []string) {
	t.Helper()
	_, r := examine(t, d.String())
	require.Len(t, r.Problems, len(want), messages(r.Problems))
	for k := range want {
		require.Contains(t, line(r.Problems[k]), want[k])
	}
}

func TestExamine_ReportsBrokenRulesOfNativeVariables(t *testing.T) {
	for name, c := range map[string]struct {
		change func(d *description)
		want   []string
	}{
		"name": {func(d *description) { d.variables[0].name = "View" },
			[]string{"expected the variable to be named OSMPSensorViewIn [OSMP-A9]"}},
		"type": {func(d *description) {
			d.variables[0].kind, d.variables[0].start = "String", "none"
		},
			[]string{"a variable of type String, expected Binary [OSMP-B2]", "[OSMP-B7]",
				"[OSMP-A7]"}},
		"start": {func(d *description) { d.variables[0].start = "00" },
			[]string{
				"the start value is 00, expected an empty one, which means that there is no " +
					"data [OSMP-B7]"}},
		"no start": {func(d *description) { d.variables[0].start = "none" },
			[]string{"no start value, expected an empty one"}},
		"MIME types": {func(d *description) { d.variables[0].mime = "application/octet-stream" },
			[]string{
				`in the annotation and "application/octet-stream" in the variable, expected the ` +
					`same [OSMP-A7]`}},
		"no mime-type": {func(d *description) {
			d.variables[0].mark = strings.Replace(d.variables[0].mark, "mime-type", "mime", 1)
		}, []string{"the annotation has no mime-type [OSMP-A3]"}},
		"twice": {func(d *description) {
			again := *d.variables[0]
			again.reference, again.name = 7, "again"
			d.variables = append(d.variables, &again)
		}, []string{"2 variables have the role full, expected one [OSMP-A8]",
			"expected the variable to be named OSMPSensorViewIn [OSMP-A9]"}},
		"forgotten": {func(d *description) { d.variables[0].mark = "" },
			[]string{
				"error: OSMPSensorViewIn (line 2): named like an OSMP binary variable, but " +
					"without its annotation [OSMP-A3]"}},
		"integers": {func(d *description) { d.triple("own", "SensorView", "local", "discrete") },
			nil},
	} {
		t.Run(name, func(t *testing.T) {
			d := sensor3()
			c.change(d)
			if name == "integers" {
				for _, v := range d.variables[2:] {
					v.kind = "UInt32"
				}
				c.want = []string{"of type UInt32, expected Int32 [OSMP-B2]", "UInt32", "UInt32"}
			}
			requireProblems(t, d, c.want)
		})
	}
}

func TestExamine_FMI1(t *testing.T) {
	_, r := examine(t,
		`<fmiModelDescription fmiVersion="1.0" modelName="M" modelIdentifier="M" guid="1" variableNamingConvention="structured">
<VendorAnnotations><Tool name="net.pmsf.osmp"><x:osmp xmlns:x="http://xsd.pmsf.net/OSISensorModelPackaging" version="0.3.0"/></Tool></VendorAnnotations>
</fmiModelDescription>`)
	require.Equal(t, "0.3.0", r.Version)
	require.Contains(t, messages(r.Problems), "FMI 1.0, expected FMI 2.0 or 3.0 [OSMP-P1]")
}

func TestExamine_Kinds(t *testing.T) {
	for want, pairs := range map[string][][2]string{
		"sensor model": {{"OSMPSensorViewIn", "input"}, {"OSMPSensorDataOut",
			"output"}},
		"logical model": {{"OSMPSensorDataIn", "input"}, {"OSMPSensorDataOut",
			"output"}},
		"environmental effect model": {{"OSMPSensorViewIn", "input"}, {"OSMPSensorViewOut",
			"output"}},
		"traffic participant model": {{"OSMPSensorViewIn", "input"}, {"OSMPTrafficCommandIn",
			"input"}, {"OSMPTrafficUpdateOut", "output"},
			{"OSMPTrafficCommandUpdateOut", "output"}},
		"streaming update consumer model": {{"OSMPStreamingUpdateIn", "input"}},
		"other model": {{"OSMPSensorViewOut", "output"},
			{"OSMPTrafficUpdateOut", "output"}},
		"none": {{"OSMPGroundTruthInit", "parameter"}},
		"mixed model": {{"OSMPSensorViewIn", "input"}, {"OSMPSensorDataOut",
			"output"}, {"OSMPTrafficUpdateOut", "output"}},
	} {
		t.Run(want, func(t *testing.T) {
			d := sensor()
			d.variables = nil
			for _, pair := range pairs {
				message := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(
					strings.TrimPrefix(pair[0], "OSMP"), "In"), "Out"), "Init")
				variability := "discrete"
				if pair[1] == "parameter" {
					variability = "fixed"
				}
				d.triple(pair[0], message, pair[1], variability)
			}
			_, r := examine(t, d.String())
			require.Empty(t, messages(r.Problems))
			require.Equal(t, want, string(r.Kind))
			if r.Kind == check.Mixed {
				require.Equal(t, []check.Kind{check.SensorModel, check.TrafficParticipant}, r.Kinds)
			} else {
				require.Equal(t, []check.Kind{r.Kind}, r.Kinds)
			}
		})
	}
}

// A message is recognized by its name if the MIME type does not identify it, and by its MIME type
// if its name is unknown.
func TestExamine_Messages(t *testing.T) {
	d := sensor()
	d.replace(0, 3, osiMIME("SensorView"), "broken")
	d.replace(3, 6, "; version=3.8.0", "")
	d.triple("camera", "x", "output", "discrete")
	d.replace(12, 15, osiMIME("x"), "image/png")
	_, r := examine(t, d.String())
	require.Equal(t, "SensorView", r.Variables[0].Message)
	require.Equal(t, "3.8.0", r.Variables[1].MessageVersion, "of osi-version")
	require.Equal(t, []string{"SensorData", "image/png"}, r.Outputs)
	require.Equal(t, check.SensorModel, r.Kind)
	require.Equal(t, finding.Error, r.Problems[0].Severity)
}

// The check accepts every kind that package osmp declares, and rejects it with another causality,
// variability or message. This includes HostVehicleData, which no release of OSMP names yet.
func TestExamine_RecognizesEveryKind(t *testing.T) {
	for _, k := range osmp.Kinds() {
		t.Run(k.Prefix, func(t *testing.T) {
			whole := func(causality, variability, message string) string {
				d := sensor()
				for n := 0; n < len(d.variables); n += 3 { // one of the sensor's own annotations
					if strings.HasPrefix(d.variables[n].name, k.Prefix+".") {
						d.variables = slices.Delete(d.variables, n, n+3)
						break
					}
				}
				d.triple(k.Prefix, message, causality, variability)
				if k.Causality == fmi.CalculatedParameter {
					for _, v := range d.variables[len(d.variables)-3:] {
						v.start = "none"
					}
				}
				_, r := examine(t, d.String())
				return messages(r.Problems)
			}
			variability := string(k.Variabilities()[0])
			require.Empty(t, whole(string(k.Causality), variability, k.Message))
			require.Contains(t, whole("local", variability, k.Message),
				"causality is local, expected "+string(k.Causality))
			require.Contains(t, whole(string(k.Causality), "continuous", k.Message),
				"variability is continuous, expected "+variability)
			require.Contains(t, whole(string(k.Causality), variability, "Wrong"), "type="+k.Message+
				" by the name")
		})
	}
}
