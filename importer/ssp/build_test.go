package ssp_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/importer/ssp"
)

const osi = "application/x-open-simulation-interface; type="

// third returns an FMU for FMI 3.0 with all kinds of connection ends.
func third(t testing.TB) string {
	return string(entries{{name: "modelDescription.xml", content: `<?xml version="1.0"?>
<fmiModelDescription fmiVersion="3.0" modelName="m" instantiationToken="g">
<CoSimulation modelIdentifier="m"/>
<UnitDefinitions><Unit name="m"><BaseUnit m="1"/></Unit>
<Unit name="km"><BaseUnit m="1" factor="1000"/></Unit><Unit name="s"><BaseUnit s="1"/></Unit>
</UnitDefinitions>
<TypeDefinitions><EnumerationType name="Gear"><Item name="R" value="-1"/><Item name="D" value="1"/>
</EnumerationType></TypeDefinitions>
<ModelVariables>
<Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
<Float64 name="out" valueReference="1" causality="output" unit="km"/>
<Float64 name="three" valueReference="2" causality="output"><Dimension start="3"/></Float64>
<Float64 name="in" valueReference="3" causality="input" start="0" unit="m"/>
<Float64 name="in3" valueReference="4" causality="input" start="0 0 0"><Dimension start="3"/></Float64>
<Float64 name="in2" valueReference="5" causality="input" start="0 0"><Dimension start="2"/></Float64>
<Float64 name="gain" valueReference="6" causality="parameter" variability="fixed" start="1"/>
<Float64 name="calculated" valueReference="7" causality="calculatedParameter" variability="fixed"/>
<UInt64 name="size" valueReference="8" causality="structuralParameter" variability="fixed" start="1"/>
<Float64 name="late" valueReference="9" causality="input" start="0" unit="s"/>
<Binary name="raw" valueReference="10" causality="output"/>
<Binary name="view" valueReference="11" causality="output" mimeType="` + osi + `SensorView"/>
<Binary name="wanted" valueReference="12" causality="input" mimeType="` + osi + `SensorView"><Start value=""/></Binary>
<Binary name="picture" valueReference="13" causality="input" mimeType="image/png"><Start value=""/></Binary>
<Enumeration name="gear" declaredType="Gear" valueReference="14" causality="input" start="1"/>
<Boolean name="on" valueReference="15" causality="output"/>
<Float64 name="a.b[1]" valueReference="16" causality="input" start="0"/>
</ModelVariables><ModelStructure/></fmiModelDescription>`},
		{name: "binaries/x86_64-linux/m.so"}}.bytes(t))
}

// built returns a system of the components a and b for FMI 3.0, o with messages for FMI 2.0, and
// "no" without an FMU.
func built(t *testing.T) *ssp.System {
	s := &ssp.System{}
	second := fmu(t, append(triple("OSMPSensorViewIn", "input", "discrete"),
		triple("OSMPSensorDataOut", "output", "discrete")...)...)
	for name, content := range map[string]string{"a": third(t), "b": third(t), "a.b": third(t),
		"o": second, "no": ""} {
		c := &ssp.Component{Name: name}
		if content != "" {
			file := filepath.Join(t.TempDir(), "m.fmu")
			require.NoError(t, os.WriteFile(file, []byte(content), 0o600))
			x, err := archive.Open(file)
			require.NoError(t, err)
			c.FMU = x
		}
		s.Components = append(s.Components, c)
	}
	return s
}

// TestSystem_EndOf checks that the name of a component may be the longest or the shortest matching
// prefix, and that array elements have indices.
func TestSystem_EndOf(t *testing.T) {
	s := built(t)
	port := func(component, connector string, indices ...uint64) ssp.Port {
		return ssp.Port{Component: component, Connector: connector, Indices: indices}
	}
	for text, want := range map[string]ssp.Port{
		"a.out": port("a", "out"), "a.three[2]": port("a", "three", 2),
		"a.three": port("a", "three"), "a.b.out": port("a.b", "out"),
		"a.a.b[1]": port("a", "a.b[1]"), "o.OSMPSensorViewIn": port("o", "OSMPSensorViewIn"),
		"no.any": port("no", "any"), "no.any[1]": port("no", "any[1]"),
		"o.OSMPSensorViewIn.size": port("o", "OSMPSensorViewIn.size"),
	} {
		p, c, ok := s.EndOf(text)
		require.True(t, ok, text)
		require.Equal(t, want, p, text)
		require.Equal(t, want.Component, c.Name, text)
	}
	for text, component := range map[string]string{"a.nothing": "a", "a.three[x]": "a",
		"a.nothing[1]": "a", "z.out": "", "out": "", "": "", "o.OSMPSensorView": "o",
		"a.b.nothing": "a.b"} {
		_, c, ok := s.EndOf(text)
		require.False(t, ok, text)
		require.Equal(t, component != "", c != nil, text)
		if c != nil {
			require.Equal(t, component, c.Name, text)
		}
	}
}

