package ddspeers

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/bridge/dds"
)

// Peers see the signs of life of our writers, and we see theirs. A silence of two leases must not
// count as an end if the liveliness is automatic, and one lease must if it is manual.
func TestLiveliness(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for leases of peers to run out, on a clock that a busy machine does not keep")
	}
	for _, one := range []struct{ module, script, topic, kind string }{
		{"cyclonedds", cyclone, plainTopic, "String"},
		{"rclpy", rclpy, rosTopic, "std_msgs/String"}} {
		for _, python := range installed(one.module) {
			peer := func(t *testing.T, verb, words string, d int) *peer {
				return start(t, python, one.script, verb, d, one.topic, one.kind, words, 1)
			}
			t.Run(python+" watches", func(t *testing.T) { aliveForOthers(t, peer) })
			t.Run(python+" is watched", func(t *testing.T) { othersAlive(t, peer) })
		}
	}
}

const lease = 2 * time.Second

func aliveForOthers(t *testing.T, start func(t *testing.T, verb, words string, d int) *peer) {
	d := domain()
	p, _ := join(t, d)
	q := dds.QoS{Reliable: true, Depth: 10, Lease: lease}
	w, err := p.NewWriter(stringTopic(q))
	require.NoError(t, err)
	watcher := start(t, "watch", "reliable lease=3", d)
	soon(t, func() bool { return w.Matched() == 1 })
	require.InDelta(t, 1, watcher.next("alive"), 0)
	time.Sleep(2 * lease)
	w.Write(text("still"), time.Now())
	for { // nothing in between
		line := <-watcher.lines
		require.NotContains(t, line, "alive")
		if line["got"] != nil {
			break
		}
	}
	require.NoError(t, watcher.cmd.Process.Kill())

	d = domain()
	p, _ = join(t, d)
	q.Liveliness = dds.ManualByTopic
	w, err = p.NewWriter(stringTopic(q))
	require.NoError(t, err)
	watcher = start(t, "watch", "reliable manual lease=3", d)
	soon(t, func() bool { return w.Matched() == 1 })
	for range 2 {
		w.Write(text("x"), time.Now())
		for watcher.next("alive") != float64(1) {
		}
		require.InDelta(t, 0, watcher.next("alive"), 0)
	}
	require.NoError(t, watcher.cmd.Process.Kill())
}

func othersAlive(t *testing.T, start func(t *testing.T, verb, words string, d int) *peer) {
	d := domain()
	p, warnings := join(t, d)
	got := make(chan dds.Sample, 10)
	q := dds.QoS{Reliable: true, Depth: 10, Lease: 2 * lease}
	_, err := p.NewReader(stringTopic(q), func(s dds.Sample) { got <- s })
	require.NoError(t, err)
	peer := start(t, "vouch", "reliable lease=2", d)
	<-got
	time.Sleep(2 * lease)
	require.Zero(t, p.Counts().Leases)
	require.NoError(t, peer.cmd.Process.Kill())
	soon(t, func() bool { return p.Counts().Leases > 0 })
	require.Contains(t, strings.ToLower(<-warnings), "lease")

	d = domain()
	p, _ = join(t, d)
	q.Liveliness = dds.ManualByTopic
	_, err = p.NewReader(stringTopic(q), func(s dds.Sample) { got <- s })
	require.NoError(t, err)
	peer = start(t, "vouch", "reliable manual lease=2", d)
	<-got
	soon(t, func() bool { return p.Counts().Leases == 1 })
	require.Equal(t, 1, p.Counts().Peers, "the participant is alive")
	require.NoError(t, peer.cmd.Process.Kill())
}
