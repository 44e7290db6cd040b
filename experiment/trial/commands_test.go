package trial_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/trial"
)

// TestCommands simulates a user who controls a run.
func TestCommands(t *testing.T) {
	for line, ok := range map[string]bool{"pause": true, " resume ": true, "step": true,
		"step 5": true, "step 0": false, "step x": false, "extend 2.5": true, "extend": false,
		"extend -1": false, "extend NaN": false, "extend inf": false, "extend 1e300": false,
		"save a b": true, "save": false, "stop now": false, "": false, "reset": true} {
		_, err := trial.ParseCommand(line)
		require.Equal(t, ok, err == nil, "%q: %v", line, err)
	}
	play := func(lines ...string) (*trial.Verdict, []string) {
		commands := make(chan trial.Command, len(lines))
		for _, line := range lines {
			c, err := trial.ParseCommand(line)
			require.NoError(t, err)
			commands <- c
		}
		close(commands)
		var log []string
		v, err := open(t, files(t, true, `event="step" cond`, `event="never" cond`),
			trial.Options{Commands: commands, Held: true,
				Log: func(s string) { log = append(log, s) }}).Run(t.Context())
		require.NoError(t, err)
		return v, log
	}
	v, log := play("step 3", "pause", "extend 5", "resume")
	require.Equal(t, []any{"timeout", 35.0}, []any{v.EndedBy, v.Time})
	require.Contains(t, strings.Join(log, "\n"), "pause: Pause: not possible in this state")
	v, _ = play("step 7", "step 8", "stop")
	require.Equal(t, []any{"stopped", 0.3, trial.Stopped}, []any{v.EndedBy, v.Time, v.State})
	v, _ = play("resume", "stop")
	require.Equal(t, "stopped", v.EndedBy)
	v, _ = play("step 9", "reset", "step 2", "stop")
	require.Equal(t, []any{"stopped", 0.04}, []any{v.EndedBy, v.Time})
	v, _ = play("extend 5", "resume")
	require.Equal(t, []any{"timeout", 35.0}, []any{v.EndedBy, v.Time}, "before the start, too")
	v, _ = play("extend 9e9", "step 2", "extend 9e9", "step 2", "stop")
	require.Equal(t, "stopped", v.EndedBy, "time does not overflow")
}

// TestCommands_AtTheTimeout verifies that the user is asked whether to extend the timeout (EX05),
// and that the trial is paused until the answer.
func TestCommands_AtTheTimeout(t *testing.T) {
	play := func(answers ...string) (*trial.Verdict, string) {
		commands, asked := make(chan trial.Command), make(chan struct{}, 9)
		var log []string
		o := trial.Options{Commands: commands, Log: func(line string) {
			if log = append(log, line); strings.HasSuffix(line,
				"has elapsed: extend SECONDS, or stop") {
				asked <- struct{}{}
			}
		}}
		go func() {
			defer close(commands)
			for _, answer := range answers {
				<-asked
				c, err := trial.ParseCommand(answer)
				if err != nil {
					panic(err)
				}
				commands <- c
			}
			<-asked
		}()
		v, err := open(t, files(t, true, `event="step" cond`, `event="never" cond`),
			o).Run(t.Context())
		require.NoError(t, err)
		return v, strings.Join(log, "\n")
	}
	for _, c := range []struct {
		answers []string
		ended   string
		time    float64
		logged  []string
	}{
		// without an answer
		{nil, "timeout", 30, []string{"the timeout of 30 s has elapsed", "sim.paused"}},
		{[]string{"extend 5"}, "timeout", 35, []string{"timeout extended to 35 s",
			"the timeout of 35 s has elapsed"}},
		{[]string{"extend 5", "extend 1"}, "timeout", 36,
			[]string{"the timeout of 36 s has elapsed"}},
		{[]string{"resume", "extend 5"}, "timeout", 35,
			[]string{"resume: the timeout has elapsed: extend SECONDS, or stop"}},
		{[]string{"step 3"}, "timeout", 30, []string{"step: the timeout has elapsed"}},
	} {
		v, log := play(c.answers...)
		require.Equal(t, []any{c.ended, c.time, trial.Stopped, 3}, []any{v.EndedBy, v.Time, v.State,
			v.ExitCode()}, c.answers)
		for _, line := range c.logged {
			require.Contains(t, log, line, c.answers)
		}
	}
}

// TestCommands_StopAtTheTimeout verifies that the timeout ends the trial if it is not extended, and
// that it counts from the beginning after a reset.
func TestCommands_StopAtTheTimeout(t *testing.T) {
	for _, c := range []struct {
		answers []string
		ended   string
	}{{[]string{"stop"}, "timeout"}, {[]string{"reset", "step 2", "stop"}, "stopped"}} {
		commands, started := make(chan trial.Command, len(c.answers)), false
		o := trial.Options{Commands: commands, Log: func(line string) {
			if strings.HasSuffix(line, "has elapsed: extend SECONDS, or stop") && !started {
				started = true
				for _, answer := range c.answers {
					command, err := trial.ParseCommand(answer)
					require.NoError(t, err)
					commands <- command
				}
			}
		}}
		v, err := open(t, files(t, true, `event="step" cond`, `event="never" cond`),
			o).Run(t.Context())
		require.NoError(t, err)
		require.Equal(t, c.ended, v.EndedBy)
	}
}

// TestCommands_EndWithABrokenStart verifies that a run does not wait for commands when its machines
// cannot start.
func TestCommands_EndWithABrokenStart(t *testing.T) {
	for _, do := range []string{"resume", "step"} {
		commands := make(chan trial.Command, 1) // stays open
		commands <- trial.Command{Do: do, Steps: 1}
		endless := files(t, false, `<transition event="sim.started" target="driving"/>`,
			`<transition target="waiting"/>`)
		v, err := open(t, endless, trial.Options{Commands: commands, Held: true}).Run(t.Context())
		require.Error(t, err, do)
		require.Equal(t, []any{"error", trial.Halted}, []any{v.Outcome, v.State})
	}
}
