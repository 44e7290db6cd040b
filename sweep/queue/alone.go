package queue

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"gosmp/sweep"
)

// together is the number of workers that may vanish with a run that shares their process with other
// runs. Any of those runs may have been the cause, so the run is then computed alone.
const together = 2

// attempt is the message about a run that a process began to compute alone. It stays on the server
// if the process vanishes. Its subject has one more part than the subject of a refusal and names
// the process, so that the server knows how many different processes vanished.
type attempt struct {
	Machine string `json:"machine"`
}

func attemptsOf(base, id string) string { return refusalsOf(base) + id + ".alone." }

// attempt computes the run of a message, alone in this process if several workers vanished with it.
// The error is the same as that of [hand.compute].
func (h *hand) attempt(ctx context.Context, m jetstream.Msg, delivery uint64) (sweep.Row, error) {
	base, id := baseIn(m.Subject()), lastToken(m.Subject())
	if delivery <= together || h.vanished(ctx, base, id, delivery) < together {
		return h.compute(ctx, m)
	}
	h.room.RUnlock()
	h.room.Lock() // once the other runs of this process have ended
	defer func() {
		h.room.Unlock()
		h.room.RLock()
	}()
	if others := h.begin(ctx, base, id); others >= Deliveries {
		return sweep.Row{Outcome: sweep.Lost,
			Cause: fmt.Sprintf("its worker vanished each time (%d attempts)", others)}, nil
	}
	row, err := h.compute(ctx, m)
	if ctx.Err() != nil || err != nil {
		h.purge(ctx, h.attemptHere(base, id)) // it has not vanished
	}
	return row, err
}

// attemptHere returns the subject of the attempt of this process at a run.
func (h *hand) attemptHere(base, id string) string {
	return attemptsOf(base, id) + h.machine() + "." + h.refused.name()
}

// begin records an attempt of this process, and returns the number of other processes that vanished
// with the run although they computed nothing else. An attempt that the server cannot store does
// not count.
func (h *hand) begin(ctx context.Context, base, id string) (others int) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s, err := refusals(ctx, h.js)
	if err != nil {
		return 0
	}
	here := h.attemptHere(base, id)
	about, err := s.Info(ctx, jetstream.WithSubjectFilter(attemptsOf(base, id)+">"))
	if err != nil {
		return 0
	}
	for subject := range about.State.Subjects {
		if subject != here {
			others++
		}
	}
	text, _ := json.Marshal(attempt{h.machine()}) // plain values
	_, _ = h.js.Publish(ctx, here, text)
	return others
}
