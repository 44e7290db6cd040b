package ssp_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/ssp"
)

// starts returns the start values of a component as name=value, and the origin of each.
func starts(c *ssp.Component) (values, reasons []string) {
	for _, s := range c.Starts {
		values = append(values, s.Variable+"="+strings.Join(s.Values, " "))
		reasons = append(reasons, s.Reason)
	}
	return values, reasons
}

func bindings(list ...string) string {
	return `<ssd:ParameterBindings>` + strings.Join(list, "") + `</ssd:ParameterBindings>`
}

// A connection from a parameter of a system that has a value overrides bindings at all levels, in
// the unit of its destination and through nested systems. If this parameter has no value, the
// bindings apply (rule 20).
func TestRule20_ConnectionsFromSystemsBeatBindings(t *testing.T) {
	leaf := `<ssd:Component name="c" source="">` + ports(`k parameter Real unit="Pa"`) +
		bindings(binding("k", 1)) + `</ssd:Component>`
	sub := `<ssd:System name="sub">` + ports(`p parameter Real unit="bar"`) +
		bindings(binding("c.k", 2)) + `<ssd:Elements>` + leaf +
		`</ssd:Elements><ssd:Connections>` + connection("p", "c.k", "") +
		`</ssd:Connections></ssd:System>`
	for _, c := range []struct{ bound, want, reason string }{
		{binding("sub.c.k", 3), "k=3", "binding 1 of system top"},
		{binding("top", 4) + binding("sub.c.k", 3), "k=400000",
			"binding 1 of system top of the system's top, by a connection"},
		{binding("sub.c.k", 3) + binding("top", 4), "k=400000",
			"binding 2 of system top of the system's top, by a connection"},
		{binding("top", 5) + binding("top", 4), "k=400000",
			"binding 2 of system top of the system's top, by a connection"},
	} {
		s := files{"SystemStructure.ssd": describe(ports(`top parameter Real unit="bar"`)+
			bindings(c.bound)+`<ssd:Elements>`+sub+
			`</ssd:Elements><ssd:Connections>`+connection("top", "sub.p", "")+`</ssd:Connections>`,
			pressureUnits)}.load(t)
		values, reasons := starts(s.Components[0])
		require.Equal(t, []string{c.want}, values)
		require.Equal(t, []string{c.reason}, reasons)
	}
}

// A parameter connection between components transfers its value before the end of initialization,
// for any kind of receiving connector; a connection between outputs and inputs does so in each step
// (rule 20).
func TestRule20_WhichConnectionsAreInitial(t *testing.T) {
	for _, c := range []struct {
		from, to string
		initial  bool
	}{
		{"calculatedParameter", "parameter", true}, {"calculatedParameter", "input", false},
		{"constant", "structuralParameter", true},
		{"constant", "parameter", true}, {"output", "input", false}, {"unspecified", "parameter",
			true}, {"output", "unspecified", false},
	} {
		s := files{"SystemStructure.ssd": describeAs("2.0", `<ssd:Elements>`+component("a",
			"x "+c.from+" Integer")+component("b", "y "+c.to+" Integer")+
			`</ssd:Elements><ssd:Connections>`+connection("b.y", "a.x", "")+`</ssd:Connections>`,
			"")}.load(t)
		if c.from != "unspecified" && c.to != "unspecified" { // the kinds determine the source
			require.Equal(t, []string{"a.x -> b.y"}, flat(s))
		}
		require.Equal(t, c.initial, s.Connections[0].Initial, "%s to %s", c.from, c.to)
	}
}

