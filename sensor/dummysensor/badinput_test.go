package dummysensor_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/fmi"
	"gosmp/fmu"
	"gosmp/internal/mock"
	"gosmp/proto/osi3"
	"gosmp/sensor/dummysensor"
)

// For every scenario that cannot be played, fmi2ExitInitializationMode returns fmi2Error and logs
// one line with the position, what was found and the remedy. After fmi2Reset the same instance can
// play a good one.
func TestBadInput_ScenarioThatCannotBePlayed(t *testing.T) {
	good := file(t, sixSensors)
	unreadable := file(t, sixSensors)
	require.NoError(t, os.Chmod(unreadable, 0))
	readable := func() bool { _, err := os.ReadFile(unreadable); return err == nil }()
	for _, c := range []struct {
		name       string
		parameters set
		texts      []string
		skip       bool
	}{
		{name: "missing", parameters: set{"replay.scenarioFile": "/nowhere/drive.csv"},
			texts: []string{"/nowhere/drive.csv", "scenario file cannot be used",
				"check the path"}},
		{name: "missing relative one", parameters: set{"replay.scenarioFile": "drive.csv"},
			texts: []string{"/nowhere/resources/drive.csv", "scenario file cannot be used"}},
		{name: "missing bundled one", parameters: nil,
			texts: []string{"/nowhere/resources/scenario.csv", "scenario file cannot be used"}},
		{name: "unreadable", parameters: set{"replay.scenarioFile": unreadable}, skip: readable,
			texts: []string{unreadable, "make the file readable"}},
		{name: "directory", parameters: set{"replay.scenarioFile": filepath.Dir(good)},
			texts: []string{filepath.Dir(good), "a directory", "name the CSV file inside it"}},
		{name: "empty file", parameters: withScenario(t, "", nil), texts: []string{"scenario.csv",
			"an empty file", "expected rows like"}},
		{name: "header only", parameters: withScenario(t, "SensorID,Timestamp\n", nil),
			texts: []string{"a header or blank lines only"}},
		{name: "end row first", parameters: withScenario(t, "0\n32,0,280\n", nil),
			texts: []string{"an end row before any other"}},
		{name: "another format", parameters: withScenario(t, "PK\x03\x04abc\n", nil),
			texts: []string{"zip archive"}},
		{name: "nothing but malformed rows", parameters: withScenario(t, "1,0,a,b,c\n", nil),
			texts: []string{"1 malformed rows and no valid one", "scenario.csv:1:5"}},
		{name: "unknown unit", parameters: set{"replay.scenarioFile": good, "replay.timeUnit": "h"},
			texts: []string{"replay.timeUnit", `found "h"`,
				`expected one of "auto", "ms", "us", "s", "ns"`}},
		{name: "unit in capitals",
			parameters: set{"replay.scenarioFile": good, "replay.timeUnit": "MS"},
			texts:      []string{`write "ms"`}},
		{name: "one row without end", parameters: withScenario(t, "32,0,280\n", nil),
			texts: []string{"looping scenario without length", "end the file with a row 0"}},
		{name: "delay beyond the end of time", parameters: set{"replay.scenarioFile": good,
			"replay.startDelay": 1e300},
			texts: []string{"replay.startDelay", "time outside the range"}},
		{name: "strict, malformed row", parameters: withScenario(t, "32,0,280\n32,10,28.5\n0\n",
			set{"replay.strict": true}),
			texts: []string{"scenario.csv:2:7", `found "28.5"`, "whole number"}},
		{name: "strict, decreasing stamp", parameters: withScenario(t, "32,10,280\n32,0,281\n0\n",
			set{"replay.strict": true}),
			texts: []string{"scenario.csv:2:4", "decreasing time stamp", "sort the rows"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.skip {
				t.Skip("this user reads every file")
			}
			r := newRig(t)
			r.setUp(c.parameters)
			require.Equal(t, fmi.Error, r.ExitInitializationMode())
			require.Equal(t, fmi.Erroneous, r.State())
			lines := r.lines()
			require.Len(t, lines, 1, "%q", lines)
			require.True(t, strings.HasPrefix(lines[0],
				"fmi2Error logStatusError: fmi2ExitInitializationMode: "), lines[0])
			for _, text := range c.texts {
				require.Contains(t, lines[0], text)
			}
			require.Equal(t, fmi.Error, r.DoStep(0, 0.02))
			r.lines()

			require.Equal(t, fmi.OK, r.Reset())
			r.setUp(set{"replay.scenarioFile": good})
			require.Equal(t, fmi.OK, r.ExitInitializationMode())
			r.steps(5, cycle)
			require.Equal(t, 12, r.integer("replay.rows"))
			require.Empty(t, r.lines())
		})
	}
}

