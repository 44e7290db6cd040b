package examine_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/importer/examine"
	"gosmp/internal/finding"
)

func run(t *testing.T, fmu string, o examine.Options) *examine.Report {
	t.Helper()
	if o.Time == 0 { // on a busy machine, the default would end some examinations early
		o.Time = time.Hour
	}
	var reported finding.List
	o.Found = func(f finding.Finding) { reported = append(reported, f) }
	r, err := examine.Examine(context.Background(), fmu, o)
	require.NoError(t, err)
	require.ElementsMatch(t, r.Findings(), reported, "each finding is reported once, as it is")
	require.Empty(t, r.Mistakes(), "faults of the examiner itself")
	return r
}

// fault is an FMU with one fault: the flag that plants the fault, the rule that it breaks, and the
// rules that it may also break.
type fault struct {
	flags, rule string
	severity    finding.Severity
	may         string
	change      []string // of the model description
}

const (
	e = finding.Error
	w = finding.Warning
)

var faults2 = []fault{
	{"-DVERSION", "FMI2-R1", e, "", nil},
	{"-DTIRED", "FMI2-R2", e, "", nil},
	{"-DJEALOUS", "FMI2-R18", w, "FMI2-Q6", nil},
	{"-DOUTLIVES", "FMI2-Q3", w, "FMI2-R15 FMI2-Q1", nil},
	{"-DOSMP -DLATESTAMP", "OSMP-O1", w, "OSMP-T1", nil},
	{"-DSTATUS", "FMI2-S6", e, "FMI2-R2", nil},
	{"-DFREEFRESH", "FMI2-R3", e, "", nil},
	{"-DONCE", "FMI2-R4", e, "", nil},
	{"-DSTATIC", "FMI2-R5", e, "FMI2-R6 FMI2-R9 FMI2-R10 FMI2-R18 FMI2-R23", nil},
	{"-DRESET", "FMI2-R6", e, "", nil},
	{"-DONETHREAD", "FMI2-R7", w, "FMI2-Q10 FMI2-R23", nil},
	{"-DDANGLES", "FMI2-R8", e, "FMI2-R9 FMI2-R10", nil},
	{"-DFORGETSX", "FMI2-R9", e, "FMI2-R10", nil},
	{"-DPOINTERS", "FMI2-R10", e, "FMI2-I9 FMI2-Q1", nil},
	{"-DCLOCK", "FMI2-R12", w, "", nil},
	{"-DDEPENDS", "FMI2-R13", e, "", nil},
	{"-DOUTLIVES", "FMI2-R15", e, "FMI2-Q1 FMI2-Q3", nil},
	{"-DNOTEXT", "FMI2-R16", e, "", nil},
	{"-DKEEPSTEXT", "FMI2-R17", e, "FMI2-R5 FMI2-R6 FMI2-R9 FMI2-R10 FMI2-Q8", nil},
	{"-DENDSATEND", "FMI2-R19", e, "FMI2-R2", nil},
	{"-DSTARTZERO", "FMI2-S1", w, "", nil},
	{"-DSTRICT", "FMI2-S2", e, "FMI2-S1 FMI2-R11", nil},
	{"-DEXACTSTOP", "FMI2-S3", w, "FMI2-S2", nil},
	{"-DFIXED", "FMI2-S4", e, "", nil},
	{"-DSLOWER", "FMI2-S9", w, "", nil},
	{"-DLIMITS", "FMI2-S10", w, "", nil},
	{"-DNOTNUMBER", "FMI2-S11", e, "", nil},
	{"-DMAXIMUM", "FMI2-V20", w, "", nil},
	{"-DCHATTY", "FMI2-G1", w, "FMI2-G7", nil},
	{"-DCATEGORY", "FMI2-G2", e, "", nil},
	{"-DREMEMBERS", "FMI2-G3", w, "", nil},
	{"-DSPEECHLESS", "FMI2-G4", w, "", nil},
	{"-DLASTWORD", "FMI2-G5", e, "FMI2-R15 FMI2-Q1 FMI2-Q3 FMI2-G1 FMI2-G6", nil},
	{"-DLENIENT", "FMI2-I1", w, "", nil},
	{"-DANYSTEP", "FMI2-I2", w, "", nil},
	{"-DNOSTOP", "FMI2-I3", w, "", nil},
	{"-DANYTOKEN", "FMI2-I4", w, "", nil},
	{"-DUNKNOWN", "FMI2-I5", e, "", nil},
	{"-DSETSOUTPUT", "FMI2-I5", e, "", nil},
	{"-DSTAYSBROKEN", "FMI2-I7", w, "", nil},
	{"-DNULLCRASH", "FMI2-I8", w, "", nil},
	{"-DODDPATH", "FMI2-I8", w, "", nil},
	{"-DTRUSTS", "FMI2-I9", w, "", nil},
	{"-DLEAK", "FMI2-Q1", w, "", nil},
	{"-DSTEPLEAK", "FMI2-Q1", w, "", nil},
	{"-DSHARES", "FMI2-Q1", w, "", nil},
	{"-DUNJOINED", "FMI2-Q1", w, "", nil},
	{"-DKEYS", "FMI2-Q1", w, "", nil},
	{"-DDESCRIPTORS", "FMI2-Q2", w, "", nil},
	{"-DCHILDREN", "FMI2-Q4", w, "", nil},
	{"-DFILES", "FMI2-Q5", w, "", nil},
	{"-DLOCALE", "FMI2-Q6", e, "", nil},
	{"-DHANDLER", "FMI2-Q6", w, "", nil},
	{"-DFAST", "FMI2-Q7", w, "", nil},
	{"-DOVERRUN", "FMI2-Q8", e, "FMI2-R2", nil},
	{"-DCONSTANTS", "FMI2-Q9", e, "", nil},
	{"-DDEEP", "FMI2-Q10", w, "", nil},
	{"-DSTARTS", "FMI2-V21", e, "", nil},
	{"-DDRIFTS", "FMI2-V22", e, "", nil},
	{"-DFROZEN", "FMI2-V23", e, "", withTime},
	{"-DLATETIME", "FMI2-V23", e, "", withTime},
	{"-DSEQUENCE", "FMI2-R20", e, "FMI2-I5", nil},
	{"-DREADSTEP", "FMI2-R21", e, "FMI2-R20 FMI2-R13", nil},
	{"-DDEAF", "FMI2-R22", e, "", nil},
	{"-DSCRATCH", "FMI2-R23", w, "", nil},
	{"-DTABLE", "FMI2-R4", w, "", nil},
	{"-DKEEPSINPUT", "FMI2-R6", e, "", nil},
	{"-DLATESTATE", "FMI2-R8", e, "", nil},
	{"-DONESTATE", "FMI2-R9", e, "FMI2-Q1", nil},
	{"-DUSESSTOP", "FMI2-S1", e, "", nil},
	{"-DUSESTOLERANCE", "FMI2-S1", e, "", nil},
	{"-DTRUTH", "FMI2-V20", e, "FMI2-R22 FMI2-V21", nil},
	{"", "FMI2-V20", e, "", withItems},
	{"", "FMI2-C7", e, "", []string{`canNotUse`, `canInterpolateInputs="true" canNotUse`}},
	{"", "FMI2-C7", e, "", []string{`canNotUse`, `maxOutputDerivativeOrder="1" canNotUse`}},
	{"-DSTRAY", "FMI2-G6", e, "", nil},
	{"-DNAMELESS", "FMI2-G6", w, "", nil},
	{"-DSTUCK", "FMI2-G7", w, "", nil},
	{"-DLONGNAME", "FMI2-I10", e, "FMI2-Q1", nil},
	{"-DLONGTEXT", "FMI2-I10", e, "", nil},
	{"-DLONGPATH", "FMI2-I10", e, "FMI2-I8 FMI2-Q1", nil},
	{"-DPERCENTS", "FMI2-I10", e, "FMI2-G4", nil},
	{"-DHOMELESS", "FMI2-I11", w, "", nil},
	{"-DSTATELEAK", "FMI2-Q1", w, "", nil},
	{"-DTEXTLEAK", "FMI2-Q1", w, "", nil},
	{"-DRESOURCES", "FMI2-Q5", w, "FMI2-I8", nil},
	{"-DCLOSES", "FMI2-Q6", e, "", nil},
	{"-DALARM", "FMI2-Q6", w, "", nil},
	{"-DMASKS", "FMI2-Q6", w, "", nil},
	{"-DRENAMES", "FMI2-Q6", w, "", nil},
	{"-DTHREADLOCALE", "FMI2-Q6", w, "", nil},
	{"-DORPHANED", "FMI2-Q6", w, "", nil},
	{"-DADOPTS", "FMI2-Q6", w, "", nil},
	{"-DSIGNALSTACK", "FMI2-Q6", w, "", nil},
	{"-DBORROWS", "FMI2-Q12", e, "", nil},
	{"-DBORROWS -DFORGETS", "FMI2-Q12", w, "FMI2-Q1", usingMemory},
	{"-DBORROWS -DMIXES", "FMI2-Q12", e, "", usingMemory},
	{"-DREACHES", "FMI2-Q11", finding.Note, "", nil},
	{"-DFINISHES=2", "FMI2-Q12", e, "", usingMemory},
	{"-DOSMP -DNOBASE", "OSMP-B8", e, "", nil},
	{"-DOSMP -DOLDONLY", "OSMP-V5", e, "", nil},
	{"-DOSMP -DLATEREAD", "OSMP-V7", e, "OSMP-B8", nil},
	{"-DOSMP -DSCRIBBLES", "OSMP-V8", e, "", nil},
	{"-DOSMP -DZEROENDED", "OSMP-V8", e, "OSMP-V7 OSMP-V5 OSMP-D5 OSMP-D7 OSMP-G3 OSMP-B8", nil},
	{"-DOSMP -DCREDULOUS", "OSMP-G3", e, "", nil},
	{"-DOSMP -DGARBLED", "OSMP-D5", e, "", nil},
	{"-DOSMP -DINVALID", "OSMP-D6", w, "", nil},
	{"-DOSMP -DMISCOUNTS", "OSMP-D6", w, "", withCount},
	{"-DOSMP -DOLDVERSION", "OSMP-A2", w, "", nil},
	{"-DOSMP -DLATESTAMP", "OSMP-T1", w, "OSMP-O1", nil},
	{"-DOSMP -DOVERFLOWS", "OSMP-T1", w, "OSMP-O1", nil},
	{"-DOSMP -DEAGER", "OSMP-D9", e, "", nil},
	{"-DOSMP -DONEBUFFER", "OSMP-D7", e, "", nil},
	{"-DOSMP -DCOMMON", "OSMP-D8", e, "FMI2-R5", nil},
	{"-DSLOPE", "FMI2-R14", e, "", []string{`canNotUse`,
		`providesDirectionalDerivative="true" canNotUse`}},
	{"-DDEPENDS -DUNSEEDED", "FMI2-R14", e, "", []string{`canNotUse`,
		`providesDirectionalDerivative="true" canNotUse`,
		`<Unknown index="2" dependencies=""/>`, `<Unknown index="2" dependencies="1"/>`}},
	{"-DDISCARDS -DMUTE", "FMI2-S7", e, "", nil},
	{"-DDISCARDS -DENDS -DENDSAFTER=0.25", "FMI2-R2", w, "", nil},
	{"-DOSMP -DTORN", "OSMP-D9", e, "", nil},
	{"-DOSMP -DNOREQUEST", "OSMP-C6", e, "", nil},
	{"-DOSMP -DNOMIRROR", "OSMP-C7", e, "", nil},
}

