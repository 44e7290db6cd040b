package trace

import (
	"errors"
	"fmt"

	"gosmp/internal/fault"
	"gosmp/timebase"
	"gosmp/trace/mcap"
)

// ErrRestart reports a trace whose clock has started again; see [Restarts].
var ErrRestart = errors.New("the clock of the trace has started again")

// Restarts says what a source does where the clock of a trace starts again, as when a simulation
// has begun anew in the same file. Each of its drives has its own times; sorting them by time
// would mix them. [mcap.Clocks] has the rule.
type Restarts int

// What a source does at a restart.
const (
	RefuseRestarts Restarts = iota // fail with [ErrRestart]: of indexed files at once
	FollowRestarts                 // give one drive after another; see the Drive of a [Message]
	IgnoreRestarts                 // take all messages for one drive
)

// Drive describes a part of a trace between two restarts of its clock.
type Drive struct {
	Messages   int64
	Start, End timebase.Time // least and greatest log time
}

// SplitRemedy is what to do about a trace whose clock has started again.
const SplitRemedy = "gosmp convert --restarts split writes each drive to a file of its own"

// restarted is the error about a message of a channel that begins another drive.
func restarted(name, topic string, before, after timebase.Time) error {
	return fault.New(ErrRestart, fault.Place{File: name, Object: "channel " + topic},
		fmt.Sprintf("%s s after %s s", Seconds(after), Seconds(before)),
		"the times of one drive").WithHint(SplitRemedy)
}

// watch notices restarts of a source that gives its messages in the order of the file.
func watch(s Source, o Options) Source {
	if s == nil || o.Restarts == IgnoreRestarts {
		return s
	}
	return &watched{Source: s, follow: o.Restarts == FollowRestarts}
}

type watched struct {
	Source
	follow bool
	clocks mcap.Clocks[*Channel]
}

// Next implements [Source].
func (w *watched) Next() (*Message, error) {
	m, err := w.Source.Next()
	if err != nil {
		return nil, err
	}
	before := w.clocks.Newest(m.Channel)
	m.Drive, _ = w.clocks.Take(m.Channel, uint64(m.Time))
	if m.Drive > 0 && !w.follow {
		return nil, restarted(w.Info().Name, m.Channel.Topic, timebase.Time(before), m.Time)
	}
	return m, nil
}

// rewound forgets the times when a player goes back.
type rewound struct {
	seekable
	source *watched
}

func (r *rewound) seek(p position) error {
	r.source.clocks = mcap.Clocks[*Channel]{}
	return r.seekable.seek(p)
}
