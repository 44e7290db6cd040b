package osmp_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/osmp"
)

func TestKinds_VariabilityFollowsFromTheCausality(t *testing.T) {
	want := map[fmi.Causality]fmi.Variability{
		fmi.Input: fmi.Discrete, fmi.Output: fmi.Discrete, fmi.Parameter: fmi.Fixed,
		fmi.CalculatedParameter: fmi.Fixed,
	}
	for _, k := range osmp.Kinds() {
		b := k.Binary(1, 1)
		require.Equal(t, k.Causality, b.Causality, k.Prefix)
		require.Equal(t, want[k.Causality], b.Variability, k.Prefix)
	}
}

func TestKinds_NamesOfOSMPAreForItsDataOnly(t *testing.T) {
	for _, k := range osmp.Kinds() {
		require.NoError(t, k.Check())
		require.NoError(t, k.Described("other words").Check())
		other := k
		other.MIMEType = "application/octet-stream"
		require.ErrorContains(t, other.Check(), "MIME type", k.Prefix)
		other = k
		other.Causality = fmi.Local
		require.ErrorContains(t, other.Check(), `causality "local"`, k.Prefix)
		other.Prefix = "Mine"
		require.NoError(t, other.Check(), "a name of the author's own")
	}
}

// C1 to C3: the request is calculated from the answer and the parameters, the answer is a
// parameter.
func TestC1_C2_C3_PairOfTheHandshake(t *testing.T) {
	var table fmu.Variables
	request, answer, err := osmp.DeclareConfigRequest(&table, 2, 3, []string{"nominalrange"})
	require.NoError(t, err)
	for _, c := range []struct {
		triple    osmp.Place
		prefix    string
		causality fmi.Causality
		dependsOn []string
	}{
		{request, "OSMPSensorViewInConfigRequest[2]", fmi.CalculatedParameter,
			[]string{"OSMPSensorViewInConfig[2].base.lo",
				"OSMPSensorViewInConfig[2].base.hi", "OSMPSensorViewInConfig[2].size",
				"nominalrange"}},
		{answer, "OSMPSensorViewInConfig[2]", fmi.Parameter, nil},
	} {
		for role, reference := range map[string]fmu.Index{
			".base.lo": c.triple.BaseLo, ".base.hi": c.triple.BaseHi, ".size": c.triple.Size,
		} {
			v := table.Named(c.prefix + role)
			require.NotNil(t, v, c.prefix+role)
			require.Equal(t, reference, v.Index)
			require.Equal(t, c.causality, v.Causality)
			require.Equal(t, fmi.Fixed, v.Variability)
			require.Equal(t, c.dependsOn, v.DependsOn)
		}
	}
}

// Public models declare OSMPTrafficCommandIn as SensorView; the name takes precedence. With names
// from 0.3.0, a given type stays.
func TestMIMETypeOf_TheNameDecides(t *testing.T) {
	osi := func(message, version string) string {
		return osmp.OSIMediaType + "; type=" + message + "; version=" + version
	}
	for _, c := range []struct {
		name, given, want string
		contradicts       bool
	}{
		{"OSMPTrafficCommandIn", osi("SensorView", "3.5.0"), osi("TrafficCommand", "3.5.0"), true},
		{"OSMPTrafficCommandUpdateOut[2]", osi("TrafficUpdate", "3.5.0"),
			osi("TrafficCommandUpdate", "3.5.0"), true},
		{"OSMPTrafficUpdateOut", osi("TrafficUpdate", "3.5.0"), osi("TrafficUpdate", "3.5.0"),
			false},
		{"OSMPTrafficUpdateIn", "", osmp.MIMEType("TrafficUpdate"), false},
		{"OSMPSensorDataOut", osi("SensorView", "3.5.0"), osi("SensorView", "3.5.0"), false},
		{"OSMPSensorDataOut", "", osmp.MIMEType("SensorData"), false},
		{"mine", osi("SensorView", "3.5.0"), osi("SensorView", "3.5.0"), false},
	} {
		got, contradicts := osmp.MIMETypeOf(c.name, c.given)
		require.Equal(t, c.want, got, c.name)
		require.Equal(t, c.contradicts, contradicts, c.name)
	}
}
