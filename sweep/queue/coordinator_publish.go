package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// refusals reports the machines that could not prepare runs of this sweep, once each.
func (q *Coordinator) refusals(ctx context.Context) error {
	list, err := refusedBy(ctx, q.js, q.Experiment.Base, "*")
	if err != nil {
		return err
	}
	machines := machinesIn(list)
	for _, machine := range slices.Sorted(maps.Keys(machines)) {
		if q.refused[machine] {
			continue
		}
		if r, at := refusalAt(ctx, q.js, machines[machine]); at > q.earlier {
			q.refused[machine] = true
			q.Log(fmt.Sprintf("%s leaves runs to others: %.500s", machine, r.Reason))
		}
	}
	return nil
}

// publish puts runs into the queue, in the order of the table.
func (q *Coordinator) publish(ctx context.Context, list []string) error {
	sortByIndex(list, q.waiting)
	const atOnce = 256
	futures := make([]jetstream.PubAckFuture, 0, atOnce)
	for len(list) > 0 {
		futures = futures[:0]
		for _, id := range list[:min(atOnce, len(list))] {
			x := q.waiting[id]
			text, err := json.Marshal(order{q.Experiment.Base, q.Experiment.Name, x.Set, x.Seed,
				x.Files, q.Timeout.Seconds(), q.Attempts})
			if err != nil {
				return err
			}
			f, err := q.js.PublishAsync(runsOf(q.Version, q.Experiment.Base)+id, text)
			if err != nil {
				return err
			}
			futures = append(futures, f)
		}
		if err := wait(ctx, futures); err != nil {
			return err
		}
		list = list[len(futures):]
	}
	return nil
}

// wait waits until the server has stored what was published.
func wait(ctx context.Context, futures []jetstream.PubAckFuture) error {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for _, f := range futures {
		select {
		case <-f.Ok():
		case err := <-f.Err():
			if !refused(err) {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-limit.C:
			return nats.ErrTimeout
		}
	}
	return nil
}

// withdraw removes from the queue the runs that no worker has started.
func (q *Coordinator) withdraw() {
	if q.runs == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience/2)
	defer cancel()
	if err := q.runs.Purge(ctx, jetstream.WithPurgeSubject(runsOf(q.Version, q.Experiment.Base)+
		"*")); err != nil {
		q.Log("the runs that have not begun stay in the queue: " + err.Error())
	}
}

// upload stores the files of the experiment if the server does not have them.
func (q *Coordinator) upload(ctx context.Context) error {
	store, err := experiments(ctx, q.js)
	if err != nil {
		return err
	}
	ask, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if _, err := store.GetInfo(ask, short(q.Experiment.Base)); !errors.Is(err,
		jetstream.ErrObjectNotFound) {
		return err
	}
	from, to := io.Pipe()
	packed := make(chan error, 1)
	go func() {
		err := q.Experiment.Pack(to)
		to.CloseWithError(err)
		packed <- err
	}()
	_, err = store.Put(ctx,
		jetstream.ObjectMeta{Name: short(q.Experiment.Base), Description: q.Experiment.Name}, from)
	err = errors.Join(err, from.Close())
	if cause := <-packed; err != nil && cause != nil && !errors.Is(cause, io.ErrClosedPipe) {
		return &stopped{cause} // no server can help with this
	}
	return err
}
