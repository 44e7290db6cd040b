package osmp_test

import (
	"fmt"
	"mime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/osmp"
)

func attributes(a fmi.Annotation) map[string]string {
	m := map[string]string{}
	for _, x := range a.Elements[0].Attributes {
		m[x.Name] = x.Value
	}
	return m
}

// annotated groups the binary-variable annotations of the test FMU by the name of the notional
// variable and the role.
func annotated(t *testing.T) map[string]map[string]*fmu.Variable {
	d := testDefinition(t, func(fmu.Host) fmu.Model { return nil })
	groups := map[string]map[string]*fmu.Variable{}
	for _, v := range d.Variables.All() {
		if v.Name == "nominalrange" {
			require.Empty(t, v.Annotations)
			continue
		}
		require.Len(t, v.Annotations, 1)
		a := attributes(v.Annotations[0])
		if groups[a["name"]] == nil {
			groups[a["name"]] = map[string]*fmu.Variable{}
		}
		require.Nil(t, groups[a["name"]][a["role"]], "%s of %s twice", a["role"], a["name"])
		groups[a["name"]][a["role"]] = v
	}
	return groups
}

func TestA1_A2_MarkOfTheFMU(t *testing.T) {
	for version, label := range map[osmp.Version]string{osmp.Version030: "0.3.0",
		osmp.Version160: "1.6.0"} {
		a := osmp.Mark(version)
		require.Equal(t, "net.pmsf.osmp", a.Tool)
		require.Equal(t, "http://xsd.pmsf.net/OSISensorModelPackaging", a.Elements[0].Namespace)
		require.Equal(t, "osmp", a.Elements[0].Prefix)
		require.Equal(t, "osmp", a.Elements[0].Name)
		require.Equal(t, map[string]string{"version": label, "osi-version": "3.8.0"}, attributes(a))
	}
}

func TestA3_A7_A8_A9_AnnotationsOfATriple(t *testing.T) {
	groups := annotated(t)
	require.Len(t, groups, 4)
	for prefix, roles := range groups {
		require.Len(t, roles, 3)
		for _, role := range []string{"base.lo", "base.hi", "size"} {
			v := roles[role]
			require.NotNil(t, v, "%s of %s", role, prefix)
			a := v.Annotations[0]
			require.Equal(t, []string{"net.pmsf.osmp", "osmp", "osmp-binary-variable"},
				[]string{a.Tool, a.Elements[0].Prefix, a.Elements[0].Name})
			// A9
			require.Equal(t, prefix+"."+role, v.Name)
			// A7
			require.Equal(t, attributes(a)["mime-type"],
				attributes(roles["size"].Annotations[0])["mime-type"])
		}
	}
}

func TestA4_A5_A6_MIMEType(t *testing.T) {
	kind, parameters, err := mime.ParseMediaType(osmp.MIMEType("SensorData"))
	require.NoError(t, err)
	require.Equal(t, "application/x-open-simulation-interface", kind)
	require.Equal(t, map[string]string{"type": "SensorData", "version": "3.8.0"}, parameters)
	require.Equal(t, attributes(osmp.Mark(osmp.Version030))["osi-version"], parameters["version"])

	for _, bad := range []string{"", "no type; =", "a/b; x", "a/b; type=c; type=d"} {
		var table fmu.Variables
		_, err := osmp.Declare(&table,
			osmp.Binary{Prefix: "OSMPX", MIMEType: bad, Causality: fmi.Input,
				Variability: fmi.Discrete})
		require.ErrorContains(t, err,
			fmt.Sprintf("OSMPX: unusable binary variable: found MIME type %q", bad))
		require.Empty(t, table.All())
	}
}

func TestB1_PrefixIsAStructuredName(t *testing.T) {
	for prefix, ok := range map[string]bool{"OSMPIn": true, "OSMPSensorViewIn[12]": true,
		"radar.left.OSMPIn": true,
		"":                  false, "0in": false, "a b": false} {
		d := testDefinition(t, func(fmu.Host) fmu.Model { return nil })
		_, err := osmp.Declare(&d.Variables,
			osmp.Binary{Prefix: prefix, MIMEType: "a/b", Causality: fmi.Input,
				Variability: fmi.Discrete})
		require.NoError(t, err)
		require.Equal(t, ok, d.Check() == nil, "%q", prefix)
	}
	for _, prefix := range []string{"OSMPIn[0]", "OSMPIn[", "OSMPIn[01]", "OSMPIn[1", "OSMPIn[x]"} {
		var table fmu.Variables
		_, err := osmp.Declare(&table,
			osmp.Binary{Prefix: prefix, MIMEType: "a/b", Causality: fmi.Input,
				Variability: fmi.Discrete})
		require.ErrorContains(t, err,
			prefix+": unusable binary variable: found an index that is not a number", prefix)
	}
}