// TestSystem_Connect checks the result of a connection, or the reason why its ends do not fit.
func TestSystem_Connect(t *testing.T) {
	for text, want := range map[string]any{
		"a.out=b.in":          ssp.Connection{Transformation: ssp.Transformation{Factor: 1000}},
		"a.three=b.in3":       ssp.Connection{Transformation: ssp.Identity()},
		"a.three[1]=b.in":     ssp.Connection{Transformation: ssp.Identity()},
		"a.three[3]=b.in3[1]": ssp.Connection{Transformation: ssp.Identity()},
		"a.calculated=b.gain": ssp.Connection{Initial: true, Transformation: ssp.Identity()},
		"a.view=b.wanted":     ssp.Connection{Transformation: ssp.Identity()},
		"a.raw=b.wanted":      ssp.Connection{Transformation: ssp.Identity()},
		"no.x=b.in":           "a variable that the FMU does not have",
		"a.out=no.x":          "a variable that the FMU does not have",
		"a.nothing=b.in":      "a variable that the FMU does not have",
		"a.in=b.in":           "expected an output to an input",
		"a.out=b.out":         "expected an output to an input",
		"a.three=b.in":        "found 3 elements, expected 1",
		"a.three=b.in2":       "found 3 elements, expected 2",
		"a.three[4]=b.in":     "found the index 4 of three, expected between 1 and 3",
		"a.three[0]=b.in":     "found the index 0 of three, expected between 1 and 3",
		"a.three[1,1]=b.in":   "found 2 indices for three, expected 1, one for each dimension",
		"a.out=b.late":        "expected units of one dimension",
		"a.on=b.in":           "expected types that fit",
		"a.view=b.picture":    "expected image/png",
		"a.view=b.in":         "expected types that fit",
		"a.view=o.OSMPSensorViewIn": ssp.Connection{Message: true,
			Transformation: ssp.Identity()},
		"o.OSMPSensorDataOut=b.wanted":           "SensorData",
		"o.OSMPSensorDataOut=b.in":               "found a message at one end only",
		"a.out=o.OSMPSensorViewIn":               "found a message at one end only",
		"a.raw=o.OSMPSensorViewIn":               "found a Binary without a MIME type",
		"o.OSMPSensorDataOut=o.OSMPSensorViewIn": "SensorData",
		"o.OSMPSensorDataOut.size=b.in":          "found a part of a message, expected the whole of it: OSMPSensorDataOut",
		"a.out=o.OSMPSensorViewIn.size":          "found a part of a message, expected the whole of it: OSMPSensorViewIn",
	} {
		t.Run(text, func(t *testing.T) {
			s := built(t)
			from, to := endsOf(s, text)
			err := s.Connect(from, to)
			if text, is := want.(string); is {
				require.ErrorIs(t, err, ssp.ErrSystem)
				require.ErrorContains(t, err, text)
				require.Empty(t, s.Connections)
				return
			}
			require.NoError(t, err)
			c := want.(ssp.Connection)
			c.From, c.To = from, to
			require.Equal(t, []*ssp.Connection{&c}, s.Connections)
		})
	}
}

// endsOf returns the ports of a connection, which do not have to exist.
func endsOf(s *ssp.System, text string) (from, to ssp.Port) {
	end := func(text string) ssp.Port {
		if p, _, ok := s.EndOf(text); ok {
			return p
		}
		for k := range text {
			if text[k] == '.' {
				name, indices := ssp.CutIndices(text[k+1:])
				return ssp.Port{Component: text[:k], Connector: name, Indices: indices}
			}
		}
		return ssp.Port{}
	}
	for k := range text {
		if text[k] == '=' {
			return end(text[:k]), end(text[k+1:])
		}
	}
	return from, to
}

// TestSystem_ConnectTwice checks that an input has only one source. Different elements of an array
// are different inputs, and the whole array includes all of them.
func TestSystem_ConnectTwice(t *testing.T) {
	for second, refused := range map[string]bool{
		"b.out=a.in3[1]": true, "b.out=a.in3[2]": false, "b.three=a.in3": true,
		"b.out=a.in": false, "b.out=b.in3[1]": false, "b.out=a.in2[1]": false} {
		s := built(t)
		require.NoError(t, s.Connect(endsOf(s, "b.three[1]=a.in3[1]")))
		err := s.Connect(endsOf(s, second))
		require.Equal(t, refused, err != nil, "%s: %v", second, err)
		if refused {
			require.ErrorIs(t, err, ssp.ErrSystem)
			require.ErrorContains(t, err, "a second connection, the first one is from b.three[1]")
		}
	}
	s := built(t)
	require.NoError(t, s.Connect(endsOf(s, "b.three=a.in3")))
	require.ErrorContains(t, s.Connect(endsOf(s, "b.out=a.in3[2]")), "a second connection")
}

// TestComponent_SetStart checks that values must fit the type, that items of enumerations may be
// names, and that a later value replaces an earlier one.
func TestComponent_SetStart(t *testing.T) {
	s := built(t)
	c := s.Component("a")
	for variable, value := range map[string]string{"gain": "fast", "gear": "X", "nothing": "1",
		"out": "1", "time": "1", "size": "-1"} {
		require.ErrorIs(t, c.SetStart(variable, []string{value}), ssp.ErrSystem, variable)
	}
	require.ErrorContains(t, c.SetStart("gain", []string{"fast"}), `found "fast", expected`)
	require.Empty(t, c.Starts)
	given := []string{"R"}
	require.NoError(t, c.SetStart("gear", given))
	require.Equal(t, []string{"R"}, given, "the caller's values")
	require.NoError(t, c.SetStart("gain", []string{"2"}))
	require.NoError(t, c.SetStart("gear", []string{"D"}))
	require.NoError(t, c.SetStart("wanted", []string{"00ff"}))
	want := func(variable, value string, kind fmi.Type) ssp.Start {
		return ssp.Start{Variable: variable, Type: kind, Values: []string{value},
			Reason: "command line"}
	}
	require.Equal(t, []ssp.Start{want("gear", "1", fmi.Enumeration), want("gain", "2", fmi.Real),
		want("wanted", "00ff", fmi.Binary)}, c.Starts)
}
