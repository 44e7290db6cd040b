package smach_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"gosmp/experiment"
	"gosmp/experiment/scxml"
	"gosmp/experiment/smach"
	"gosmp/experiment/trial"
)

const script = `#!/usr/bin/env python
"""A machine for tests: it waits, watches, and clears the road."""
import hbp_nrp_excontrol.nrp_states as states
from smach import StateMachine, CBState
from hbp_nrp_excontrol.logs import clientLogger

FINISHED = 'FINISHED'
ERROR = 'ERROR'

base = Point(100.0, -1.75, 0)

def say(msg):
    @smach.cb_interface(outcomes=['done'])
    def inner(userdata):
        clientLogger.advertise(msg)
        return 'done'
    return inner

def near(ud, pose):
    # within ten metres
    return not (abs(pose.position.x - base.x) < 10 and -3 < pose.position.y <= 0)

sm = StateMachine(outcomes=[FINISHED, ERROR, 'PREEMPTED'])
with sm:
    StateMachine.add('wait', states.ClockDelayState(0.5),
                     transitions={'valid': 'wait', 'invalid': 'until', 'preempted': 'PREEMPTED'})
    StateMachine.add('until', states.WaitToClockState(2), {'valid': 'until', 'invalid': 'greet', 'preempted': 'PREEMPTED'})
    StateMachine.add('greet', CBState(say("It's \"on\" <now>")), {'done': 'put ball'})
    StateMachine.add('put ball', states.SpawnSphere('ball', 0.5, Point(base.x + 200, base.y, 1)),
                     {'succeeded': 'shift', 'aborted': ERROR})
    StateMachine.add('shift', states.SetModelPose('ball', Vector3(300, -1.75, 0), Vector3(0, 0, 0)), transitions={'succeeded': 'watch', 'aborted': ERROR})
    StateMachine.add('watch', states.RobotPoseMonitorState('ego', near),
                     transitions={'valid': 'watch', 'invalid': 'remove', 'preempted': 'PREEMPTED'})
    StateMachine.add('remove', states.DestroyModel('ball'), transitions={'succeeded': 'again', 'aborted': ERROR})
    StateMachine.add('again', states.DestroyModel('ball'), transitions={'succeeded': FINISHED, 'aborted': 'last'})
    StateMachine.add('last', states.RobotPoseMonitorState('ego', lambda ud, p: p.position.x < 120),
                     transitions={'valid': 'last', 'invalid': FINISHED})
`

// stages lists the states of the script in the order in which a run must enter them.
var stages = []string{"wait", "until", "greet", "put_ball", "shift", "watch", "remove", "again",
	"last", "FINISHED"}

const description = `<ExD xmlns="http://schemas.humanbrainproject.eu/SP10/2014/ExDConfig" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<name>SMACH</name><thumbnail>a.png</thumbnail><description>A translated machine.</description><timeout time="simulation">20</timeout>
<environmentModel src="road.xodr"><robotPose robotId="ego" x="20" y="-1.75" z="0" roll="0" pitch="0" yaw="0"/></environmentModel>
<bibiConf src="demo.bibi"/>
<experimentControl><stateMachine id="go" xsi:type="SCXMLStateMachine" src="go.scxml"/></experimentControl>
<experimentEvaluation><stateMachine id="translated" xsi:type="SCXMLStateMachine" src="translated.scxml"/></experimentEvaluation></ExD>`

const driver = `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><state id="a"><transition event="sim.started" target="b"/></state>
<state id="b"><onentry><send type="experiment" event="drive"><content expr="({name: 'ego', speed: 20, accel: 4})"/></send></onentry></state></scxml>`

