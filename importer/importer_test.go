//go:build linux && cgo

package importer_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/importer"
	"gosmp/internal/testfmu"
	"gosmp/timebase"
)

func TestRun_RecordsEveryPoint(t *testing.T) {
	for _, version := range []int{1, 2, 3} {
		r := newRun(open(t, testfmu.Recipe{Version: version}), "out", "clock", "steps", "flagged")
		r.options.Start = []importer.StartValue{{Name: "in", Value: "0.5"}, {Name: "gain",
			Value: "3"}, {Name: "flag", Value: "true"}}
		r.spec.Stop = 3 * timebase.Second / 10
		require.NoError(t, r.do(t))
		require.Equal(t, `"time","out","clock","steps","flagged"`+`
0.0,1.5,0.0,0,1
0.1,1.5,0.1,1,1
0.2,1.5,0.2,2,1
0.3,1.5,0.30000000000000004,3,1
`, r.csv.String())
		require.Equal(t, int64(3), r.result.Steps)
	}
}

func TestRun_CallsInTheOrderOfTheStandard(t *testing.T) {
	for version, want := range map[int]string{
		1: "fmiGetVersion fmiInstantiateSlave fmiSetReal " +
			"fmiSetReal fmiInitializeSlave fmiGetReal fmiDoStep fmiGetReal fmiDoStep fmiGetReal fmiTerminateSlave " +
			"fmiFreeSlaveInstance",
		2: "fmi2GetVersion fmi2Instantiate fmi2SetReal fmi2SetupExperiment " +
			"fmi2EnterInitializationMode fmi2SetReal " +
			"fmi2ExitInitializationMode fmi2GetReal fmi2DoStep fmi2GetReal fmi2DoStep " +
			"fmi2GetReal fmi2Terminate fmi2FreeInstance",
		3: "fmi3GetVersion fmi3InstantiateCoSimulation fmi3EnterConfigurationMode fmi3SetUInt64 " +
			"fmi3ExitConfigurationMode fmi3SetFloat64 " +
			"fmi3EnterInitializationMode fmi3SetFloat64 fmi3ExitInitializationMode " +
			"fmi3GetFloat64 fmi3DoStep fmi3GetFloat64 fmi3DoStep " +
			"fmi3GetFloat64 fmi3Terminate fmi3FreeInstance",
	} {
		r := newRun(open(t, testfmu.Recipe{Version: version}), "out")
		r.pool.Options.LogCalls = true
		r.spec.Stop = timebase.Second / 5
		r.options.Start = []importer.StartValue{{Name: "in", Value: "2"}, {Name: "gain",
			Value: "3"}}
		if version == 3 {
			r.options.Start = append(r.options.Start, importer.StartValue{Name: "columns",
				Value: "2"})
		}
		require.NoError(t, r.do(t))
		var names []string
		for _, call := range r.calls() {
			names = append(names, strings.Fields(call)[0])
		}
		require.Equal(t, want, strings.Join(names, " "))
	}
}

func TestRun_AllTypesThroughATable(t *testing.T) {
	f := open(t, testfmu.Recipe{Version: 3})
	const input = `time,in,float32.in,int8.in,uint8.in,int16.in,uint16.in,int32.in,uint32.in,int64.in,uint64.in,mode,flag,matrix,text
0,1,0.5,-128,255,-32768,65535,-2147483648,4294967295,-9223372036854775808,18446744073709551615,0,1,1 2 3 4 5 6,ignored
`
	var inputs []cosim.Variable
	for _, v := range f.Variables() {
		if v.Role == cosim.Input {
			inputs = append(inputs, v)
		}
	}
	table, err := cosim.ReadTable(strings.NewReader(strings.ReplaceAll(strings.ReplaceAll(input,
		",text", ""), ",ignored", "")), "input.csv", inputs)
	require.NoError(t, err)
	r := newRun(f, "out", "float32.out", "int8.out", "uint8.out", "int16.out", "uint16.out",
		"int32.out", "uint32.out", "int64.out",
		"uint64.out", "mode.out", "flagged", "doubled", "texted")
	r.sources = []cosim.Source{table}
	r.options.Start = []importer.StartValue{{Name: "text", Value: "größer, \"quoted\""}}
	r.spec.Stop = timebase.Second / 10
	require.NoError(t, r.do(t))
	rows := strings.Split(strings.TrimSpace(r.csv.String()), "\n")
	require.Equal(t,
		"0.1,1.0,0.5,-128,255,-32768,65535,-2147483648,4294967295,-9223372036854775808,1844674407"+
			"3709551615,0,1,2.0 4.0 6.0 8.0 10.0 12.0",
		rows[2])
	require.Equal(t, []string{"größer, \"quoted\"", "größer, \"quoted\""}, r.blobs["texted"])
}

