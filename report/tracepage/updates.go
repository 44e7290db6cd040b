package tracepage

import (
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/updates"
)

// joined are the updates of a trace without a ground truth.
type joined struct{ *updates.Join }

// shows reports whether the scene shows updates.
func (j *joined) shows() bool { return j.Join != nil && j.Len() > 0 }

// text names the channels.
func (j *joined) text() string {
	if j.Len() > 1 {
		return "Objects of channels " + j.Names()
	}
	return "Objects of channel " + j.Names()
}

// update adds the moment that a message completes, and keeps the message if it is an update that is
// shown, which it reports. At the end of the trace, the message is nil.
func (s *scene) update(m *trace.Message) bool {
	if !s.updates.shows() {
		return false
	}
	if last := s.updates.Complete(m); last != nil {
		s.moment(last.Time)
	}
	return m != nil && s.updates.Put(m)
}

// moment adds a moment with the newest objects, if one is due.
func (s *scene) moment(t timebase.Time) {
	if t < s.next || len(s.Frames) > s.most {
		s.skipped = s.skipped || len(s.Frames) > 0
		return
	}
	if truth, err := s.updates.At(t); err == nil { // always; the check reports damage
		s.truth(t, truth)
	}
}