// TestTranslate_RunsAsTheScriptSays runs the translated machine in an experiment.
func TestTranslate_RunsAsTheScriptSays(t *testing.T) {
	translation, err := smach.Translate("control.exd", []byte(script))
	require.NoError(t, err)
	require.Empty(t, translation.Left)
	require.Equal(t, []int{9, 9}, []int{translation.States, translation.Translated})
	road, err := os.ReadFile("../trial/testdata/road.xodr")
	require.NoError(t, err)
	files := fstest.MapFS{"a.png": {}, "road.xodr": {Data: road},
		"go.scxml": {Data: []byte(driver)}, "translated.scxml": {Data: translation.Chart},
		"demo.bibi": {Data: []byte(`<bibi xmlns="http://schemas.humanbrainproject.eu/SP10/2014/BI` +
			`BI"><bodyModel robotId="ego">car</bodyModel></bibi>`)}}
	var log []string
	x, err := trial.Open("demo.exc", []byte(description), trial.Options{Files: files,
		Log: func(s string) { log = append(log, s) }})
	require.NoError(t, err)
	v, err := x.Run(context.Background())
	require.NoError(t, err)
	require.Equal(t, "FINISHED", v.Judgments[1].Outcome, strings.Join(log, "\n"))
	var entered []string
	for _, line := range log {
		if m := regexp.MustCompile(`^([0-9.]+) translated enter (\S+)`).FindStringSubmatch(
			line); m != nil {
			entered = append(entered, m[2])
			switch m[2] {
			case "until":
				require.Equal(t, "0.500000000", m[1])
			case "greet":
				require.Equal(t, "2.000000000", m[1])
			}
		}
	}
	require.Equal(t, stages, entered)
	require.Contains(t, strings.Join(log, "\n"), `It's "on" <now>`)
	require.Contains(t, strings.Join(log, "\n"),
		`{"name":"ball","kind":"obstacle","x":300,"y":-1.75}`)
}

// TestTranslate_ListsWhatIsMissing: the translator reports one line for each feature that has no
// counterpart.
func TestTranslate_ListsWhatIsMissing(t *testing.T) {
	text := `sm = smach.StateMachine(outcomes=['done'])
with sm:
  sm.add('a', ClockDelayState(random()), transitions={'invalid': 'b'})
  sm.add('b', MyState(3), transitions={'succeeded': 'c'})
  sm.add('c', RobotPoseMonitorState(lambda ud, p: p.position.z > 1), transitions={'invalid': 'd'})
  sm.add('d', smach_ros.MonitorState('/joint/x', Float64, lambda ud, m: m.data != 1), transitions={'invalid': 'e', 'valid': 'd'})
  sm.add('e', SetMaterialColorServiceState('a', 'b', 'c', 'd'), transitions={'succeeded': 'f0'})
  for i in range(3):
    sm.add('f' + str(i), ClockDelayState(1), transitions={'invalid': 'done'})
`
	translation, err := smach.Translate("x.exd", []byte(text))
	require.NoError(t, err)
	require.Equal(t, []int{6, 0}, []int{translation.States, translation.Translated})
	var lines []int
	for _, f := range translation.Left {
		lines = append(lines, f.Place.Line)
		require.NotEmpty(t, f.Message)
	}
	require.Equal(t, []int{3, 4, 5, 6, 7, 9}, lines)
	chart, findings := scxml.Inspect("x.scxml", translation.Chart,
		experiment.Config(fstest.MapFS{}, ""))
	require.NotNil(t, chart, "%v", findings)
	require.Contains(t, string(translation.Chart),
		`event="data.joint.x" cond="!((_event.data.value !== 1))"`)

	for _, bad := range []string{"", "x = 3", "sm = StateMachine(outcomes=[])",
		"sm = StateMachine(", "sm =", "\"\"\"",
		"sm = StateMachine()\nfor i in x:\n  sm.add('a', B())"} {
		_, err := smach.Translate("x.exd", []byte(bad))
		require.ErrorIs(t, err, smach.ErrMachine, bad)
	}
}

// TestTranslate_RefusesOtherNotations: a number in a notation that Python lacks, or that means
// another number there than in Go, is not translated.
func TestTranslate_RefusesOtherNotations(t *testing.T) {
	const script = "sm = smach.StateMachine(outcomes=['done'])\nwith sm:\n" +
		"  sm.add('a', ClockDelayState(%s), transitions={'invalid': 'done'})\n"
	for number, translated := range map[string]int{"8": 1, "0.8e1": 1, "0x1p3": 0, "1_0": 0,
		"0x1p": 0, "infinity": 0} {
		translation, err := smach.Translate("x.exd", fmt.Appendf(nil, script, number))
		require.NoError(t, err)
		require.Equal(t, translated, translation.Translated, number)
	}
}

// TestTranslate_RealScripts translates scripts of the platform where they are present.
func TestTranslate_RealScripts(t *testing.T) {
	folder := os.Getenv("GOSMP_NRP_EXPERIMENTS")
	list, err := filepath.Glob(filepath.Join(folder, "*", "*.exd"))
	require.NoError(t, err)
	if folder == "" || len(list) == 0 {
		t.Skip("GOSMP_NRP_EXPERIMENTS names no copy of the platform's experiments")
	}
	for _, name := range list {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		translation, err := smach.Translate(name, text)
		if err != nil {
			require.ErrorIs(t, err, smach.ErrMachine, name)
			continue
		}
		chart, findings := scxml.Inspect("x.scxml", translation.Chart,
			experiment.Config(fstest.MapFS{}, ""))
		require.NotNil(t, chart, "%s: %v", name, findings)
		t.Logf("%s: %d of %d states", filepath.Base(name), translation.Translated,
			translation.States)
	}
}

