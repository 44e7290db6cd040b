package check_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/internal/finding"
)

// mutant is an FMU with one fault, described by pairs of old and new texts in its model
// description.
type mutant struct {
	id       string
	severity finding.Severity
	name     string
	texts    []string
}

const (
	e = finding.Error
	w = finding.Warning
	n = finding.Note
)

// mutants2 are faults in model descriptions of FMI 2.0.
var mutants2 = []mutant{
	{"FMI2-X1", e, "unknown element", []string{"<UnitDefinitions>", "<Units/><UnitDefinitions>"}},
	{"FMI2-X1", e, "unknown attribute", []string{`author="A"`, `writer="A"`}},
	{"FMI2-X1", e, "capability of FMI 3.0", []string{"canGetAndSetFMUstate", "canGetAndSetFMUState",
		"canSerializeFMUstate", "canSerializeFMUState"}},
	{"FMI2-X1", e, "order of elements",
		[]string{
			`<LogCategories><Category name="logEvents"/><Category name="own"/></LogCategories>`,
			"", "<VendorAnnotations>", `<VendorAnnotations>`, "<ModelVariables>",
			`<LogCategories><Category name="own"/></LogCategories><ModelVariables>`}},
	{"FMI2-X1", e, "not well-formed", []string{"</ModelVariables>", "</ModelVariable>"}},
	{"FMI2-X1", e, "attribute twice", []string{`author="A"`, `author="A" author="B"`}},
	{"FMI2-X1", e, "no modelName", []string{`modelName="Tank" `, ""}},
	{"FMI2-X1", e, "no guid", []string{`guid="t2" `, ""}},
	{"FMI2-X1", e, "word that is none", []string{`causality="parameter" variability="tunable"`,
		`causality="param" variability="tunable"`}},
	{"FMI2-X1", e, "boolean in capitals", []string{`canGetAndSetFMUstate="true"`,
		`canGetAndSetFMUstate="True"`, `canSerializeFMUstate="true"`, ""}},
	{"FMI2-X1", e, "two types", []string{"<Integer/>", "<Integer/><Real/>",
		`<Unknown index="8" dependencies=""/>`, "", `<Unknown index="8"/>`, ""}},
	{"FMI2-X1", e, "no type", []string{"<Integer/>", "", `<Unknown index="8" dependencies=""/>`, "",
		`<Unknown index="8"/>`, ""}},
	{"FMI2-X1", e, "text between elements", []string{"<ModelVariables>", "<ModelVariables>text"}},
	{"FMI2-X1", e, "second interface", []string{`<ModelExchange modelIdentifier="Tank"/>`,
		`<ModelExchange modelIdentifier="Tank"/><ModelExchange modelIdentifier="Tank"/>`}},
	{"FMI2-X1", e, "attribute of another namespace", []string{"<ModelVariables>",
		`<ModelVariables xmlns:a="urn:a" a:b="c">`}},
	{"FMI2-X1", e, "naming convention", []string{`"structured"`, `"tree"`}},
	{"FMI2-X1", e, "no valueReference", []string{`name="gain" valueReference="3"`, `name="gain"`}},
	{"FMI2-X2", e, "release of FMI 2.0", []string{`fmiVersion="2.0"`, `fmiVersion="2.0.5"`}},
	{"FMI2-X2", e, "FMI 4.0", []string{`fmiVersion="2.0"`, `fmiVersion="4.0"`}},
	{"FMI2-X3", e, "blank guid", []string{`guid="t2"`, `guid=" "`}},
	{"FMI2-X5", e, "no date", []string{"2026-01-02T03:04:05Z", "yesterday"}},
	{"FMI2-X5", e, "no such day", []string{"2026-01-02T03:04:05Z", "2026-02-30T03:04:05Z"}},
	{"FMI2-X5", w, "local time", []string{"2026-01-02T03:04:05Z", "2026-01-02T03:04:05+02:00"}},
	{"FMI2-X8", n, "blank generationTool", []string{`generationTool="by hand"`,
		`generationTool=" "`}},
	{"FMI2-X9", w, "annotation of a tool without a name", []string{`<Tool name="org.example">`,
		`<Tool name="">`}},
	{"FMI2-U1", w, "blank unit", []string{`<Unit name="degC">`, `<Unit name=" "/><Unit name="degC">`}},
	{"FMI2-U1", w, "blank display unit", []string{`name="mm"`, `name=""`}},
	{"FMI2-T3", w, "blank item", []string{`name="shut" value="2"`, `name="" value="2"`}},
	{"FMI2-X6", e, "empty list", []string{`<Category name="logEvents"/><Category name="own"/>`,
		""}},
	{"FMI2-X7", e, "infinite number", []string{`stopTime="2"`, `stopTime="INF"`}},
	{"FMI2-X7", e, "not a number", []string{`nominal="1"`, `nominal="one"`}},
	{"FMI2-X7", e, "number out of range", []string{`factor="1000"`, `factor="1e999"`}},
	{"FMI2-X7", e, "decimals in a list", []string{`dependencies="2 3 5"`, `dependencies="2 3.5"`}},
	{"FMI2-V1", e, "second independent variable",
		[]string{`name="gain" valueReference="3" causality="parameter" variability="fixed">` +
			`<Real start="1" nominal="1"/>`, `name="gain" valueReference="3" ` +
			`causality="independent" variability="continuous"><Real/>`, `dependencies="2 3 5"`,
			`dependencies="2 3"`, `<Unknown index="6" dependencies="5"/>`, `<Unknown index="6"/>`}},
	{"FMI2-V2", e, "continuous integer",
		[]string{`valueReference="0" causality="output" variability="discrete"><Integer/>`,
			`valueReference="0" causality="output"><Integer/>`}},
	{"FMI2-V2", e, "discrete parameter", []string{`causality="parameter" variability="tunable"`,
		`causality="parameter" variability="discrete"`}},
	{"FMI2-V2", e, "fixed input", []string{`causality="input" variability="continuous"`,
		`causality="input" variability="fixed"`}},
	{"FMI2-V2", e, "calculated parameter that is exact", []string{`initial="calculated"><Real/>`,
		`initial="exact"><Real start="1"/>`, `<Unknown index="6" dependencies="5"/>`,
		`<Unknown index="6"/>`}},
	{"FMI2-V3", e, "input without start", []string{`<Real start="1" min="-3" max="3" unit="m/s"/>`,
		`<Real min="-3" max="3" unit="m/s"/>`}},
	{"FMI2-V3", e, "parameter without start", []string{`<String start="tank"/>`, `<String/>`}},
	{"FMI2-V3", e, "calculated with start", []string{`<Real derivative="3" unit="m/s"/>`,
		`<Real derivative="3" unit="m/s" start="1"/>`}},
	{"FMI2-V3", e, "time with start",
		[]string{`causality="independent" variability="continuous"><Real/>`,
			`causality="independent" variability="continuous"><Real start="0"/>`}},
	{"FMI2-V3", e, "constant without start", []string{`<Real start="3.14"/>`, `<Real/>`,
		`<Real start="3.14"/>`, `<Real/>`}},
	{"FMI2-V4", e, "input with initial", []string{`causality="input" variability="continuous"`,
		`causality="input" variability="continuous" initial="exact"`}},
	{"FMI2-V5", e, "decimal integer", []string{`variability="discrete"><Integer/>`,
		`variability="discrete" initial="exact"><Integer start="1.5"/>`, `<Unknown index="8"/>`,
		""}},
	{"FMI2-V5", e, "hexadecimal number", []string{`<Real start="1" nominal="1"/>`,
		`<Real start="0x10" nominal="1"/>`}},
	{"FMI2-V5", e, "boolean in words", []string{`<Boolean start="true"/>`,
		`<Boolean start="yes"/>`}},
	{"FMI2-V5", e, "empty number", []string{`<Real start="1" nominal="1"/>`,
		`<Real start="" nominal="1"/>`}},
	{"FMI2-V6", w, "start above the maximum of the type",
		[]string{`<Real start="2" declaredType="Height"`, `<Real start="6" declaredType="Height"`}},
	{"FMI2-V6", w, "minimum above maximum", []string{`min="-3" max="3"`, `min="3" max="-3"`}},
	{"FMI2-V6", w, "bounds of a type", []string{`<Real unit="m" min="0" max="5"/>`,
		`<Real unit="m" min="9" max="5"/>`, `declaredType="Height"`, `unit="m"`}},
	{"FMI2-V7", e, "no item", []string{`declaredType="Valve" start="2"`,
		`declaredType="Valve" start="3"`}},
	{"FMI2-V8", e, "name twice", []string{`name="area"`, `name="gain"`}},
	{"FMI2-V8", e, "blank name", []string{`name="area"`, `name=" "`}},
	{"FMI2-V10", e, "valueReference below 0", []string{`name="gain" valueReference="3"`,
		`name="gain" valueReference="-3"`}},
	{"FMI2-V10", e, "valueReference of 33 bits", []string{`name="gain" valueReference="3"`,
		`name="gain" valueReference="4294967296"`}},
	{"FMI2-V11", e, "two inputs of one reference", []string{`name="gain" valueReference="3"`,
		`name="gain" valueReference="0"`, `<Real start="1" nominal="1"/>`,
		`<Real start="1" unit="m/s"/>`}},
	{"FMI2-V11", e, "constants that differ", []string{`<Real start="3.14"/>`,
		`<Real start="3.15"/>`}},
	{"FMI2-V12", e, "unit of an alias", []string{`variability="continuous"><Real unit="m"/>`,
		`variability="continuous"><Real unit="m/s"/>`}},
	{"FMI2-V12", e, "bounds of an alias", []string{`variability="continuous"><Real unit="m"/>`,
		`variability="continuous"><Real unit="m" min="7"/>`}},
	{"FMI2-V13", e, "derivative of nothing", []string{`derivative="3"`, `derivative="99"`,
		`dependencies="3" dependenciesKind="constant"`, `dependencies="2"`,
		`dependencies="2 3" dependenciesKind="dependent fixed"`, `dependencies="2"`}},
	{"FMI2-V13", e, "derivative of itself", []string{`derivative="3"`, `derivative="4"`,
		`dependencies="3" dependenciesKind="constant"`, `dependencies="2"`,
		`dependencies="2 3" dependenciesKind="dependent fixed"`, `dependencies="2"`}},
	{"FMI2-V14", e, "name with a blank", []string{`name="area"`, `name="the area"`}},
	{"FMI2-V14", e, "name that begins with a digit", []string{`name="area"`, `name="2area"`}},
	{"FMI2-V14", e, "open bracket", []string{`name="steps[1]"`, `name="steps[1"`}},
	{"FMI2-V15", e, "flag of an output", []string{`name="area"`,
		`name="area" canHandleMultipleSetPerTimeInstant="false"`}},
	{"FMI2-V17", e, "unit that is not defined", []string{`<Real start="1" nominal="1"/>`,
		`<Real start="1" unit="kg"/>`}},
	{"FMI2-V17", e, "display unit that is not defined", []string{`displayUnit="cm"`,
		`displayUnit="km"`}},
	{"FMI2-V17", e, "type that is not defined", []string{`<Real start="1" nominal="1"/>`,
		`<Real start="1" declaredType="Hight"/>`}},
	{"FMI2-V17", e, "type of another kind", []string{`<Real start="1" nominal="1"/>`,
		`<Real start="1" declaredType="Valve"/>`}},
	{"FMI2-V17", e, "unit of a type", []string{`<Real unit="m" min="0" max="5"/>`,
		`<Real unit="yard" min="0" max="5"/>`, `declaredType="Height" displayUnit="cm"`,
		`unit="m"`}},
	{"FMI2-V18", n, "nominal value of 0", []string{`nominal="1"`, `nominal="0"`}},
	{"FMI2-U1", e, "unit twice", []string{`<Unit name="degC">`,
		`<Unit name="m"/><Unit name="degC">`}},
	{"FMI2-U1", e, "display unit twice", []string{`name="mm"`, `name="cm"`}},
	{"FMI2-U1", e, "factor of 0", []string{`factor="1000"`, `factor="0"`}},
	{"FMI2-U2", w, "wrong metre per second", []string{`<BaseUnit m="1" s="-1"/>`,
		`<BaseUnit m="1" s="-2"/>`}},
	{"FMI2-U2", w, "centimetres that multiply", []string{`factor="100"`, `factor="0.01"`}},
	{"FMI2-U2", w, "degrees that multiply", []string{`<Unit name="degC">`, `<Unit name="rad">` +
		`<BaseUnit/><DisplayUnit name="deg" factor="0.0174533"/></Unit><Unit name="degC">`}},
	{"FMI2-U2", w, "degrees without offset", []string{`<BaseUnit K="1" offset="273.15"/>`,
		`<BaseUnit K="1"/>`}},
	{"FMI2-T1", e, "type twice", []string{`<SimpleType name="Valve">`, `<SimpleType name="Height">`,
		`<Enumeration declaredType="Valve" start="2"/>`, `<Integer start="2"/>`,
		`declaredType="Height" displayUnit="cm"`, `unit="m"`}},
	{"FMI2-T3", e, "item twice", []string{`name="shut" value="2"`, `name="open" value="2"`}},
	{"FMI2-T3", e, "value twice", []string{`name="shut" value="2"`, `name="shut" value="1"`, `start="2"/></ScalarVariable>
    <ScalarVariable name="on"`, `start="1"/></ScalarVariable>
    <ScalarVariable name="on"`}},
	{"FMI2-T4", e, "type named like a variable", []string{`<SimpleType name="Height">`,
		`<SimpleType name="gain">`, `declaredType="Height" displayUnit="cm"`, `unit="m"`}},
	{"FMI2-L1", e, "log category twice", []string{`name="own"`, `name="logEvents"`}},
	{"FMI2-L1", e, "blank log category", []string{`name="own"`, `name=" "`}},
	{"FMI2-L1", n, "log category misspelt", []string{`name="logEvents"`, `name="logEvent"`}},
	{"FMI2-E1", w, "stop before start", []string{`stopTime="2"`, `stopTime="-2"`}},
	{"FMI2-E1", w, "tolerance of 0", []string{`tolerance="1e-4"`, `tolerance="0"`}},
	{"FMI2-E1", w, "step below 0", []string{`stepSize="0.1"`, `stepSize="-0.1"`}},
	{"FMI2-M1", e, "output that is not there", []string{`<Unknown index="8" dependencies=""/>`,
		`<Unknown index="88"/>`}},
	{"FMI2-M1", e, "dependency that is not there", []string{`dependencies="2 3 5"`,
		`dependencies="2 3 55"`}},
	{"FMI2-M1", e, "index 0", []string{`<Unknown index="8" dependencies=""/>`,
		`<Unknown index="0"/>`}},
	{"FMI2-M2", e, "output that is not listed", []string{`<Unknown index="8" dependencies=""/>`,
		""}},
	{"FMI2-M2", e, "local variable among the outputs",
		[]string{`<Unknown index="8" dependencies=""/>`,
			`<Unknown index="8"/><Unknown index="7"/>`}},
	{"FMI2-M3", e, "output twice", []string{`<Unknown index="8" dependencies=""/>`,
		`<Unknown index="8"/><Unknown index="8"/>`}},
	{"FMI2-M3", e, "order of initial unknowns",
		[]string{`<Unknown index="6" dependencies="5"/><Unknown index="8"/>`,
			`<Unknown index="8"/><Unknown index="6"/>`}},
	{"FMI2-M4", e, "calculated parameter that is not listed",
		[]string{`<Unknown index="6" dependencies="5"/>`, ""}},
	{"FMI2-M4", e, "parameter among the initial unknowns",
		[]string{`<Unknown index="6" dependencies="5"/>`,
			`<Unknown index="5"/><Unknown index="6"/>`}},
	{"FMI2-M5", e, "derivative of no state", []string{`<Real derivative="3" unit="m/s"/>`,
		`<Real unit="m/s"/>`, `dependencies="3" dependenciesKind="constant"`, `dependencies="2"`,
		`dependencies="2 3" dependenciesKind="dependent fixed"`, `dependencies="2"`}},
	{"FMI2-M5", e, "derivative of no state that is not an initial unknown",
		[]string{`<Real derivative="3" unit="m/s"/>`, `<Real unit="m/s"/>`,
			`dependencies="3" dependenciesKind="constant"`, `dependencies="2"`,
			`dependencies="2 3" dependenciesKind="dependent fixed"`, `dependencies="2"`,
			`<Unknown index="4" dependencies="2 3 5"/>`, ""}},
	{"FMI2-M6", e, "kind without dependencies",
		[]string{`dependencies="3" dependenciesKind="constant"`, `dependenciesKind="constant"`}},
	{"FMI2-M6", e, "kind that is none", []string{`dependenciesKind="constant"`,
		`dependenciesKind="linear"`}},
	{"FMI2-M6", e, "kind of an initial unknown", []string{`<Unknown index="6" dependencies="5"/>`,
		`<Unknown index="6" dependencies="5" dependenciesKind="fixed"/>`}},
	{"FMI2-M7", e, "output that depends on another",
		[]string{`<Unknown index="8" dependencies=""/>`, `<Unknown index="8" dependencies="4"/>`}},
	{"FMI2-M7", e, "initial unknown that depends on one",
		[]string{`<Unknown index="6" dependencies="5"/>`, `<Unknown index="6" dependencies="4"/>`}},
	{"FMI2-C1", e, "serialized states that cannot be got", []string{`canGetAndSetFMUstate="true" `,
		""}},
	{"FMI2-D5", e, "source file that is not there", []string{`<File name="tank.c"/>`,
		`<File name="tank.c"/><File name="gone.c"/>`}},
	{"FMI2-Z5", e, "other encoding", []string{`encoding="UTF-8"`, `encoding="ISO-8859-1"`}},
}

