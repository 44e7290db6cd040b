package dummysensor_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/fmi"
	"gosmp/internal/mock"
	"gosmp/proto/osi3"
	"gosmp/sensor/dummysensor"
)

const rowsIn = "replay.rowsIn"

// portions returns the rows of sixSensors that fall into steps of 20 ms, the first with header and
// start.
func portions() (list []string) {
	for line := range strings.Lines(sixSensors) {
		var stamp int
		_, _ = fmt.Sscanf(line[strings.Index(line, ",")+1:], "%d", &stamp)
		k := max(0, (stamp-1000+19)/20-1, len(list)-1)
		for len(list) <= k {
			list = append(list, "")
		}
		list[k] += line
	}
	return list
}

// live feeds a sensor the rows of each step, as a simulator does, and returns the outputs after
// each step.
func live(r *rig, rows []string) (course []set) {
	for _, portion := range rows {
		r.provide(rowsIn, []byte(portion))
		r.steps(1, cycle)
		course = append(course, r.outputs())
	}
	return course
}

// Live measurements give the same outputs as a replay from a file.
func TestLive_LikeAReplay(t *testing.T) {
	file := started(t, sixSensors, nil)
	r := bundled(t, nil)
	course := live(r, portions())
	require.Len(t, course, 5)
	for k, found := range course {
		file.steps(1, cycle)
		want := file.outputs()
		require.Equal(t, want, found, "step %d", k)
		require.Equal(t, k == 4, want["gps.count"] == int32(2))
	}
	require.Equal(t, file.received(dataOut), r.received(dataOut))
	lines := r.lines()
	require.Len(t, lines, 1)
	require.Contains(t, lines[0],
		"replay.rowsIn is connected: its rows are played, and no recording")
}

// With a SensorView, a live sensor takes its location from it. replay.enabled makes no difference
// either.
func TestLive_TheLocationIsThatOfTheView(t *testing.T) {
	r := newRig(t)
	r.begin(set{"replay.enabled": false})
	view := sensorView(1, 3)
	view.HostVehicleData = &osi3.HostVehicleData{Location: &osi3.BaseMoving{
		Position: vector3d(12, 34, 0.5)}}
	for _, portion := range portions() {
		r.provide(viewIn, marshal(t, view))
		live(r, []string{portion})
	}
	m := r.message()
	require.InDelta(t, 12, m.HostVehicleLocation.Position.GetX(), 0)
	require.Nil(t, m.HostVehicleLocationRmse, "it is the truth")
	require.InDelta(t, -9.6, r.real("accelerometer.z"), 1e-12)
	require.EqualValues(t, 2, r.integer("gps.count"))
}

// A recording named by the user takes precedence.
func TestLive_ANamedRecordingIsPlayedInItsPlace(t *testing.T) {
	r := bundled(t, set{"replay.scenarioFile": dummysensor.ScenarioResource})
	live(r, portions()[:2])
	require.InDelta(t, 202, r.real("thermometer.temperature"), 0)
	require.Zero(t, r.integer("gps.count"))
	lines := r.lines()
	require.Len(t, lines, 1, "said once")
	require.Contains(t, lines[0], "replay.scenarioFile is played")
}

// A sensor continues from a saved state, even in another instance or in one that has already played
// its recording.
func TestLive_States(t *testing.T) {
	rows := portions()
	want := live(bundled(t, nil), rows)
	r := bundled(t, nil)
	live(r, rows[:2])
	saved := r.save()
	require.Equal(t, want[2:], live(r, rows[2:]))
	for _, other := range []*rig{r, bundled(t, nil)} {
		other.lines()
		other.restore(saved, 2*cycle)
		require.Equal(t, want[2:], live(other, rows[2:]))
	}
	begin := bundled(t, nil)
	early := begin.save()
	live(begin, rows)
	begin.lines()
	begin.restore(early, 0)
	begin.triple(rowsIn, 0, 0)
	begin.steps(2, cycle)
	require.InDelta(t, 202, begin.real("thermometer.temperature"), 0, "the recording again")
}

// Rows that arrive early wait for their time, even in a saved state; bad rows are reported.
func TestLive_RowsAheadAndBadOnes(t *testing.T) {
	r := bundled(t, nil)
	r.provide(rowsIn, []byte("32,500,280\n32,x,281\n32,530,282\n32,530,283"))
	r.steps(1, cycle)
	require.InDelta(t, 280, r.real("thermometer.temperature"), 0)
	require.EqualValues(t, 1, r.integer("replay.rejectedRows"))
	lines := strings.Join(r.lines(), "\n")
	require.Contains(t, lines, "replay.rowsIn:2:4")
	saved, now := r.save(), r.now
	for _, other := range []*rig{r, bundled(t, nil)} {
		other.restore(saved, now)
		other.triple(rowsIn, 0, 0)
		other.steps(1, cycle)
		require.InDelta(t, 283, other.real("thermometer.temperature"), 0)
		require.EqualValues(t, 3, other.integer("thermometer.count"))
	}
	strict := rigWith(t, mock.NewMemory(), "/nowhere/resources")
	strict.begin(set{"replay.enabled": false, "replay.strict": true})
	strict.provide(rowsIn, []byte("32,x,281\n"))
	require.Equal(t, fmi.Error, strict.step(cycle))
	require.Contains(t, strings.Join(strict.lines(), "\n"), "replay.rowsIn:1:4")
}

func TestLive_AllocatesNothing(t *testing.T) {
	r := bundled(t, nil)
	row := "1,%d,100,-200,-9800\n8,%d,10,-20,30,1,2,3\n4,%d,95000,52300000000,13400000000," +
		"1700000000123456,140,216,131000,5000,3000,-4000,500,1500,2500,250,785,10,20,9,3\n"
	var address [2000]uint64
	var size [2000]int32
	for k := range address {
		text := fmt.Sprintf(row, 20*k, 20*k, 20*k)
		address[k], size[k] = r.memory.Provide([]byte(text)), int32(len(text))
	}
	in, values, k := []fmi.ValueReference{}, make([]int32, 3), 0
	for _, v := range r.variables.All() {
		if strings.HasPrefix(v.Name, rowsIn+".") {
			in = append(in, v.Reference(fmi.FMI2))
		}
	}
	step := func() {
		values[0], values[1] = int32(uint32(address[k])), int32(uint32(address[k]>>32))
		values[2] = size[k]
		k++
		if r.SetInteger(in, values) != fmi.OK ||
			r.DoStep(float64(r.now)/1e9, 0.02) != fmi.OK {
			panic(r.lines())
		}
		r.now += cycle
	}
	for range 200 {
		step()
	}
	require.Zero(t, testing.AllocsPerRun(1000, step))
	require.Positive(t, r.integer("gps.count"))
}