// TestTranslate_AnyScript: every translation terminates, and the resulting chart can be loaded. The
// scripts are truncated at arbitrary positions, incomplete, or unusual.
func TestTranslate_AnyScript(t *testing.T) {
	list := []string{
		"sm=StateMachine(outcomes=['a','a'])\nsm.add('1 2',CBState(f('--')),{'x':'a','y':'<'})",
		"a=b\nb=a\nsm=StateMachine(outcomes=[a])\nsm.add('x',ClockDelayState(a+a),{'invalid':'x'})",
		"sm=StateMachine()\nsm.add('', DestroyModel('\\\\x00'), {'succeeded': ''})",
		"sm=StateMachine()\nsm.add('x', SetModelPose('a', Point(1e308*10, 2, 3)), " +
			"{'succeeded': '\xff'})",
		"sm=StateMachine()\nsm.add('x', B(" + strings.Repeat("(", 5000),
		"sm=StateMachine()\nsm.add('x', RobotPoseMonitorState(lambda a, b: " +
			strings.Repeat("not ", 5000) + "b), {'invalid': 'y'})",
	}
	for k := 0; k < len(script); k += 11 {
		list = append(list, script[:k], script[:k]+script[min(len(script), k+40):])
	}
	for _, text := range list {
		translation, err := smach.Translate("x.exd", []byte(text))
		if err != nil {
			require.ErrorIs(t, err, smach.ErrMachine)
			continue
		}
		chart, findings := scxml.Inspect("x.scxml", translation.Chart,
			experiment.Config(fstest.MapFS{}, ""))
		require.NotNil(t, chart, "%v\n%s\n%s", findings, text, translation.Chart)
	}
}

// TestTranslate_KeepsTheMeaning covers syntax that ECMAScript interprets differently from Python.
func TestTranslate_KeepsTheMeaning(t *testing.T) {
	const head = "base = Point(0, -1.75, 0)\ndef near(ud, p):\n  return "
	const tail = "\nsm = StateMachine(outcomes=['done'])\nsm.add('a', " +
		"RobotPoseMonitorState('ego', near), {'invalid': 'done'})\n"
	for python, want := range map[string]string{
		"p.position.y > -base.y": `!((_event.data.actors[&#34;ego&#34;].y &gt; -(-1.75)))`,
		"--p.position.x < 3":     `!((-(-(_event.data.actors[&#34;ego&#34;].x)) &lt; 3))`,
		// These have no counterpart.
		"p.position.x % 2 == 1": "", "p.position.x not in [1, 2]": "",
		"p.position.x > 1 | p.position.y > 1": "", "p.position.x is not None": "",
	} {
		translation, err := smach.Translate("x.exd", []byte(head+python+tail))
		require.NoError(t, err)
		require.Equal(t, want == "", len(translation.Left) == 1, "%s: %v", python, translation.Left)
		require.Contains(t, string(translation.Chart), want)
		_, findings := scxml.Parse("x.scxml", translation.Chart,
			experiment.Config(fstest.MapFS{}, ""))
		require.NoError(t, findings, python)
	}
}

// TestTranslate_LongScripts: the work grows linearly with the length of a script. If it grows
// faster, the test takes minutes.
func TestTranslate_LongScripts(t *testing.T) {
	var names, watches, outcomes strings.Builder
	for k := range 10_000 {
		// each id would consist of underscores
		name := strings.NewReplacer("0", "ä", "1", "ö").Replace(strconv.FormatInt(int64(k), 2))
		names.WriteString("m.add('" + name + "',A(),{'x':'" + name + "ü'})\n")
		outcomes.WriteString("'" + name + "',")
		watches.WriteString("m.add('" + strconv.Itoa(k) + "',MonitorState('/t',T,f))\n")
	}
	for _, text := range []string{
		"m=StateMachine([" + outcomes.String() + "])\n" + names.String(),
		"f=lambda a,b: b.data" + strings.Repeat("+b.data", 4000) + "\nm=StateMachine()\n" +
			watches.String(),
		"f=lambda a,b: b" + strings.Repeat(".x", 100_000) +
			"\nm=StateMachine()\nm.add('a',MonitorState('/t',T,f))\n",
	} {
		_, err := smach.Translate("x.exd", []byte(text))
		require.NoError(t, err)
	}
}