// withTime are edits that give the FMI 2.0 FMU an independent variable.
var withTime = []string{"</ModelVariables>", `<ScalarVariable name="time" ` +
	`valueReference="4" causality="independent" variability="continuous"><Real/>` +
	"</ScalarVariable>\n</ModelVariables>"}

// withItems are edits that turn an output into an enumeration whose values are not items.
var withItems = []string{`variability="discrete"><Integer/>`,
	`variability="discrete"><Enumeration declaredType="Kinds"/>`,
	"<LogCategories>", `<TypeDefinitions><SimpleType name="Kinds"><Enumeration>` +
		`<Item name="one" value="1"/><Item name="two" value="2"/></Enumeration></SimpleType>` +
		`</TypeDefinitions><LogCategories>`}

// withCount are edits that give the OSMP FMU an output for the number of objects.
var withCount = []string{"</ModelVariables>", `<ScalarVariable name="count" ` +
	`valueReference="12" causality="output" variability="discrete" initial="exact">` +
	`<Integer start="0"/></ScalarVariable>` + "\n</ModelVariables>",
	`</Outputs>`, `<Unknown index="19"/></Outputs>`}

// usingMemory are edits that let the FMU use memory functions of the host.
var usingMemory = []string{`canNotUseMemoryManagementFunctions="true"`, ""}