func TestBadInput_ReadingInInitializationModeReportsItToo(t *testing.T) {
	r := newRig(t)
	r.setUp(set{"replay.scenarioFile": "/nowhere/drive.csv"})
	_, status := r.host.TryGet("replay.rows")
	require.Equal(t, fmi.Error, status)
	require.Len(t, r.lines(), 1)
}

func TestBadInput_DisabledReplayLooksAtNoFile(t *testing.T) {
	r := newRig(t)
	r.setUp(set{"replay.scenarioFile": "/nowhere/drive.csv", "replay.enabled": false})
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	r.steps(3, cycle)
	require.Empty(t, r.lines())
}

func TestBadInput_WrongGUID(t *testing.T) {
	_, err := fmu.Instantiate(dummysensor.Definition(), fmu.Config{InstanceName: "sensor",
		GUID: "{00000000}", Memory: mock.NewMemory()})
	require.ErrorIs(t, err, fmu.ErrInstantiate)
	require.ErrorContains(t, err, "fmuGUID")
}

// Without a resource location, only the bundled scenario is unavailable.
func TestBadInput_NoResourceLocation(t *testing.T) {
	for _, name := range []string{"", "drive.csv"} {
		r := rigWith(t, mock.NewMemory(), "")
		r.setUp(set{"replay.scenarioFile": name})
		require.Equal(t, fmi.Error, r.ExitInitializationMode())
		lines := r.lines()
		require.Len(t, lines, 1)
		require.Contains(t, lines[0], "fmuResourceLocation")
		require.Contains(t, lines[0], "set it to an absolute path, or replay.enabled to false")
	}
	r := rigWith(t, mock.NewMemory(), "")
	r.setUp(set{"replay.scenarioFile": file(t, sixSensors)})
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
}

func TestScenarioPath_IsTakenLiterally(t *testing.T) {
	resources := folder(t)
	for _, name := range []string{
		"with blanks.csv", "Müller straße.csv", "100%.csv", "50%20off.csv", "a#b.csv", "日本/飛行.csv",
		`quote'".csv`, "%s%n.csv",
	} {
		path := filepath.Join(resources, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(sixSensors), 0o600))
		for _, as := range []string{path, name, filepath.Join("..", filepath.Base(resources),
			name)} {
			r := rigWith(t, mock.NewMemory(), resources)
			r.setUp(set{"replay.scenarioFile": as})
			require.Equal(t, fmi.OK, r.ExitInitializationMode(), as)
			require.Equal(t, 6, r.integer("replay.rows"))
			require.Empty(t, r.lines())
		}
	}
}

func TestScenarioPath_EmptyIsTheBundledOne(t *testing.T) {
	resources := folder(t)
	require.NoError(t, os.WriteFile(filepath.Join(resources, dummysensor.ScenarioResource),
		[]byte(sixSensors), 0o600))
	r := rigWith(t, mock.NewMemory(), resources)
	r.setUp(nil)
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	require.Equal(t, 6, r.integer("replay.rows"))
}

// Malformed rows are skipped, reported individually with their positions no matter how many there
// are, and counted in every round.
func TestBadInput_EveryMalformedRowIsReportedOnceAndCounted(t *testing.T) {
	var b strings.Builder
	for k := range 1100 {
		fmt.Fprintf(&b, "32,%d,28.5\n", 10*k)
		fmt.Fprintf(&b, "32,%d,280\n", 10*k)
	}
	r := started(t, b.String(), nil)
	r.steps(549, cycle)
	lines := r.lines()
	require.Len(t, lines, 1100, "one row is read ahead")
	for k, line := range lines {
		require.Contains(t, line, "fmi2Warning simsensor: ")
		require.Contains(t, line, fmt.Sprintf("scenario.csv:%d:", 2*k+1))
		require.Contains(t, line, `found "28.5"`)
	}
	require.Equal(t, []int{1099, 1100}, []int{r.integer("replay.rows"),
		r.integer("replay.rejectedRows")})
	r.steps(550, cycle)
	require.Empty(t, r.lines(), "the second round logs nothing new")
	require.Greater(t, r.integer("replay.rejectedRows"), 2100)
}

