package dummysensor_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/fmu/modeldescription"
	"gosmp/internal/mock"
	"gosmp/model/modeltest"
	"gosmp/proto/osi"
	"gosmp/proto/osi3"
	"gosmp/sensor/dummysensor"
	"gosmp/sensor/simsensor"
)

var update = flag.Bool("update", false,
	"rewrite testdata from the definition and the model as they are")

func TestDefinition_HasNoMistake(t *testing.T) {
	require.NoError(t, dummysensor.Definition().Check())
	require.NotSame(t, dummysensor.Definition(), dummysensor.Definition(),
		"the packer changes start values of its own copy")
}

// Users rely on names, references and start values. This test changes only when a release adds
// variables at the end; check the difference before you run it with -update.
func TestDefinition_GoldenModelDescription(t *testing.T) {
	golden := filepath.Join("testdata", "modelDescription.golden.xml")
	d := dummysensor.Definition()
	d.GUID = "00000000-0000-0000-0000-000000000000"
	var found bytes.Buffer
	require.NoError(t, modeldescription.Render(&found, d))
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(golden, found.Bytes(), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err, "run the test once with -update")
	require.Equal(t, strings.Split(string(want), "\n"), strings.Split(found.String(), "\n"))
}

// The sensor model example of OSMP: hosts and system descriptions written for it must find the same
// variables here.
func TestVariables_FirstFifteenAreThoseOfTheExample(t *testing.T) {
	type variable struct {
		name        string
		kind        fmi.Type
		reference   fmi.ValueReference
		causality   fmi.Causality
		variability fmi.Variability
		initial     fmi.Initial
		start       any
	}
	var found []variable
	d := dummysensor.Definition()
	for _, v := range d.Variables.All()[:15] {
		found = append(found, variable{v.Name, v.Type, v.Reference(fmi.FMI2), v.Causality,
			v.Variability, v.Initial, v.Start})
	}
	zero := int32(0)
	require.Equal(t, []variable{
		{"OSMPSensorViewIn.base.lo", fmi.Integer, 0, fmi.Input, fmi.Discrete, fmi.NoInitial, zero},
		{"OSMPSensorViewIn.base.hi", fmi.Integer, 1, fmi.Input, fmi.Discrete, fmi.NoInitial, zero},
		{"OSMPSensorViewIn.size", fmi.Integer, 2, fmi.Input, fmi.Discrete, fmi.NoInitial, zero},
		{"OSMPSensorDataOut.base.lo", fmi.Integer, 3, fmi.Output, fmi.Discrete, fmi.Exact, zero},
		{"OSMPSensorDataOut.base.hi", fmi.Integer, 4, fmi.Output, fmi.Discrete, fmi.Exact, zero},
		{"OSMPSensorDataOut.size", fmi.Integer, 5, fmi.Output, fmi.Discrete, fmi.Exact, zero},
		{"OSMPSensorViewInConfigRequest.base.lo", fmi.Integer, 6, fmi.CalculatedParameter,
			fmi.Fixed, fmi.Calculated, nil},
		{"OSMPSensorViewInConfigRequest.base.hi", fmi.Integer, 7, fmi.CalculatedParameter,
			fmi.Fixed, fmi.Calculated, nil},
		{"OSMPSensorViewInConfigRequest.size", fmi.Integer, 8, fmi.CalculatedParameter, fmi.Fixed,
			fmi.Calculated, nil},
		{"OSMPSensorViewInConfig.base.lo", fmi.Integer, 9, fmi.Parameter, fmi.Fixed, fmi.Exact,
			zero},
		{"OSMPSensorViewInConfig.base.hi", fmi.Integer, 10, fmi.Parameter, fmi.Fixed, fmi.Exact,
			zero},
		{"OSMPSensorViewInConfig.size", fmi.Integer, 11, fmi.Parameter, fmi.Fixed, fmi.Exact, zero},
		{"valid", fmi.Boolean, 0, fmi.Output, fmi.Discrete, fmi.Exact, false},
		{"count", fmi.Integer, 12, fmi.Output, fmi.Discrete, fmi.Exact, zero},
		{"nominalrange", fmi.Real, 0, fmi.Parameter, fmi.Fixed, fmi.Exact, 135.0},
	}, found)
	require.Equal(t, "m", d.Variables.Named("nominalrange").Unit)
}

func TestVariables_EverySensorHasATimeAndACount(t *testing.T) {
	d := dummysensor.Definition()
	for _, k := range simsensor.Kinds() {
		for name, kind := range map[string]fmi.Type{".time": fmi.Real, ".count": fmi.Integer} {
			v := d.Variables.Named(k.String() + name)
			require.NotNil(t, v, k.String()+name)
			require.Equal(t, kind, v.Type)
			require.Equal(t, fmi.Output, v.Causality)
		}
	}
}

func TestVariables_DefaultsOfOurParameters(t *testing.T) {
	d := dummysensor.Definition()
	for name, start := range (set{
		"replay.enabled": true, "replay.scenarioFile": "", "replay.timeUnit": "auto",
		"replay.startDelay": 0.0, "replay.loop": true,
		"replay.strict": false, "imu.axes": "FRD", "imu.gravityCompensation": true,
		"objects.enabled": true,
		"mounting.x":      0.0, "mounting.y": 0.0, "mounting.z": 0.0, "mounting.roll": 0.0,
		"mounting.pitch": 0.0, "mounting.yaw": 0.0,
	}) {
		v := d.Variables.Named(name)
		require.NotNil(t, v, name)
		require.Equal(t, fmi.Parameter, v.Causality, name)
		require.Equal(t, start, v.Start, name)
	}
	require.Equal(t, int32(-1), d.Variables.Named("sensorId").Start)
}

func TestVariables_EveryQuantityIsDescribedAndHasAUnit(t *testing.T) {
	d := dummysensor.Definition()
	for _, v := range d.Variables.All() {
		require.NotEmpty(t, v.Description, v.Name)
		require.Equal(t, v.Type == fmi.Real, v.Unit != "", v.Name)
	}
}

func TestVersion_OfOSIIsTheSameEverywhere(t *testing.T) {
	v := osi3.Version()
	require.Equal(t, osi.Version, fmt.Sprintf("%d.%d.%d", v.GetVersionMajor(), v.GetVersionMinor(),
		v.GetVersionPatch()))
	r := started(t, sixSensors, nil)
	r.steps(1, cycle)
	for _, found := range []*osi3.InterfaceVersion{
		r.message().Version, r.message().SensorView[0].Version,
		r.message().SensorView[0].GlobalGroundTruth.Version,
		r.message().SensorView[0].HostVehicleData.Version,
	} {
		require.Equal(t, v.String(), found.String())
	}
}

func TestStartValues_ChosenByThePackerAreUsed(t *testing.T) {
	d := dummysensor.Definition()
	require.NoError(t, d.OverrideStart("replay.timeUnit=s\nreplay.loop=false\nreplay.scenarioFile="+
		file(t, "32,0,280\n32,1,281\n")))
	r := rigOf(t, d, mock.NewMemory(), modeltest.Host{})
	r.setUp(nil)
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	r.steps(1, 1e9)
	require.Equal(t, 281.0, r.real("thermometer.temperature"))
	require.True(t, r.boolean("replay.finished"))
}
