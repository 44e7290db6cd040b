package run_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer"
	"gosmp/run"
	"gosmp/scenario/play"
)

// stack is a bridge whose vehicle stack stops for the car ahead: it receives the speed of that car
// and, once engaged, requests that speed for the ego vehicle. The transport returns what the bridge
// sends.
const stack = `{"bridge": 1, "system": "ros2", "messages": [
	{"topic": "/speed", "type": "std_msgs/Float64", "direction": "down", "vehicle": "sut",
	 "event": "speed", "from": {"data": "Lead.speed"}},
	{"topic": "/speed", "type": "std_msgs/Float64", "direction": "up", "vehicle": "sut",
	 "event": "wanted", "to": {"data": "Ego.targetSpeed"}},
	{"topic": "/engage", "type": "std_msgs/Bool", "direction": "down", "vehicle": "sut",
	 "event": "engage", "from": {"data": "ENGAGED"}},
	{"topic": "/engage", "type": "std_msgs/Bool", "direction": "up", "vehicle": "sut",
	 "event": "engaged", "to": {"data": "Ego.control"}},
	{"topic": "/mode", "type": "autoware_vehicle_msgs/ControlModeReport", "direction": "down",
	 "vehicle": "sut", "event": "mode", "from": "auto"},
	{"topic": "/mode", "type": "autoware_vehicle_msgs/ControlModeReport", "direction": "up",
	 "vehicle": "sut", "event": "reported"},
	{"topic": "/odom", "type": "nav_msgs/Odometry", "direction": "down", "vehicle": "sut",
	 "event": "odom", "from": "auto"}],
	"transport": {"kind": "loopback"}}`

// printedLines keeps the printed lines.
type printedLines struct{ list, warnings []string }

func (*printedLines) Message(importer.Message) {}
func (p *printedLines) Warn(text string)       { p.warnings = append(p.warnings, text) }
func (p *printedLines) Printed(line string)    { p.list = append(p.list, line) }

// bridged returns the options for the scenario with a bridge, with some texts replaced.
func bridged(t *testing.T, replaced ...string) run.Options {
	t.Helper()
	config := filepath.Join(t.TempDir(), "bridge.json")
	lead := strings.NewReplacer(append([]string{"Lead.", "Target."}, replaced...)...)
	require.NoError(t, os.WriteFile(config, []byte(lead.Replace(stack)), 0o600))
	o := run.Defaults("../examples/ccrs/ccrs.xosc")
	o.Require = []string{"@../examples/ccrs/requirements.txt"}
	o.Bridge = config
	return o
}

// A stack drives an entity of a scenario through topics.
func TestScenarioBridge_AStackDrives(t *testing.T) {
	lines := &printedLines{}
	o := bridged(t, "ENGAGED", "Ego.exists")
	o.Log = lines
	result, err := run.Run(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, play.Passed, result.Scenario.Outcome, result.Scenario.Cause)
	require.Empty(t, result.Scenario.Collisions)
	all := strings.Join(lines.list, "\n")
	require.Contains(t, all, `event wanted {"data":0}`)
	manual, autonomous := strings.Index(all, `event reported {"mode":4`), strings.Index(all,
		`event reported {"mode":1`)
	require.True(t, manual >= 0 && autonomous > manual, "%d, %d: %s", manual, autonomous, all)
}

// Until it is engaged, the storyboard drives.
func TestScenarioBridge_AStackThatIsNotEngagedDoesNot(t *testing.T) {
	result, err := run.Run(t.Context(), bridged(t, "ENGAGED", "Ego.controlled"))
	require.NoError(t, err)
	require.Equal(t, play.Failed, result.Scenario.Outcome)
	require.InDelta(t, 50/3.6, result.Scenario.Collisions[0].ImpactSpeed, 1e-6)
}

// A command that a vehicle cannot carry out, such as a negative speed, is limited, and the run
// continues.
func TestScenarioBridge_ImpossibleCommands(t *testing.T) {
	lines := &printedLines{}
	o := bridged(t, "ENGAGED", "Ego.exists", `"from": {"data": "Lead.speed"}`,
		`"from": {"data": "Ego.acceleration"}`)
	o.Require, o.Log = nil, lines
	result, err := run.Run(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, play.Finished, result.Scenario.Outcome, result.Scenario.Cause)
	require.Contains(t, strings.Join(lines.warnings, "\n"),
		"which input Ego.targetSpeed does not accept (0 or more): it becomes 0")
}

func TestScenarioBridge_Refuses(t *testing.T) {
	_, err := run.Run(t.Context(),
		bridged(t, "ENGAGED", "Ego.exists", "Ego.targetSpeed", "Ego.warp"))
	require.ErrorContains(t, err, "Ego.warp")
	require.Equal(t, 2, run.ExitCode(err))
}