// mutants3 are faults in model descriptions of FMI 3.0.
var mutants3 = []mutant{
	{"FMI3-X1", e, "attribute of FMI 2.0", []string{`instantiationToken="t3"`,
		`instantiationToken="t3" guid="t3"`}},
	{"FMI3-X2", e, "no interface",
		[]string{`<CoSimulation modelIdentifier="Tank" ` +
			`canHandleVariableCommunicationStepSize="true" hasEventMode="true" ` +
			`canGetAndSetFMUState="true" canSerializeFMUState="true" ` +
			`providesIntermediateUpdate="true" mightReturnEarlyFromDoStep="true"/>`, ""}},
	{"FMI3-X2", e, "version", []string{`fmiVersion="3.0"`, `fmiVersion="3.0.x"`}},
	{"FMI3-X2", e, "a release to come", []string{`fmiVersion="3.0"`, `fmiVersion="3.1"`}},
	{"FMI3-X3", e, "blank token", []string{`instantiationToken="t3"`, `instantiationToken=""`}},
	{"FMI3-X9", w, "annotation without a domain", []string{`type="org.example.mark"`,
		`type="mark"`}},
	{"FMI3-X9", w, "blank annotation", []string{`type="org.example.mark"`, `type=""`}},
	{"FMI3-X9", w, "annotation twice", []string{"</Annotation></Annotations>",
		`</Annotation><Annotation type="org.example.mark"/></Annotations>`}},
	{"FMI3-V1", e, "no independent variable",
		[]string{`<Float64 name="time" valueReference="0" causality="independent" ` +
			`variability="continuous"/>`, ""}},
	{"FMI3-V2", e, "structural parameter that is discrete",
		[]string{`causality="structuralParameter"`,
			`causality="structuralParameter" variability="discrete"`}},
	{"FMI3-V3", e, "input without start", []string{`<Start value="00ff"/>`, ""}},
	{"FMI3-V3", e, "text without start", []string{`<Start value="tank"/>`, ""}},
	{"FMI3-V4", e, "calculated input", []string{`causality="input" start="1"`,
		`causality="input" initial="calculated" start="1"`}},
	{"FMI3-V5", e, "odd hexadecimal digits", []string{`<Start value="00ff"/>`,
		`<Start value="00f"/>`}},
	{"FMI3-V5", e, "number of 9 bits",
		[]string{`<UInt8 name="small" valueReference="12" causality="output"/>`,
			`<UInt8 name="small" valueReference="12" causality="output" ` +
				`initial="exact" start="256"/>`,
			`<InitialUnknown valueReference="12" dependencies="1"/>`, ""}},
	{"FMI3-V5", e, "number too large for Float32", []string{"</ModelVariables>",
		`<Float32 name="single" valueReference="99" causality="parameter" variability="fixed" ` +
			`start="1e40"/></ModelVariables>`}},
	{"FMI3-V8", e, "alias named like a variable", []string{`<Alias name="level.copy"`,
		`<Alias name="label"`}},
	{"FMI3-V9", e, "too few start values", []string{`start="1 2 3 4 5 6"`, `start="1 2 3 4 5"`}},
	{"FMI3-V9", e, "size by a variable", []string{`<Dimension valueReference="4"/>`,
		`<Dimension valueReference="7"/>`}},
	{"FMI3-V9", e, "size that is not there", []string{`<Dimension valueReference="4"/>`,
		`<Dimension valueReference="44"/>`}},
	{"FMI3-V9", e, "size of 0", []string{`<Dimension start="2"/>`, `<Dimension start="0"/>`}},
	{"FMI3-V9", e, "structural size of 0", []string{`causality="structuralParameter" start="3"`,
		`causality="structuralParameter" start="0"`}},
	{"FMI3-V9", e, "structural parameter that is an array", []string{
		`causality="structuralParameter" start="3"/>`,
		`causality="structuralParameter" start="3"><Dimension start="1"/></UInt64>`}},
	{"FMI3-V9", e, "two sizes in one", []string{`<Dimension start="2"/>`,
		`<Dimension start="2" valueReference="4"/>`}},
	{"FMI3-V9", e, "several values of a scalar", []string{`start="2" declaredType="Height"`,
		`start="2 3" declaredType="Height"`}},
	{"FMI3-V10", e, "valueReference twice", []string{`name="on" valueReference="13"`,
		`name="on" valueReference="12"`}},
	{"FMI3-V13", e, "derivative of an integer", []string{`derivative="2"`, `derivative="4"`,
		`<ContinuousStateDerivative valueReference="3" dependencies="1 2"/>`,
		`<ContinuousStateDerivative valueReference="3" dependencies="1"/>`, `dependencies="2"`,
		`dependencies="1"`}},
	{"FMI3-V15", e, "previous of another type", []string{`previous="8"`, `previous="2"`}},
	{"FMI3-V15", e, "previous without clock", []string{`clocks="6" previous="8"`, `previous="8"`}},
	{"FMI3-V15", e, "previous without clock, not listed", []string{`clocks="6" previous="8"`,
		`previous="8"`, `<ClockedState valueReference="7"/>`, ""}},
	{"FMI3-V16", w, "no MIME type", []string{`mimeType="image/png"`, `mimeType="picture"`}},
	{"FMI3-V16", w, "start value that is too long", []string{`maxSize="4"`, `maxSize="1"`}},
	{"FMI3-V17", e, "display unit of an alias", []string{`displayUnit="1/m"`, `displayUnit="cm"`}},
	{"FMI3-U1", e, "inverse with offset", []string{`inverse="true"`, `inverse="true" offset="1"`}},
	{"FMI3-L1", n, "category that FMI 3.0 has removed", []string{`name="logEvents"`,
		`name="logAll"`}},
	{"FMI3-E2", n, "step that does not fit the solver", []string{`hasEventMode="true"`,
		`hasEventMode="true" fixedInternalStepSize="0.03"`}},
	{"FMI3-M1", e, "reference that is not there",
		[]string{`<Output valueReference="2" dependencies="2"/>`, `<Output valueReference="22"/>`}},
	{"FMI3-M2", e, "output that is not listed",
		[]string{`<Output valueReference="2" dependencies="2"/>`, ""}},
	{"FMI3-M4", e, "parameter among the initial unknowns",
		[]string{`<InitialUnknown valueReference="3"/>`,
			`<InitialUnknown valueReference="3"/><InitialUnknown valueReference="5"/>`}},
	{"FMI3-M5", e, "clocked state that is not listed",
		[]string{`<ClockedState valueReference="7"/>`, ""}},
	{"FMI3-M6", e, "kind of an initial unknown",
		[]string{`<InitialUnknown valueReference="12" dependencies="1"/>`,
			`<InitialUnknown valueReference="12" dependencies="1" dependenciesKind="discrete"/>`}},
	{"FMI3-C1", e, "early return without updates", []string{`providesIntermediateUpdate="true"`,
		`canReturnEarlyAfterIntermediateUpdate="true"`, ` intermediateUpdate="true"`, ""}},
	{"FMI3-C1", e, "dependencies of elements without arrays", []string{`hasEventMode="true"`,
		`hasEventMode="true" providesPerElementDependencies="true"`, `start="1 2 3 4 5 6">` +
			`<Dimension start="2"/><Dimension valueReference="4"/></Float64>`, `start="1"/>`}},
	{"FMI3-C1", e, "internal step of 0", []string{`hasEventMode="true"`,
		`hasEventMode="true" fixedInternalStepSize="0"`}},
	{"FMI3-C4", e, "clock without Event Mode", []string{`hasEventMode="true" `, ""}},
	{"FMI3-C4", e, "clocks that are none", []string{`start="0" clocks="6" previous="8"`,
		`start="0" clocks="7" previous="8"`}},
	{"FMI3-C4", e, "clock of itself", []string{`intervalVariability="constant"`,
		`intervalVariability="constant" clocks="6"`}},
	{"FMI3-C4", e, "no clocks", []string{`start="0" clocks="6" previous="8"`,
		`start="0" clocks="6" previous="8"`, `name="label" valueReference="11"`,
		`name="label" valueReference="11" clocks="" variability="tunable"`}},
	{"FMI3-C4", e, "continuous variable with a clock", []string{
		`name="der(level)" valueReference="3"`, `name="der(level)" valueReference="3" clocks="6"`}},
	{"FMI3-C4", e, "priority of an output clock", []string{`name="tick" valueReference="6" ` +
		`causality="input" intervalVariability="constant" intervalDecimal="0.1"`,
		`name="tick" valueReference="6" causality="output" ` +
			`intervalVariability="triggered" priority="1"`,
		`<Output valueReference="2"`, `<Output valueReference="6"/><Output valueReference="2"`}},
	{"FMI3-C4", e, "constant clock without interval", []string{`intervalDecimal="0.1"`, ""}},
	{"FMI3-C4", e, "output clock with an interval", []string{`name="tick" valueReference="6" ` +
		`causality="input"`, `name="tick" valueReference="6" causality="output"`,
		`<Output valueReference="2"`, `<Output valueReference="6"/><Output valueReference="2"`}},
	{"FMI3-C4", e, "local clock with an interval", []string{`name="tick" valueReference="6" ` +
		`causality="input"`, `name="tick" valueReference="6" causality="local"`}},
	{"FMI3-C4", e, "counter without resolution", []string{`intervalDecimal="0.1"`,
		`intervalDecimal="0.1" intervalCounter="1"`}},
	{"FMI3-C4", e, "counter of 0", []string{`intervalDecimal="0.1"`,
		`intervalDecimal="0.1" supportsFraction="true" intervalCounter="0" resolution="10"`}},
	{"FMI3-C4", e, "two intervals", []string{`intervalDecimal="0.1"`,
		`intervalDecimal="0.1" supportsFraction="true" intervalCounter="2" resolution="10"`}},
	{"FMI3-C4", e, "two shifts", []string{`intervalDecimal="0.1"`,
		`intervalDecimal="0.1" shiftDecimal="0.05" supportsFraction="true" intervalCounter="1" ` +
			`resolution="10"`}},
	{"FMI3-C4", e, "shift without interval", []string{`"constant" intervalDecimal="0.1"`,
		`"fixed" shiftDecimal="1"`}},
	{"FMI3-C4", e, "fraction of a shift without interval", []string{`intervalDecimal="0.1"`,
		`intervalDecimal="0.1" supportsFraction="true" resolution="10" shiftCounter="1"`}},
	{"FMI3-C4", e, "shift below 0", []string{`intervalDecimal="0.1"`,
		`intervalDecimal="0.1" shiftDecimal="-1"`}},
	{"FMI3-V2", e, "clock that is a parameter", []string{`valueReference="6" causality="input"`,
		`valueReference="6" causality="parameter"`}},
	{"FMI3-C5", w, "early return with fixed steps",
		[]string{`canHandleVariableCommunicationStepSize="true" `, ""}},
	{"FMI3-C5", w, "intermediate update that is not provided",
		[]string{` providesIntermediateUpdate="true"`, ""}},
}