// When a host alternates between setting parameters and reading outputs, the file is opened once
// and its oddities are logged once. A different file has its own lines.
func TestBadInput_ReadingInTurnWithSettingReportsNothingTwice(t *testing.T) {
	bad := file(t, strings.Repeat("32,0,28.5\n", 20)+"32,0,280\n0\n")
	r := newRig(t)
	r.setUp(set{"replay.scenarioFile": bad})
	require.Equal(t, 1, r.integer("replay.rows"))
	require.Len(t, r.lines(), 20)
	for _, parameters := range []set{{"nominalrange": 10.0}, {"imu.axes": "FLU"},
		{"mounting.x": 1.0}, {"replay.scenarioFile": bad}} {
		r.set(parameters)
		require.Equal(t, 1, r.integer("replay.rows"))
		require.Empty(t, r.lines(), "%v", parameters)
	}
	r.set(set{"replay.scenarioFile": file(t, strings.Repeat("32,0,28.5\n", 3)+"32,0,280\n0\n")})
	require.Equal(t, 1, r.integer("replay.rows"))
	require.Len(t, r.lines(), 3)
}

// A scenario file that is truncated during playback ends the run.
func TestBadInput_FileThatChangesWhileItIsPlayed(t *testing.T) {
	var stamps []int
	for k := range 100_000 {
		stamps = append(stamps, k)
	}
	name := file(t, thermometer(stamps...))
	r := newRig(t)
	r.setUp(set{"replay.scenarioFile": name})
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	r.steps(10, cycle)
	require.NoError(t, os.Truncate(name, 500))
	status := fmi.OK
	for k := 0; k < 6000 && status == fmi.OK; k++ {
		status = r.step(cycle)
	}
	require.Equal(t, fmi.Error, status)
	lines := r.lines()
	require.Len(t, lines, 1)
	require.Contains(t, lines[0], "fmi2DoStep: ")
	require.Contains(t, lines[0], name)
	require.Contains(t, lines[0], "start again")
}

func TestBadInput_BaseOrSizeZeroAndNegativeSizeAreNoData(t *testing.T) {
	r := started(t, sixSensors, nil)
	good := r.memory.Provide(marshal(t, sensorView(1, 2)))
	for _, c := range []struct {
		address uint64
		size    int32
	}{{0, 1000}, {good, 0}, {0, 0}, {good, -1}, {good, -2147483648}, {0, -5}, {0, 2147483647}} {
		r.triple(viewIn, c.address, c.size)
		r.steps(1, cycle)
		require.EqualValues(t, 1<<32, r.message().SensorView[0].HostVehicleId.GetValue(),
			"%v: our own view", c)
	}
	lines := r.lines()
	require.Len(t, lines, 1, "logged once per run")
	require.Contains(t, lines[0],
		"OSMPSensorViewIn: address and size contradict each other: found address 0x0, size 1000")
	require.Contains(t, lines[0], "all to 0 for no data")
}

func TestBadInput_UndecodableSensorViewWarnsOnceAndIsNoData(t *testing.T) {
	alike := started(t, sixSensors, nil)
	r := started(t, sixSensors, nil)
	view := marshal(t, sensorView(1, 2))
	for k, bytes := range [][]byte{view[:len(view)-1], {0xFF}, {0x0A, 0x7F},
		[]byte("no protobuf at all")} {
		r.provide(viewIn, bytes)
		alike.steps(1, cycle)
		status := r.step(cycle)
		if k == 0 {
			require.Equal(t, fmi.Warning, status)
			lines := r.lines()
			require.Len(t, lines, 1)
			require.Contains(t, lines[0],
				fmt.Sprintf("fmi2DoStep: OSMPSensorViewIn: %d bytes that cannot be used: ",
					len(bytes)))
			require.Contains(t, lines[0], "the step continues without them")
		} else {
			require.Equal(t, fmi.OK, status)
			require.Empty(t, r.lines())
		}
		require.Equal(t, alike.received(dataOut), r.received(dataOut),
			"as if nothing were connected")
	}
	require.NoError(t, r.memory.Faults())
}

// No input bytes crash the model. If the user enables the full check, it accepts exactly what the
// protobuf library accepts.
func TestBadInput_RandomAndTruncatedSensorViews(t *testing.T) {
	for _, validate := range []bool{false, true} {
		for _, enabled := range []bool{false, true} {
			t.Run(fmt.Sprintf("validate %v, detect %v", validate, enabled),
				func(t *testing.T) { feedGarbage(t, validate, enabled) })
		}
	}
}

