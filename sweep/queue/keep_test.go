package queue_test

import (
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"gosmp/sweep"
)

// TestCrew_KeepsRunUntilItsRowIsStored: a run stays in the queue as long as the server does not
// accept its row, so that it is not lost with its worker.
func TestCrew_KeepsRunUntilItsRowIsStored(t *testing.T) {
	t.Parallel()
	s := external(t, &server.Options{JetStream: true})
	c, err := nats.Connect(s.ClientURL())
	require.NoError(t, err)
	defer c.Close()
	js, err := jetstream.New(c)
	require.NoError(t, err)
	config := jetstream.StreamConfig{Name: "GOSMP_ROWS", Subjects: []string{"gosmp.rows.>"},
		MaxMsgsPerSubject: 1, MaxMsgSize: 1}
	_, err = js.CreateStream(t.Context(), config)
	require.NoError(t, err)
	w := crewOf(s.ClientURL(), t.TempDir())
	lines := make(chan string, 100)
	w.Log = func(line string) { lines <- line }
	hire(t, w)
	ended := make(chan map[int]sweep.Row)
	go func() { ended <- collect(t, coordinatorOf(s.ClientURL()), casesOf("pass=a")) }()
	for line := range lines {
		if strings.Contains(line, "a row cannot be stored yet") {
			break
		}
	}
	require.EqualValues(t, 1, queued(t, s.ClientURL()),
		"with the row that the server has not taken")
	config.MaxMsgSize = -1
	_, err = js.UpdateStream(t.Context(), config)
	require.NoError(t, err)
	require.Equal(t, sweep.Passed, (<-ended)[0].Outcome)
}

// TestCrew_LongRun: the worker of a run that takes long signals that it is working, more often than
// the queue waits for a vanished worker. Otherwise, the run would be computed again.
func TestCrew_LongRun(t *testing.T) {
	t.Parallel()
	s := embed(t)
	url := "nats://" + s.Address()
	c, err := nats.Connect(url)
	require.NoError(t, err)
	defer c.Close()
	signs := make(chan string, 1000)
	_, err = c.Subscribe("$JS.ACK.GOSMP_RUNS.>", func(m *nats.Msg) {
		if string(m.Data) == "+WPI" { // work in progress
			signs <- m.Subject
		}
	})
	require.NoError(t, err)
	require.NoError(t, c.Flush())
	w := crewOf(url, t.TempDir())
	w.Start = func(string, string) (sweep.Worker, error) {
		return answering{func(c sweep.Case) (sweep.Row, error) {
			for range 10 {
				<-signs
			}
			return act(c), nil
		}}, nil
	}
	hire(t, w)
	require.Equal(t, sweep.Passed,
		collect(t, coordinatorOf(url), casesOf("pass=a"))[0].Outcome)
	js, err := jetstream.New(c)
	require.NoError(t, err)
	workers, err := js.Consumer(t.Context(), "GOSMP_RUNS", "workers-1-2")
	require.NoError(t, err)
	require.Equal(t, 3*w.Ping, workers.CachedInfo().Config.AckWait)
}
