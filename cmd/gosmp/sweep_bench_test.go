package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// counting is a state machine that keeps one core busy for about four milliseconds.
const counting = `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript" initial="count">
<datamodel><data id="n" expr="0"/></datamodel>
<state id="count"><onentry><send event="tick" delay="100ms"/></onentry>
<transition event="tick" cond="++n &lt; 2000" target="count"/><transition event="tick" target="success"/></state>
<final id="success"/>
</scxml>`

// countingExperiment runs the machine.
const countingExperiment = `<ExD xmlns="http://schemas.humanbrainproject.eu/SP10/2014/ExDConfig" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<name>Counting</name><thumbnail>none.png</thumbnail><description>A machine counts.</description><timeout time="simulation">3600</timeout>
<environmentModel src="room.sdf"><robotPose x="0" y="0" z="0" roll="0" pitch="0" yaw="0"/></environmentModel>
<bibiConf src="counting.bibi"/>
<experimentEvaluation><stateMachine id="count" xsi:type="SCXMLStateMachine" src="counting.scxml"/></experimentEvaluation>
</ExD>`

// BenchmarkWorkers runs a sweep of 1 000 runs by one and by two workers, as the command does. Each run
// keeps one core busy; a run with FMUs in processes of their own keeps busy more than one, so that
// two workers gain less. The two take turns, so that other load affects both alike, and the fastest
// sweep of each counts. The metric times-one is how many times as many runs two workers compute in
// the same time.
func BenchmarkWorkers(b *testing.B) {
	dir := b.TempDir()
	for name, text := range map[string]string{
		"counting.exc": countingExperiment, "counting.scxml": counting,
		"counting.bibi":      `<bibi xmlns="http://schemas.humanbrainproject.eu/SP10/2014/BIBI"><timestep>100</timestep></bibi>`,
		"workers.sweep.yaml": "experiment: counting.exc\nseeds: 1000\n",
	} {
		require.NoError(b, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	const rounds = 5
	fastest := [3]time.Duration{}
	for range rounds {
		for jobs := 1; jobs <= 2; jobs++ {
			if took := sweepCounting(b, dir, jobs); fastest[jobs] == 0 || took < fastest[jobs] {
				fastest[jobs] = took
			}
		}
	}
	for b.Loop() { // the result has been measured before
	}
	b.ReportMetric(fastest[1].Seconds(), "s-one")
	b.ReportMetric(fastest[2].Seconds(), "s-two")
	b.ReportMetric(fastest[1].Seconds()/fastest[2].Seconds(), "times-one")
	b.ReportMetric(0, "ns/op")
}

// sweepCounting computes all runs, without a row of an earlier sweep.
func sweepCounting(b *testing.B, dir string, jobs int) time.Duration {
	b.Helper()
	c := exec.Command("gosmp", "sweep", "workers.sweep.yaml", "--jobs", fmt.Sprint(jobs), "--store", b.TempDir())
	c.Dir = dir
	begin := time.Now()
	out, err := c.CombinedOutput()
	took := time.Since(begin)
	require.NoError(b, err, "%s", out)
	require.Contains(b, string(out), "1 000 of 1 000 runs finished (0 reused), 1 000 passed")
	return took
}