// mutants1 are faults in model descriptions of FMI 1.0.
var mutants1 = []mutant{
	{"FMI1-X1", e, "number of states", []string{`numberOfContinuousStates="0" `, ""}},
	{"FMI1-X1", e, "attribute of FMI 2.0", []string{`causality="input"`,
		`causality="input" initial="exact"`}},
	{"FMI1-V5", e, "start value", []string{`start="0"/>`, `start="zero"/>`}},
	{"FMI1-V8", e, "name twice", []string{`name="inflow"`, `name="level"`}},
	{"FMI1-V17", e, "type that is not defined", []string{`declaredType="Height"`,
		`declaredType="Hight"`}},
	{"FMI1-U1", e, "gain of 0", []string{`gain="100"`, `gain="0"`}},
	{"FMI1-V3", e, "fixed without start", []string{`<Real declaredType="Height"/>`,
		`<Real declaredType="Height" fixed="true"/>`}},
	{"FMI1-M7", e, "direct dependency on nothing", []string{`<Real declaredType="Height"/>`,
		`<Real declaredType="Height"/><DirectDependency><Name>flow</Name></DirectDependency>`}},
	{"FMI1-M7", e, "direct dependency on an output", []string{`<Real declaredType="Height"/>`,
		`<Real declaredType="Height"/><DirectDependency><Name>level</Name></DirectDependency>`}},
	{"FMI1-E1", w, "stop before start", []string{`stopTime="1"`, `stopTime="-1"`}},
}

