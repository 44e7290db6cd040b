package dummysensor_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"gosmp/fmi"
	"gosmp/mocksim/scene"
	"gosmp/timebase"
)

// digestFile holds a line for each run of TestRun_Digests: its name and the digest of everything
// that a host sees of the run and of its states.
var digestFile = filepath.Join("testdata", "digests.txt")

// runs holds parameters and the host's connections in step k.
var runs = map[string]struct {
	parameters set
	view       func(k int) []byte // nil is "not set again", empty is "no data"
}{
	"replay alone":  {nil, func(int) []byte { return nil }},
	"nothing":       {set{"replay.enabled": false}, func(int) []byte { return nil }},
	"objects alone": {set{"replay.enabled": false}, motorway},
	"both":          {nil, motorway},
	"axes, loop and mounting": {
		set{"imu.axes": "FLU", "imu.gravityCompensation": true, "mounting.yaw": 0.2,
			"mounting.pitch": -0.1, "sensorId": 5, "replay.startDelay": 0.013},
		motorway,
	},
	"noise, losses and occlusion": {
		set{"objects.positionNoise": 0.2, "objects.detectionProbability": 0.8,
			"objects.occlusion": true, "objects.forgetAfter": 3}, motorway,
	},
	"gaps": {set{"input.validate": true}, func(k int) []byte {
		switch k % 7 {
		case 1:
			return nil
		case 2, 3:
			return []byte{}
		case 5:
			return []byte{0xFF, 1, 2}
		}
		return motorway(k)
	}},
	"detection off": {set{"objects.enabled": false}, motorway},
}

func motorway(k int) []byte {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(scene.Motorway(
		timebase.Time(k) * cycle))
	if err != nil {
		panic(err)
	}
	return b
}

// TestRun_Digests compares whole runs with digests that were recorded before steps were made
// faster: statuses, log lines, outputs, messages and states. If a change is meant to alter them,
// record the digests again with -update and explain why.
func TestRun_Digests(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip(
			"the scenes are computed with package math, whose last bits differ between processors")
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(runs)) {
		lines = append(lines, fmt.Sprintf("%s: %.16x", name, runDigest(t, name)))
	}
	if *update {
		require.NoError(t, os.WriteFile(digestFile, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	}
	recorded, err := os.ReadFile(digestFile)
	require.NoError(t, err)
	require.Equal(t, strings.Split(strings.TrimSpace(string(recorded)), "\n"), lines)
}

func runDigest(t *testing.T, name string) []byte {
	r := newRig(t)
	r.setUp(withScenario(t, sixSensors, runs[name].parameters))
	sum := sha256.New()
	fmt.Fprintln(sum, r.ExitInitializationMode(), r.lines(), r.outputs())
	for k := range 40 {
		if view := runs[name].view(k); view != nil && len(view) == 0 {
			r.triple(viewIn, 0, 0)
		} else if view != nil {
			r.provide(viewIn, view)
		}
		status := r.step(cycle)
		require.LessOrEqual(t, status, fmi.Warning)
		fmt.Fprintln(sum, status, r.lines(), r.outputs())
		sum.Write(r.received(dataOut))
	}
	s := r.save()
	r.steps(1, cycle)
	before := r.received(dataOut)
	require.Equal(t, fmi.OK, r.host.TryRestore(s, 0))
	r.now -= cycle
	r.steps(1, cycle)
	require.Equal(t, before, r.received(dataOut), "the step after a saved state repeats itself")
	fmt.Fprintln(sum, r.lines(), r.outputs())
	sum.Write(before)
	return sum.Sum(nil)
}