// A connector of unspecified kind has the kind of its variable in the FMU: a parameter receives its
// value once.
func TestRule20_TheFMUDecidesOnUnspecifiedKinds(t *testing.T) {
	s, _, err := ssp.Load(twin(t).plus("z", fmu(t, `k Real parameter fixed start="1"`,
		`u Real input continuous start="0"`), ports("k unspecified Real", "u unspecified Real")).
		plus("y", fmu(t, "c Real calculatedParameter fixed"), ports("c calculatedParameter Real")).
		also(connection("y.c", "z.k", "")+connection("y.c", "z.u", "")).pack(t), ssp.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	initial := map[string]bool{}
	for _, c := range s.Connections {
		initial[c.To.String()] = c.Initial
	}
	require.True(t, initial["z.k"])
	require.False(t, initial["z.u"])
}

// The FMU also decides which end of a connection is the source, regardless of the order of the
// ends.
func TestLoad_DirectionsOfUnspecifiedKinds(t *testing.T) {
	s, list, err := ssp.Load(twin(t).plus("z", fmu(t, `u Real input continuous start="0"`),
		ports("u unspecified Real")).
		plus("y", fmu(t, "o Real output continuous", `c Real local constant start="1"`,
			`v Real input continuous start="0"`),
			ports("o unspecified Real", "c unspecified Real", "v unspecified Real")).
		also(connection("z.u", "y.o", "")+connection("y.v", "y.c", "")).pack(t), ssp.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.Subset(t, flat(s), []string{"y.o -> z.u", "y.c -> y.v"})
	require.Equal(t, []string{"SSP-S10", "SSP-S8"}, ids(list),
		"written backwards, and y in a loop with itself")
}

// An FMI 3.0 Binary whose name is not defined by OSMP is a message if its media type indicates one.
func TestLoad_BinariesOfFMI3GoToMessages(t *testing.T) {
	const osi = `mimeType="application/x-open-simulation-interface; type=SensorView; version=3.8.0"`
	size := twin(t)
	for _, part := range []string{".base.lo", ".base.hi", ".size"} {
		size = size.with(main, connection("source.OSMPSensorViewOut"+part,
			"sensor.OSMPSensorViewIn"+part, ""), "")
	}
	s, list, err := ssp.Load(size.with(main, messagePorts("OSMPSensorViewIn", "input"),
		ports("OSMPSensorViewIn input Binary")).
		plus("x", changedFMU(t, arrays(t), `name="blob"`, `name="blob" `+osi, true),
			ports("blob output Binary")).
		also(connection("x.blob", "sensor.OSMPSensorViewIn", "")).pack(t), ssp.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.Empty(t, list)
	require.Contains(t, flat(s), "x.blob -> sensor.OSMPSensorViewIn")
	require.True(t, s.Connections[len(s.Connections)-1].Message)
}

// Without the FMUs, messages may have names that OSMP does not define.
func TestLoad_MessagesOfAnyNameWithoutFMUs(t *testing.T) {
	parts := func(name, kind string) string {
		return ports(name+".base.lo "+kind+" Integer", name+".base.hi "+kind+" Integer",
			name+".size "+kind+" Integer")
	}
	both := func(from, to string) (text string) {
		for _, part := range []string{".base.lo", ".base.hi", ".size"} {
			text += connection(from+part, to+part, "")
		}
		return text
	}
	s, list, err := ssp.Load(files{"SystemStructure.ssd": describe(`<ssd:Elements><ssd:Component name="a" source="">`+parts("Out", "output")+`</ssd:Component>
<ssd:Component name="b" source="">`+ports("OSMPSensorViewIn.base.lo input Integer",
		"OSMPSensorViewIn.base.hi input Integer", "OSMPSensorViewIn.size input Integer",
		"OSMPSensorDataOut.base.lo output Integer", "OSMPSensorDataOut.base.hi output Integer",
		"OSMPSensorDataOut.size output Integer")+`</ssd:Component>
<ssd:Component name="c" source="">`+parts("In", "input")+
		`</ssd:Component></ssd:Elements><ssd:Connections>`+
		both("a.Out", "b.OSMPSensorViewIn")+both("b.OSMPSensorDataOut", "c.In")+
		`</ssd:Connections>`, `<ssd:DefaultExperiment stopTime="1"/>`)}.write(t), ssp.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.Equal(t, []string{"SSP-S3"}, ids(list), "%v", list)
	require.Equal(t, "a.Out -> b.OSMPSensorViewIn", flat(s)[0])
}

// A run reads messages with a different minor version, but not with a different major version.
func TestLoad_VersionsOfMessages(t *testing.T) {
	view := fmu(t, triple("OSMPSensorViewIn", "input", "discrete")...)
	for version, refused := range map[string]bool{"3.8.0": false, "3.7.0": false, "4.8.0": true} {
		s, list, err := ssp.Load(sound(t).without("resources/sensor.fmu").with(
			"resources/sensor.fmu", "", changedFMU(t, view, "version=3.8.0", "version="+version,
				true)).
			pack(t), ssp.Options{})
		require.Equal(t, refused, err != nil, "%s: %v", version, list)
		require.NoError(t, s.Close())
	}
}

// A unit that an FMU names but does not define may have any definition, so nothing is converted or
// refused.
func TestBinding_UnitsThatTheFMUOnlyNames(t *testing.T) {
	model := changedFMU(t, fmu(t, `p Real parameter fixed start="1" unit="Pa"`),
		`<BaseUnit kg="1" m="-1" s="-2"/>`, "", true)
	given := `<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version="1.0" name="s"><ssv:Parameters>
<ssv:Parameter name="p"><ssv:Real value="2" unit="bar"/></ssv:Parameter></ssv:Parameters><ssv:Units><ssc:Unit name="bar"><ssc:BaseUnit kg="1" m="-1" s="-2" factor="1e5"/></ssc:Unit>
</ssv:Units></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>`
	packed := sound(t).plus("z", model, ports("p parameter Real")+given).pack(t)
	s, list, err := ssp.Load(packed, ssp.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.Empty(t, list)
	require.Equal(t, []string{"2"}, s.Component("z").Starts[0].Values)
}

// Two values for a connector of a system are reported like two values for a variable.
func TestCheck_TwoValuesOfAConnectorOfASystem(t *testing.T) {
	s := sound(t)
	found, list := s.top(ports("t parameter Real")+bindings(binding("t", 2),
		binding("t", 3))).check(t, ssp.Options{})
	require.Equal(t, []string{"SSP-P4"}, found, "%v", list)
	require.Contains(t, list[0].Message,
		"t = 2 here, but binding 2 of system top in SystemStructure.ssd:")
	found, _ = s.top(ports("t parameter Real")+bindings(binding("t", 2), binding("t", 2))).check(t,
		ssp.Options{})
	require.Empty(t, found)
}

// TestCheck_ValuesThatGetLost: a binding without values, a value that becomes infinite, and a unit
// that nothing converts are reported.
func TestCheck_ValuesThatGetLost(t *testing.T) {
	s := sound(t)
	const level, mapped = `<ssv:Parameter name="level"><ssv:Real value="3"/></ssv:Parameter>`,
		`<ssm:MappingEntry source="x.gain" target="k"/>`
	huge := `<ssm:MappingEntry source="x.gain" target="k">` +
		`<ssc:LinearTransformation xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" ` +
		`factor="1e308"/></ssm:MappingEntry>`
	suppressed := func(unit, transformation string) entries {
		link := strings.Replace(connection("a.p", "t", transformation), "<ssd:Connection ",
			`<ssd:Connection suppressUnitConversion="true" `, 1)
		return s.top(ports(`t output Real unit="`+unit+`"`)).also(link).with(main, "<ssd:Units>",
			`<ssd:Units><ssc:Unit name="rounded"><ssc:BaseUnit kg="1" m="-1" s="-2" `+
				`factor="1.0000001"/></ssc:Unit>`)
	}
	for name, c := range map[string]struct {
		of   entries
		want []string
	}{
		"no values": {s.with("resources/a.ssv", level, ""), []string{"component a: warning: the " +
			"binding gives no value to anything"}},
		"no entries": {s.with("resources/b.ssm", mapped, ""), []string{"component b: warning: the " +
			"binding gives no value to anything"}},
		"infinite": {s.with("resources/b.ssm", mapped, huge), []string{
			"the value 2 becomes INF of b.k, expected a finite number [SSP-P3]"}},
		"not converted":         {suppressed("bar", ""), []string{"unconverted and untransformed [SSP-U2]"}},
		"transformed by itself": {suppressed("bar", `<ssc:LinearTransformation factor="2"/>`), nil},
		"rounded":               {suppressed("rounded", ""), nil},
	} {
		_, list := c.of.check(t, ssp.Options{})
		text := ""
		for _, f := range list {
			text += f.String() + "\n"
		}
		for _, want := range c.want {
			require.Contains(t, text, want, name)
		}
		if c.want == nil {
			require.NotContains(t, text, "untransformed", name)
		}
	}
}
