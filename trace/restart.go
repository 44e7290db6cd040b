package trace

import (
	"errors"
	"fmt"
	"slices"

	"gosmp/internal/fault"
	"gosmp/timebase"
	"gosmp/trace/mcap"
)

// ErrRestart reports a trace whose clock was restarted; see [Restarts].
var ErrRestart = errors.New("the clock of the trace has started again")

// Restarts describes what a source does where the clock of a trace restarts, for example because a
// restarted simulation was recorded to the same file. Each of the resulting drives has its own
// times; sorting all messages by time would mix the drives. For the rule, see [mcap.Clocks].
type Restarts int

// What a source does at a restart.
const (
	RefuseRestarts Restarts = iota // fail with [ErrRestart], for indexed files at once
	FollowRestarts                 // return one drive after another; see the Drive of a [Message]
	IgnoreRestarts                 // treat all messages as one drive
)

// Drive describes a part of a trace between two restarts of its clock.
type Drive struct {
	Messages   int64
	Start, End timebase.Time // least and greatest log time
}

// SplitRemedy is the hint for a trace whose clock was restarted.
const SplitRemedy = "gosmp convert --restarts split writes each drive to a separate file, " +
	"--restarts ignore sorts all messages as one drive"

// restarted returns the error about a message of a channel that begins another drive.
func restarted(name, topic string, before, after timebase.Time) error {
	return fault.New(ErrRestart, fault.Place{File: name, Object: "channel " + topic},
		fmt.Sprintf("%s s after %s s", Seconds(after), Seconds(before)),
		"the times of one drive").WithHint(SplitRemedy)
}

// watch wraps a source that returns messages in file order, to detect restarts.
func watch(s Source, o Options) Source {
	if s == nil || o.Restarts == IgnoreRestarts {
		return s
	}
	w := &watched{Source: s, follow: o.Restarts == FollowRestarts}
	w.inner, _ = seekableOf(s)
	return w
}

type watched struct {
	Source
	follow bool
	inner  seekable // nil if the source cannot go back
	clocks mcap.Clocks[*Channel]

	drive   int
	waiting []held // messages starting with a doubtful one
	ready   []held // messages to return before anything else is read
	ended   error
}

// held is a copy of a message and its position.
type held struct {
	message Message
	at      position
}

// mostWaiting limits the number of messages that wait for the next message of a channel. If it has
// not arrived by then, the channel's clock was not restarted.
const mostWaiting = 1000

// Next implements [Source].
func (w *watched) Next() (*Message, error) {
	for {
		if len(w.ready) > 0 {
			m := &w.ready[0].message
			w.ready = w.ready[1:]
			return m, nil
		}
		if w.ended != nil {
			return nil, w.ended
		}
		at := w.position()
		m, err := w.Source.Next()
		if err != nil {
			w.ended, w.ready, w.waiting = err, w.waiting, nil
			continue
		}
		if mcap.IsDamaged(m.Channel.Metadata) {
			w.clocks.Pass()
		} else {
			w.clocks.Take(m.Channel, uint64(m.Time))
		}
		again := w.clocks.Restarts() > w.drive
		if again && !w.follow {
			r := w.clocks.Newest()
			w.waiting, w.ended = nil, restarted(w.Info().Name, m.Channel.Topic,
				timebase.Time(r.Before), timebase.Time(r.After))
			continue
		}
		if len(w.waiting) == 0 && !again && !w.clocks.Open() {
			m.Drive = w.drive
			return m, nil
		}
		w.wait(m, at)
	}
}

// wait keeps a message until it is clear to which drive it belongs.
func (w *watched) wait(m *Message, at position) {
	copied := *m
	copied.Data = slices.Clone(m.Data)
	copied.Drive = w.drive
	w.waiting = append(w.waiting, held{copied, at})
	if w.clocks.Restarts() > w.drive {
		w.drive++
		for k := range w.waiting {
			w.waiting[k].message.Drive = w.drive
		}
	}
	if !w.clocks.Open() || len(w.waiting) > mostWaiting {
		w.ready, w.waiting = w.waiting, nil
	}
}

// position returns where the next message begins.
func (w *watched) position() (p position) {
	switch {
	case len(w.ready) > 0:
		return w.ready[0].at
	case w.inner != nil:
		return w.inner.position()
	}
	return p
}

// seek forgets the times, because the player has gone back.
func (w *watched) seek(p position) error {
	*w = watched{Source: w.Source, follow: w.follow, inner: w.inner}
	return w.inner.seek(p)
}
