package connect_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/cosim"
	"gosmp/osmp"
	"gosmp/osmp/connect"
)

func part(name string, variables ...string) connect.Part {
	p := connect.Part{Name: name}
	for _, v := range variables {
		k, known := osmp.Named(v)
		c := cosim.Variable{Name: v, Kind: cosim.Binary, Role: cosim.Input}
		if !known {
			c.Kind = cosim.Float64
		}
		if v[len(v)-3:] == "Out" {
			c.Role = cosim.Output
		}
		if known {
			c.MIMEType = k.MIMEType
		}
		p.Variables = append(p.Variables, c)
	}
	return p
}

// Whatever the order of parts and connections, a loop is cut where a driver receives its view.
func TestTime_CutsLoopsByWhatConnectionsCarry(t *testing.T) {
	parts := []connect.Part{
		part("world", "OSMPSensorViewOut", "OSMPTrafficUpdateIn", "OSMPTrafficUpdateIn[2]",
			"brakeIn"),
		part("driver", "OSMPSensorViewIn", "OSMPTrafficUpdateOut"),
		part("radar", "OSMPSensorViewIn", "OSMPSensorDataOut"),
		part("fusion", "OSMPSensorDataIn", "OSMPSensorDataOut"),
		part("planner", "OSMPSensorDataIn", "OSMPHostVehicleDataOut"),
		part("dynamics", "OSMPHostVehicleDataIn", "OSMPTrafficUpdateOut"),
		part("aeb", "OSMPSensorDataIn", "brakeOut"),
		part("log", "OSMPSensorDataIn"),
	}
	const lags, prompt, free = cosim.Lagging, cosim.Prompt, cosim.AsOrdered
	want := map[[2]string]cosim.Timing{
		{"world.OSMPSensorViewOut", "driver.OSMPSensorViewIn"}:               lags,
		{"driver.OSMPTrafficUpdateOut", "world.OSMPTrafficUpdateIn"}:         prompt,
		{"world.OSMPSensorViewOut", "radar.OSMPSensorViewIn"}:                free,
		{"radar.OSMPSensorDataOut", "fusion.OSMPSensorDataIn"}:               free,
		{"fusion.OSMPSensorDataOut", "planner.OSMPSensorDataIn"}:             lags,
		{"planner.OSMPHostVehicleDataOut", "dynamics.OSMPHostVehicleDataIn"}: free,
		{"dynamics.OSMPTrafficUpdateOut", "world.OSMPTrafficUpdateIn[2]"}:    prompt,
		{"fusion.OSMPSensorDataOut", "aeb.OSMPSensorDataIn"}:                 free,
		{"aeb.brakeOut", "world.brakeIn"}:                                    lags,
		{"fusion.OSMPSensorDataOut", "log.OSMPSensorDataIn"}:                 free,
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var made []cosim.Connection
		for ends := range want { // in any order
			made = append(made, cosim.Connection{From: ends[0], To: ends[1]})
		}
		random.Shuffle(len(parts), func(a, b int) { parts[a], parts[b] = parts[b], parts[a] })
		connect.Time(parts, nil, made)
		for _, c := range made {
			require.Equal(t, want[[2]string{c.From, c.To}], c.Timing, "%s = %s", c.From, c.To)
		}
	}
}

// A world that receives no updates is recognized by its name.
func TestTime_AWorldStepsBeforeWhatActsOnIt(t *testing.T) {
	parts := []connect.Part{part("aeb", "OSMPSensorViewIn", "brakeOut"),
		part("world", "OSMPSensorViewOut", "brakeIn")}
	made := []cosim.Connection{{From: "world.OSMPSensorViewOut", To: "aeb.OSMPSensorViewIn"},
		{From: "aeb.brakeOut", To: "world.brakeIn"}}
	connect.Time(parts, nil, made)
	require.Equal(t, cosim.AsOrdered, made[1].Timing)
	connect.Time(parts, []string{"world"}, made)
	require.Equal(t, cosim.Lagging, made[1].Timing)
	require.Equal(t, cosim.AsOrdered, made[0].Timing)
}