// TestRead_EachMutantOfADescription checks that a fault in a model description is reported by its
// own rule, at its place, and by no other rule.
func TestRead_EachMutantOfADescription(t *testing.T) {
	for v, list := range map[fmi.Version][]mutant{fmi.FMI1: mutants1, fmi.FMI2: mutants2,
		fmi.FMI3: mutants3} {
		for _, m := range list {
			t.Run(m.id+" "+m.name, func(t *testing.T) {
				f := base(t, v)
				f.replace(t, description, m.texts...)
				export(t, m, f)
				requireOnly(t, m.id, m.severity, f)
			})
		}
	}
}

// requireOnly requires that all findings belong to one rule and have a clause.
func requireOnly(t *testing.T, id string, s finding.Severity, f *fmu) {
	t.Helper()
	list := f.check(t)
	require.NotEmpty(t, list)
	for _, found := range list {
		require.Equal(t, id, found.ID, texts(list))
		require.NotEmpty(t, found.Clause, texts(list))
	}
	require.Equal(t, s, list[0].Severity, texts(list))
}

// export writes a mutant to the folder named in GOSMP_MUTANTS, for use by other programs.
func export(t *testing.T, m mutant, f *fmu) {
	t.Helper()
	folder := os.Getenv("GOSMP_MUTANTS")
	if folder == "" {
		return
	}
	name := strings.ReplaceAll(m.id+" "+m.name+".fmu", " ", "_")
	require.NoError(t, os.WriteFile(filepath.Join(folder, name), f.bytes(t), 0o600))
	index, err := os.OpenFile(filepath.Join(folder, "mutants.csv"),
		os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	out := csv.NewWriter(index)
	require.NoError(t, out.Write([]string{name, m.id, m.severity.String(), m.name}))
	out.Flush()
	require.NoError(t, out.Error())
	require.NoError(t, index.Close())
}