// The FMU outputs the value that its input has at the end of the step: with derivatives, it follows
// a ramp exactly.
func TestRun_DerivativesOfInputsMakeRampsExact(t *testing.T) {
	interpolating := func(xml string) string {
		return strings.Replace(xml, "<CoSimulation ", `<CoSimulation canInterpolateInputs="true" `,
			1)
	}
	for _, c := range []struct {
		recipe testfmu.Recipe
		want   string
		wanted bool
	}{
		{testfmu.Recipe{Describe: interpolating},
			"0.0,10.0\n0.25,12.5\n0.5,15.0\n0.75,5.0\n1.0,5.0\n", true},
		{testfmu.Recipe{Describe: interpolating},
			"0.0,10.0\n0.25,10.0\n0.5,12.5\n0.75,5.0\n1.0,5.0\n", false},
		{testfmu.Recipe{}, "0.0,10.0\n0.25,10.0\n0.5,12.5\n0.75,5.0\n1.0,5.0\n", true},
	} {
		f := open(t, c.recipe)
		table, err := cosim.ReadTable(strings.NewReader("time,in\n0,10\n0.5,15\n0.5,5\n2,5\n"),
			"ramp.csv", f.Variables())
		require.NoError(t, err)
		r := newRun(f, "out")
		r.spec = cosim.Spec{Stop: timebase.Second, Step: cosim.Every(0.25)}
		r.sources, r.options.Derivatives, r.pool.Options.LogCalls = []cosim.Source{table},
			c.wanted, true
		require.NoError(t, r.do(t))
		require.Equal(t, "\"time\",\"out\"\n"+c.want, r.csv.String())
		require.Equal(t, c.wanted && c.recipe.Describe == nil,
			strings.Contains(strings.Join(r.warnings, "\n"), "does not interpolate its inputs"))
		calls := strings.Join(r.calls(), " ")
		require.Equal(t, strings.HasPrefix(c.want, "0.0,10.0\n0.25,12.5"), strings.Contains(calls,
			"fmi2SetReal fmi2SetRealInputDerivatives fmi2DoStep"), calls)
	}
}

func TestRun_StructuralParametersDecideSizes(t *testing.T) {
	r := newRun(open(t, testfmu.Recipe{Version: 3}), "doubled")
	r.options.Start = []importer.StartValue{{Name: "columns", Value: "1"}, {Name: "matrix",
		Value: "7 8"}}
	r.spec.Stop = timebase.Second / 10
	require.NoError(t, r.do(t))
	require.Equal(t, "\"time\",\"doubled\"\n0.0,14.0 16.0\n0.1,14.0 16.0\n", r.csv.String())
}

func TestRun_ResourcesOfBothVersions(t *testing.T) {
	f := open(t, testfmu.Recipe{Name: "größe 100% #1"})
	r := newRun(f, "resources")
	require.NoError(t, r.do(t))
	require.Equal(t, "file://"+r.folder+"/resources", r.blobs["resources"][0])
	f = open(t, testfmu.Recipe{Version: 3})
	r = newRun(f, "resources")
	require.NoError(t, r.do(t))
	require.Equal(t, r.folder+"/resources/", r.blobs["resources"][0])
}

func TestRun_TextsOfTheInstantiationLiveAsLongAsTheInstance(t *testing.T) {
	for _, version := range []int{2, 3} {
		f := open(t, testfmu.Recipe{Version: version, Orders: []string{"GetString late"}})
		r := newRun(f, "resources")
		// replaces an earlier text
		r.options.LoggingOn, r.options.Categories = true, []string{strings.Repeat("x", 400)}
		require.NoError(t, r.do(t))
		require.Contains(t, r.blobs["resources"][10], r.folder)
	}
}

// The attribute means that the FMU does not use the functions, not that it accepts NULL: FMUs
// exported by 20-sim set it and refuse NULL.
func TestRun_FunctionsForMemoryAreAlwaysGiven(t *testing.T) {
	own := func(xml string) string {
		return strings.Replace(xml, "<CoSimulation ",
			`<CoSimulation canNotUseMemoryManagementFunctions="true" `, 1)
	}
	require.NoError(t, newRun(open(t, testfmu.Recipe{Describe: own}), "out").do(t))
}

func TestNewInstance_RefusesStartValues(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"gian", "1",
			"gian: unusable start value: found no variable of this name, expected one that has a " +
				"start value; did you mean \"gain\"?"},
		{"gain", "x", `gain: unusable start value: found "x", expected`},
		{"pi", "3",
			"pi: unusable start value: found constant, local, exact, expected an input, or"},
		{"out", "3", "out: unusable start value: found continuous, output, calculated"},
		{"count", "1.5", `count: unusable start value: found "1.5"`},
		{"count", "2147483648", `count: unusable start value: found "2147483648"`},
		{"flag", "maybe", `flag: unusable start value: found "maybe"`},
		{"mode", "maybe",
			`mode: unusable start value: found "maybe", expected a whole number or one ` +
				`of off, on, auto`},
		{"temperature", "20[bar]",
			"temperature: unusable start value: found the unit bar, expected one of K, degC"},
		{"temperature", "20[Pa]",
			"temperature: unusable start value: found the unit Pa, expected a unit of the " +
				"dimension of K"},
		{"gain", "11",
			"gain: unusable start value: found 11.0, expected one from -10 to 10, the range for " +
				"which the FMU is designed"},
		{"OSMPSensorDataOut", "00",
			"OSMPSensorDataOut: unusable start value: found a notional binary variable that " +
				"the FMU computes"},
		{"OSMPSensorViewIn", "0g",
			`OSMPSensorViewIn: unusable start value: found "0g", expected hexadecimal digits, or ` +
				`@ and the path of a file`},
		{"OSMPSensorViewIn", "@/nowhere",
			"OSMPSensorViewIn: unusable start value: stat /nowhere: no such file"},
	} {
		f := open(t, testfmu.Recipe{OSMP: true})
		_, err := f.NewInstance("x", &importer.Pool{},
			importer.Options{Start: []importer.StartValue{{Name: c.name, Value: c.value}}})
		require.ErrorIs(t, err, importer.ErrValue)
		require.Contains(t, err.Error(), c.want)
	}
}