func TestB2_B6_B7_ThreeIntegersAlike(t *testing.T) {
	for _, c := range []struct {
		prefix      string
		causality   fmi.Causality
		variability fmi.Variability
		initial     fmi.Initial
		start       any
	}{
		{"OSMPSensorViewIn", fmi.Input, fmi.Discrete, fmi.NoInitial, int32(0)},
		{"OSMPSensorDataOut", fmi.Output, fmi.Discrete, fmi.Exact, int32(0)},
		{"OSMPSensorViewInConfigRequest", fmi.CalculatedParameter, fmi.Fixed, fmi.Calculated, nil},
		{"OSMPSensorViewInConfig", fmi.Parameter, fmi.Fixed, fmi.Exact, int32(0)},
	} {
		for _, v := range annotated(t)[c.prefix] {
			require.Equal(t, fmi.Integer, v.Type)
			require.Equal(t, c.causality, v.Causality)
			require.Equal(t, c.variability, v.Variability)
			require.Equal(t, c.initial, v.Initial)
			require.Equal(t, c.start, v.Start)
		}
	}
}

func TestB7_ValuesBeginAsNoData(t *testing.T) {
	r := newRig(t, nil)
	require.Equal(t, make([]int32, 12), r.Values.Integers)
	r.begin()
	for _, triple := range []osmp.Place{viewIn, dataOut, requested, config} {
		require.Nil(t, r.received(triple))
	}
}

func TestB9_NoVariableIsNamedLikeThePrefix(t *testing.T) {
	var table fmu.Variables
	table.Add(fmu.Variable{Name: "OSMPSensorViewIn"})
	_, err := osmp.Declare(&table, osmp.Binary{Prefix: "OSMPSensorViewIn", MIMEType: "a/b"})
	require.ErrorContains(t, err,
		"OSMPSensorViewIn: unusable binary variable: found a variable of that name")
	require.Len(t, table.All(), 1)
}

func TestV2_D2_IndicesOfSeveral(t *testing.T) {
	require.Equal(t, "OSMPSensorViewIn", osmp.Prefix("OSMPSensorViewIn", 1, 1))
	for count := 2; count <= 4; count++ {
		for n := 1; n <= count; n++ {
			require.Equal(t, fmt.Sprintf("OSMPSensorViewIn[%d]", n), osmp.Prefix("OSMPSensorViewIn",
				n, count))
		}
	}
}

func TestB4_C2_C3_DescriptionsAndDependencies(t *testing.T) {
	var table fmu.Variables
	_, err := osmp.Declare(&table,
		osmp.Binary{Prefix: "P", MIMEType: "a/b", Causality: fmi.CalculatedParameter,
			Variability: fmi.Tunable, Description: "wanted view", DependsOn: []string{"P.x"}})
	require.NoError(t, err)
	for k, text := range []string{"low 32 bits", "high 32 bits", "number of bytes"} {
		v := table.All()[k]
		require.True(t, strings.HasPrefix(v.Description, "wanted view: ") &&
			strings.Contains(v.Description, text))
		require.Equal(t, []string{"P.x"}, v.DependsOn)
		require.Equal(t, fmi.Tunable, v.Variability)
	}
}

func TestB3_HalvesCarryTheBitsOfTheAddress(t *testing.T) {
	lo, hi := osmp.SplitAddress(0x0000_7FFF_8000_0010)
	require.Equal(t, []int32{-2147483632, 32767}, []int32{lo, hi})
	require.Equal(t, uint64(0x0000_7FFF_8000_0010), osmp.JoinAddress(lo, hi))

	bits := rapid.Custom(func(t *rapid.T) uint64 {
		address := rapid.Uint64().Draw(t, "address")
		force := rapid.SampledFrom([]uint64{0, 1 << 31, 1 << 63, 1<<31 | 1<<63, 1 << 32}).Draw(t,
			"forced bits")
		return address | force
	})
	rapid.Check(t, func(t *rapid.T) {
		address := bits.Draw(t, "bits")
		lo, hi := osmp.SplitAddress(address)
		require.Equal(t, fmt.Sprintf("%016x", address), fmt.Sprintf("%08x%08x", uint32(hi),
			uint32(lo)))
		require.Equal(t, address, osmp.JoinAddress(lo, hi))
	})
}