// withClocks are edits that give the FMI 3.0 FMU a clock and Event Mode.
var withClocks = []string{"canHandleVariable", `hasEventMode="true" canHandleVariable`,
	"</ModelVariables>", `<Clock name="clock" valueReference="10" causality="output" ` +
		`variability="discrete" intervalVariability="triggered"/>` + "\n</ModelVariables>",
	"<InitialUnknown valueReference=\"2\"", `<Output valueReference="10" dependencies=""/>` +
		`<InitialUnknown valueReference="2"`}

// withEvents is an edit that gives the FMI 3.0 FMU Event Mode without a clock.
var withEvents = []string{"canHandleVariable", `hasEventMode="true" canHandleVariable`}

// withElements is an edit that declares dependencies of single elements.
var withElements = []string{"canHandleVariable",
	`providesPerElementDependencies="true" canHandleVariable`}

var faults3 = []fault{
	{"-DELEMENTS -DSHIFTED", "FMI3-C8", e, "", withElements},
	{"", "FMI3-C8", e, "", withElements},
	{"-DEARLY", "FMI3-S5", e, "", nil},
	{"-DEVENTFUL", "FMI3-S8", e, "", nil},
	{"-DCLOCKS -DUNSETTLED", "FMI3-S8", e, "FMI3-R2", withClocks},
	{"-DUNWRITTEN", "FMI3-S6", e, "", nil},
	{"-DSHAPELESS", "FMI3-C6", e, "FMI3-R3 FMI3-R6 FMI3-R8 FMI3-R10", nil},
	{"-DCOUNTLESS", "FMI3-I6", e, "FMI3-I5", nil},
	{"-DKEEPSBYTES", "FMI3-R17", e, "FMI3-R5 FMI3-R6 FMI3-R9 FMI3-R10 FMI3-R12", nil},
	{"-DDISCARDS -DSPOILS", "FMI3-S7", e, "", nil},
	{"-DSTARTS", "FMI3-V21", e, "", nil},
	{"-DFROZEN", "FMI3-V23", e, "", nil},
	{"-DLATETIME", "FMI3-V23", e, "", nil},
	{"-DRIGID", "FMI3-C6", e, "FMI3-R10", nil},
	{"-DNEEDSONE", "FMI3-I6", e, "", nil},
	{"-DNOTLAST", "FMI3-S6", e, "", nil},
	{"-DRESET", "FMI3-R6", e, "", nil},
	{"-DFORGETSX", "FMI3-R9", e, "FMI3-R10", nil},
	{"-DLENIENT", "FMI3-I1", e, "FMI3-I5", nil},
}