func feedGarbage(t *testing.T, validate, enabled bool) {
	r := started(t, sixSensors, set{"input.validate": validate, "objects.enabled": enabled})
	random := rand.New(rand.NewPCG(1, 2))
	view := marshal(t, sensorView(3, 4))
	for k := range 3000 {
		data := append([]byte(nil), view...)
		switch k % 3 {
		case 0:
			data = data[:random.IntN(len(data)-1)+1]
		case 1:
			for range 1 + random.IntN(4) {
				data[random.IntN(len(data))] = byte(random.Uint32())
			}
		default:
			data = data[:1+random.IntN(60)]
			for i := range data {
				data[i] = byte(random.Uint32())
			}
		}
		address := r.provide(viewIn, data)
		require.LessOrEqual(t, r.step(cycle), fmi.Warning)
		decodable := proto.Unmarshal(data, &osi3.SensorView{}) == nil
		carried := fields(t, r.received(dataOut), 8)
		require.Len(t, carried, 1)
		if accepted := string(carried[0]) == string(data); accepted != decodable {
			require.False(t, validate || decodable, "round %d: %x", k, data)
		}
		r.memory.Protect(address)
	}
}

func TestBadInput_ExpiredSensorViewIsReportedOnceAndIsNoData(t *testing.T) {
	r := started(t, sixSensors, nil)
	address := r.provide(viewIn, marshal(t, sensorView(1, 1)))
	r.steps(1, cycle)
	r.memory.Protect(address)
	r.steps(3, cycle)
	lines := r.lines()
	require.Len(t, lines, 1)
	require.Contains(t, lines[0],
		"fmi2Warning OSMP: OSMPSensorViewIn: the address was set for an earlier step")
	require.EqualValues(t, 1<<32, r.message().SensorView[0].HostVehicleId.GetValue())
}

func TestBadInput_UndecodableConfiguration(t *testing.T) {
	r := newRig(t)
	r.setUp(withScenario(t, sixSensors, nil))
	r.provide(configIn, []byte{0x0A, 0x7F})
	require.Equal(t, fmi.Error, r.ExitInitializationMode())
	lines := r.lines()
	require.Len(t, lines, 1)
	require.Contains(t, lines[0],
		"OSMPSensorViewInConfig: 2 bytes that are not a SensorViewConfiguration")
}

func TestBadInput_NoMemoryForAMessage(t *testing.T) {
	memory := mock.NewMemory()
	r := rigWith(t, memory, "/nowhere")
	r.setUp(withScenario(t, sixSensors, nil))
	require.Equal(t, fmi.OK, r.ExitInitializationMode())
	memory.Allocations = 0
	require.Equal(t, fmi.Error, r.step(cycle))
	lines := r.lines()
	require.Len(t, lines, 1)
	require.Contains(t, lines[0], "OSMPSensorDataOut: buffer for a message: no memory left")
	require.False(t, r.boolean("valid"))
	require.Nil(t, r.received(dataOut))
}

func TestBadInput_ParametersOutOfRange(t *testing.T) {
	r := newRig(t)
	require.Equal(t, fmi.Error, r.host.TrySet("replay.startDelay", -1))
	require.Contains(t, r.lines()[0], "replay.startDelay")
	r = newRig(t)
	require.Equal(t, fmi.Error, r.host.TrySet("sensorId", -2))
	require.Contains(t, r.lines()[0], "sensorId")
}

// Values that do not describe a sensor are rejected when they are set; permitted values describe
// one, even in combination.
func TestBadInput_NumbersThatDescribeNoSensor(t *testing.T) {
	most := set{"nominalrange": 1e6, "objects.rangeFactor": 1e3, "objects.positionNoise": 1e9,
		"objects.velocityNoise": 1e9}
	for name, limit := range most {
		r := newRig(t)
		require.Equal(t, fmi.Error, r.host.TrySet(name, math.Nextafter(limit.(float64), 1e300)))
		lines := r.lines()
		require.Len(t, lines, 1)
		require.Contains(t, lines[0], name)
	}
	r := newRig(t)
	most["replay.enabled"] = false
	r.setUp(most)
	require.Equal(t, fmi.OK, r.ExitInitializationMode(), "%v", r.log.Lines)
}

func TestBadInput_UnknownAxesAreRefusedWhenTheyAreSet(t *testing.T) {
	r := newRig(t)
	require.Equal(t, fmi.Error, r.host.TrySet("imu.axes", "NED"))
	require.Equal(t,
		[]string{
			`fmi2Error logStatusError: fmi2SetString: wrong argument: imu.axes: "NED" is not ` +
				`one of FRD, FLU`}, r.lines())
}
