package activity

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// showcase returns a node with one of everything that a dump shows. Its modules are created in
// either order.
func showcase(t *testing.T, backwards bool) *Node {
	n := NewNode(NodeSpec{Managers: 2})
	parts := []func(){
		func() { carInput(n, "PedalsIO", "pedals", 10*tick, 0, 0) },
		func() { carInput(n, "WheelIO", "wheel", 15*tick, 0, 0) },
		func() { carSim(n, 1) },
		func() {
			m := n.Module("Motion \"IO\"")
			alarm := m.PeriodicAlarm("clock", 0, 20*tick)
			nobody := Open[int](n, "nobody").Reader(m, ReaderSpec{Label: "x"})
			work := func(Cycle) error { return nil }
			m.Activity("out", Spec{Trigger: And(alarm, Or(nobody, m.AperiodicAlarm("stop"))),
				Work: work,
				Safe: Safe{On: alarm, Periods: 2, Work: work}}).
				SwitchOn(0)
			m.Activity("off", Spec{Trigger: Regulate(alarm, 0, 50*tick), Work: work})
		},
	}
	for i := range parts {
		if backwards {
			i = len(parts) - 1 - i
		}
		parts[i]()
	}
	c, err := NewVirtualClock(n, 0)
	require.NoError(t, err)
	require.NoError(t, c.AdvanceTo(100*tick))
	return n
}

func text(t *testing.T, n *Node) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, n.WriteText(&b))
	return b.String()
}

func TestTextShowsWhoWritesReadsAndTriggers(t *testing.T) {
	got := text(t, showcase(t, false))
	require.Equal(t, got, text(t, showcase(t, true)), "in any order of creation")
	for _, line := range []string{
		"node at 0.100000000s, tick 0.001000000s, 2 manager(s)\n",
		"channel \"nobody\" of int\n  read by Motion \"IO\": entry \"x\", AdaptEventStream, " +
			"triggers Motion \"IO\"/out\n" +
			"    finds nothing to read: no writer for entry \"x\"\n",
		"channel \"pedals\" of float64\n  stream \"\" written by PedalsIO: 10 data, 10 kept, up " +
			"to 0.100000000s\n" +
			"  read by CarSim: entry 0, AdaptEventStream, triggers CarSim/step\n",
		"alarm PedalsIO/clock every 0.010000000s: fired 10 times, triggers PedalsIO/sample\n",
		", triggers Motion \"IO\"/off, Motion \"IO\"/out, the safe callback of Motion \"IO\"/out\n",
		"activity CarSim/step: manager 1, order 10, triggered by And(channel \"pedals\", entry 0 " +
			"read by CarSim, channel \"wheel\", " +
			"entry 0 read by CarSim)\n  activity CarSim/step at 0.100000000s: ran 13 times, last " +
			"for [0.090000000s,0.100000000s). ",
	} {
		require.Contains(t, got, line)
	}
}

func TestDotIsAGraph(t *testing.T) {
	n := showcase(t, false)
	var b, again strings.Builder
	require.NoError(t, n.WriteDot(&b))
	require.NoError(t, showcase(t, true).WriteDot(&again))
	require.Equal(t, b.String(), again.String())
	for _, line := range []string{
		`"module PedalsIO" -> "channel pedals" [label=""];`,
		`"channel pedals" -> "module CarSim" [label="entry 0"];`,
		`"channel pedals" -> "activity CarSim/step" [style=dashed, label="and"];`,
		`"alarm PedalsIO/clock every 0.010000000s" -> "activity PedalsIO/sample" ` +
			`[style=dashed, label=""];`,
		`subgraph "cluster Motion \"IO\"" {`,
		`[style=dashed, label="regulated"];`,
		`"alarm Motion \"IO\"/clock every 0.020000000s" -> "activity Motion \"IO\"/out" ` +
			`[style=dotted, label="safe"];`,
	} {
		require.Contains(t, b.String(), line)
	}
}

// Graphviz accepts the graph and reads the same arrows from it.
func TestDotIsDrawnByGraphviz(t *testing.T) {
	dot, err := exec.LookPath("dot")
	if err != nil {
		t.Skip("Graphviz is not installed: the graph has not been drawn")
	}
	n := showcase(t, false)
	n.Module("bytes \xff \\N <b>")
	var b strings.Builder
	require.NoError(t, n.WriteDot(&b))
	draw := func(format string) string {
		cmd := exec.Command(dot, "-T"+format)
		cmd.Stdin = strings.NewReader(b.String())
		var problems strings.Builder
		cmd.Stderr = &problems
		out, err := cmd.Output()
		require.NoError(t, err, problems.String())
		require.Empty(t, problems.String())
		return string(out)
	}
	require.Contains(t, draw("svg"), "</svg>")
	var arrows []string
	for line := range strings.Lines(draw("plain")) {
		if strings.HasPrefix(line, "edge ") {
			arrows = append(arrows, line)
		}
	}
	require.Len(t, arrows, strings.Count(b.String(), " -> "))
	require.Len(
		t,
		slices.DeleteFunc(
			arrows,
			func(line string) bool { return !strings.Contains(line, " dotted ") },
		),
		1,
		"the alarm of the safe callback",
	)
}