// TestExamine_EveryFaultIsFound checks that each fault refutes its rule and, except in short mode,
// no other rule.
func TestExamine_EveryFaultIsFound(t *testing.T) {
	for base, list := range map[string][]fault{"lag2": faults2, "lag3": faults3} {
		edits := make([]edit, len(list))
		for k, f := range list {
			edits[k] = edit{name: f.flags, fault: f}
		}
		find(t, base, edits)
	}
}

// sound is an FMU without a fault. In short mode, only the rules are tested that concern what is
// special about it; all if there are none.
type sound struct {
	major  int
	flags  string
	rules  string
	change []string // of the model description
}

var sounds = map[string]sound{
	"FMI 2.0": {2, "", "", nil}, "OSMP": {2, "-DOSMP", "", nil},
	"events":  {3, "-DCLOCKS", "R2 R5 R6 R9 R22 S8", withEvents},
	"FMI 3.0": {3, "", "", nil}, "clocks": {3, "-DCLOCKS", "", withClocks},
	"declared once": {2, "-DONCE", "R4 R5 R15 R18 Q1", []string{`canNotUse`,
		`canBeInstantiatedOnlyOncePerProcess="true" canNotUse`}},
	"declared fixed": {2, "-DFIXED", "R9 R11 S2 S3 S4", []string{
		`canHandleVariableCommunicationStepSize="true"`, ""}},
	"derivatives": {2, "-DDEPENDS", "R13 R14", []string{`canNotUse`,
		`providesDirectionalDerivative="true" canNotUse`,
		`<Unknown index="2" dependencies=""/>`, `<Unknown index="2" dependencies="1"/>`}},
	"discrete input": {2, "-DDEPENDS -DUNDERIVED", "R2 R13 R14 C7", []string{
		`canNotUse`, `providesDirectionalDerivative="true" canInterpolateInputs="true" canNotUse`,
		`causality="input" variability="continuous"`, `causality="input" variability="discrete"`,
		`<Unknown index="2" dependencies=""/>`, `<Unknown index="2" dependencies="1"/>`}},
	"time":                   {2, "", "V23 R6 R9", withTime},
	"count":                  {2, "-DOSMP", "OSMP-D6 OSMP-D9", withCount},
	"reports finished steps": {2, "-DFINISHES=1", "Q12 R5", usingMemory},
	"memory of the host":     {2, "-DBORROWS", "Q1 Q12 R3", usingMemory},
	"categories": {2, "-DCHOOSES", "G2 G7", []string{"</LogCategories>",
		`<Category name="other"/></LogCategories>`}},
	"discarded steps in FMI 2.0": {2, "-DDISCARDS", "R2 S2 S7", nil},
	"discarded steps in FMI 3.0": {3, "-DDISCARDS", "R2 S2 S7", nil},
	"large state":                {2, "-DLARGE", "R8 R9 R10 I9 Q1", nil},
	"helper that ends by itself": {2, "-DHELPER", "Q3 R15 G5", nil},
	"inner steps":                {3, "-DINNER", "R11 S2 S5 S9", nil},
	"inner steps that are declared": {3, "-DGRID", "R11 S2 S4 S5 S6 R24", []string{
		"canHandleVariable", `fixedInternalStepSize="0.1" canHandleVariable`}},
	"dependencies of elements": {3, "-DELEMENTS", "C8 I12", withElements},
	"without states": {2, "-DFORGETSX", "R4 R6 I1", []string{`canGetAndSetFMUstate="true" ` +
		`canSerializeFMUstate="true"`, ""}},
}

// TestExamine_TheSoundAreNotAccused checks that no rule is refuted for an FMU without a fault.
func TestExamine_TheSoundAreNotAccused(t *testing.T) {
	for name, s := range sounds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, least := examine.Options{}, 40
			if testing.Short() && s.rules != "" {
				o.Only, least = strings.Fields(s.rules), 1
			}
			r := run(t, build(t, s.major, s.flags, s.change...), o)
			require.Empty(t, r.Findings())
			require.Greater(t, r.Count(examine.Proved), least)
		})
	}
}
