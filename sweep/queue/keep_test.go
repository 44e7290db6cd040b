package queue_test

import (
	"context"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

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

// TestCrew_LongRun: a run that takes longer than the queue waits for a vanished worker is computed
// once, because its worker signals that it is working.
func TestCrew_LongRun(t *testing.T) {
	if os.Getenv("GOSMP_CLOCK_JUMPS") != "" {
		t.Skip("a server whose clock jumps gives runs out again, which costs time but no rows")
	}
	t.Parallel()
	s := embed(t)
	w := crewOf("nats://"+s.Address(), t.TempDir())
	w.Ping = 500 * time.Millisecond
	var begun atomic.Int32
	w.Start = func(string, string) (sweep.Worker, error) {
		return waitingFor{begun: &begun, long: 10 * w.Ping}, nil
	}
	hire(t, w)
	require.Equal(t, sweep.Passed, collect(t, coordinatorOf("nats://"+s.Address()),
		casesOf("pass=a"))[0].Outcome)
	require.EqualValues(t, 1, begun.Load())
}

// waitingFor is a worker without a process whose runs take a while.
type waitingFor struct {
	begun *atomic.Int32
	long  time.Duration
}

func (w waitingFor) Do(ctx context.Context, c sweep.Case) (sweep.Row, error) {
	w.begun.Add(1)
	select {
	case <-time.After(w.long):
		return act(c), nil
	case <-ctx.Done():
		return sweep.Row{}, ctx.Err()
	}
}

func (waitingFor) Close() error { return nil }