func TestNewInstance_ConvertsUnitsAndItems(t *testing.T) {
	for value, want := range map[string]string{"20[degC]": "293.15", "20[K]": "20.0",
		"20": "20.0"} {
		r := newRun(open(t, testfmu.Recipe{}), "temperature")
		r.options.Start = []importer.StartValue{{Name: "temperature", Value: value}, {Name: "mode",
			Value: "auto"}}
		r.watch = append(r.watch, "mode")
		r.spec.Stop = timebase.Second / 10
		require.NoError(t, r.do(t))
		require.Contains(t, r.csv.String(), "\n0.0,"+want+",7\n")
	}
}

func TestOpen_RefusesByName(t *testing.T) {
	replace := func(old, by string) func(string) string {
		return func(xml string) string {
			return strings.ReplaceAll(xml, old, by)
		}
	}
	for _, c := range []struct {
		recipe testfmu.Recipe
		want   string
	}{
		{testfmu.Recipe{Platform: "win64"},
			"found binaries for win64, expected binaries/linux64 or binaries/x86_64-linux; " +
				"export it for this platform"},
		{testfmu.Recipe{Describe: replace(`modelIdentifier="unruly"`, `modelIdentifier="other"`)},
			"found no other.so in binaries/linux64"},
		{testfmu.Recipe{Describe: replace("<CoSimulation modelIdentifier",
			"<ModelExchange modelIdentifier")}, "found ModelExchange alone, expected CoSimulation"},
		{testfmu.Recipe{Describe: replace(`fmiVersion="2.0"`, `fmiVersion="4.0"`)}, "FMI"},
		{testfmu.Recipe{Describe: replace("<ModelVariables>", "<ModelVariables")},
			"modelDescription.xml"},
	} {
		_, err := importer.Open(testfmu.Build(t, c.recipe))
		require.ErrorIs(t, err, importer.ErrInvalid)
		require.Contains(t, err.Error(), c.want)
	}
	_, err := importer.Open("/nowhere.fmu")
	require.ErrorIs(t, err, importer.ErrInvalid)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestRun_ReportsWhatIsMissingOrWrong(t *testing.T) {
	for _, c := range []struct {
		recipe testfmu.Recipe
		want   string
	}{
		{testfmu.Recipe{Needs: "libgosmp-nowhere.so.3"},
			"libgosmp-nowhere.so.3: cannot open shared object file"},
		{testfmu.Recipe{Borrows: []string{"gosmp_nowhere"}},
			"undefined symbol: gosmp_nowhere; the FMU does not name the library with this symbol"},
		{testfmu.Recipe{Token: "another"},
			"fmi2Instantiate returned NULL: the guid is another, not unruly-token"},
		{testfmu.Recipe{Version: 3, Token: "another"},
			"fmi3InstantiateCoSimulation returned NULL: the token is another one"},
	} {
		r := newRun(open(t, c.recipe))
		require.ErrorContains(t, r.do(t), c.want)
	}
	r := newRun(open(t, testfmu.Recipe{Orders: []string{"GetVersion version"}}))
	require.NoError(t, r.do(t))
	require.Contains(t, strings.Join(r.warnings, "\n"),
		`its library reports FMI "1.0", its model description FMI 2.0`)
}

func TestOpen_WarnsOfAnIndependentVariableThatIsNotInSeconds(t *testing.T) {
	for unit, want := range map[string]bool{"s": false, "K": true} {
		for version, variable := range map[int]string{
			2: `<ScalarVariable name="t" valueReference="15" causality="independent" ` +
				`variability="continuous"><Real unit="` + unit + `"/></ScalarVariable>`,
			3: "",
		} {
			f := open(t, testfmu.Recipe{Version: version, Describe: func(xml string) string {
				xml = strings.Replace(xml, "</ModelVariables>", variable+"</ModelVariables>", 1)
				return strings.Replace(xml, `causality="independent"`,
					`causality="independent" unit="`+unit+`"`, version-2)
			}})
			require.Equal(t, want, strings.Contains(strings.Join(f.Warnings, "\n"),
				"has the unit K; it is set in seconds"), f.Warnings)
		}
	}
}