func TestDumpsPassOnTheErrorOfTheWriter(t *testing.T) {
	n := showcase(t, false)
	for _, write := range []func() error{
		func() error {
			return n.WriteText(failingWriter{})
		}, func() error { return n.WriteDot(failingWriter{}) },
	} {
		require.ErrorIs(t, write(), os.ErrClosed)
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWhyDoesThisActivityNotRun(t *testing.T) {
	r := newRig(t, NodeSpec{})
	ch := Open[int](r.node, "c")
	read := ch.Reader(r.module, ReaderSpec{Label: "left"})
	alarm := r.module.PeriodicAlarm("alarm", 0, 20*tick)
	request := r.module.AperiodicAlarm("request")
	work := func(Cycle) error { return nil }
	and := r.module.Activity(
		"and",
		Spec{
			Trigger: And(alarm, read),
			Work:    work,
			Safe:    Safe{On: alarm, Periods: 3, Work: work},
		},
	)
	or := r.module.Activity(
		"or",
		Spec{Trigger: Or(request, r.module.StepAlarm("step")), Work: work},
	)
	reg := r.module.Activity("reg", Spec{Trigger: Regulate(read, 0, 50*tick), Work: work})
	why := func(a *Activity, parts ...string) {
		t.Helper()
		for _, p := range parts {
			require.Contains(t, a.Why(), p)
		}
	}
	why(and, "activity test/and at 0.000000000s: never ran. The node has no clock yet.")
	r.start()
	why(and, "It is not switched on.")
	and.SwitchOn(0)
	why(
		and,
		"Next when And waits until alarm test/alarm fires at 0.000000000s, and until a module "+
			"makes a writer for entry \"left\""+
			" of channel \"c\" (there is none).",
	)
	w := ch.StreamWriter(r.node.Module("IO"), "left")
	r.to(1)
	why(
		and,
		"And waits until IO writes to channel \"c\" (entry \"left\"), which it has never done; "+
			"it holds alarm test/alarm every"+
			" 0.020000000s from 0.000000000s on.",
	)
	or.SwitchOn(0)
	or.SwitchOff(timebase.Second)
	why(
		or,
		"It is switched off from 1.000000000s on. Next when Or waits until alarm test/request is "+
			"requested, or until the clock"+
			" makes a step.",
	)
	require.NoError(t, request.Request(30*tick))
	why(or, "alarm test/request fires at 0.030000000s")
	reg.SwitchOn(40 * tick)
	why(
		reg,
		"It is switched on from 0.040000000s on. Next when the regulator has input, and for that "+
			"until IO writes",
	)
	require.NoError(t, w.Write(span(0, 20), 0))
	why(and, "It is scheduled 1 times in manager 0 and waits for its turn.")
	r.to(20)
	why(and, "ran 1 times, last for [0.000000000s,0.020000000s). ")
	why(
		reg,
		"the input of the regulator goes past 0.040000000s (it has come to 0.020000000s)",
		"IO writes to channel \"c\" (entry"+
			" \"left\") again after 0.040000000s",
	)
	w.Stop()
	why(reg, "again, which it stopped at 0.020000000s")
	r.to(100)
	why(and, "Its input has failed for 4 periods, and the safe callback runs.")
	Open[bool](r.node, "c")
	why(and, "The node cannot run: channel \"c\": payload types differ")
}

// The next time shown is never before the switch-on.
func TestWhy_BeforeTheSwitchOn(t *testing.T) {
	r := newRig(t, NodeSpec{})
	alarm, asked := r.module.PeriodicAlarm("alarm", 0, 20*tick), r.module.AperiodicAlarm("asked")
	require.NoError(t, asked.Request(5*tick))
	ch := Open[int](r.node, "c")
	writeAll(t, ch.StreamWriter(r.module, ""), spansOf(0, 10))
	read := ch.Reader(r.module, ReaderSpec{})
	activity := func(name string, on timebase.Time, trigger Trigger) *Activity {
		a := r.module.Activity(
			name,
			Spec{Trigger: trigger, Work: func(Cycle) error { return nil }},
		)
		a.SwitchOn(on * tick)
		return a
	}
	want := map[*Activity]string{
		activity("on the grid", 60, alarm): "Next when alarm test/alarm fires at 0.060000000s.",
		activity("off the grid", 50, alarm): "Next when alarm test/alarm fires for the period " +
			"that contains 0.050000000s.",
		activity("at once", 0, alarm):   "Next when alarm test/alarm fires at 0.000000000s.",
		activity("requested", 5, asked): "Next when alarm test/asked fires at 0.005000000s.",
		activity("not requested", 30, asked): "Next when alarm test/asked is requested for " +
			"0.030000000s or later.",
		activity("data", 30, And(read, read)): "again after 0.030000000s, and until",
		activity("either", 40, Or(alarm, r.module.StepAlarm("step"))): "Next when Or waits until " +
			"alarm test/alarm fires at 0.040000000s," +
			" or until the clock makes a step beyond 0.040000000s.",
	}
	r.start()
	for a, text := range want {
		require.Contains(t, a.Why(), text)
	}
	for a := range want {
		a.SwitchOff(70 * tick)
	}
	r.to(100)
	for a := range want {
		require.Regexp(
			t,
			"It has been switched off since 0.070000000s, and runs only for what comes late for "+
				"the time before.|It is not switched on.",
			a.Why(),
		)
	}
}

func TestErrorsNameFoundAndExpected(t *testing.T) {
	e := fault.New(ErrSpec, fault.At("here"), "this", "that").WithHint("do something")
	require.EqualError(
		t,
		e,
		"here: unusable specification: found this, expected that; do something",
	)
	require.EqualError(t, fault.New(ErrSpec, fault.At("here"), "",
		""), "here: unusable specification")
	require.True(t, errors.Is(e, ErrSpec))
	require.Equal(t, "stream gap", StreamGap.String())
	require.Equal(t, "clock late", ClockLate.String())
	require.Equal(t, "Finding(200)", Finding(200).String())
	require.Zero(t, NewNode(NodeSpec{}).Findings(Finding(200)))
	require.Equal(t, "Match(9)", Match(9).String())
	require.Equal(t, "stream or event", AnyKind.String())
}
