package tracepage

import (
	"gosmp/timebase"
	"gosmp/trace"
	"gosmp/trace/updates"
)

// joined are the updates of a trace without a ground truth.
type joined struct {
	*updates.Join
	at      timebase.Time // of messages that are not yet in the scene
	waiting bool
}

// shows reports whether the scene shows updates.
func (j *joined) shows() bool { return j.Join != nil && j.Len() > 0 }

// text names the channels.
func (j *joined) text() string {
	if j.Len() > 1 {
		return "Objects of channels " + j.Names()
	}
	return "Objects of channel " + j.Names()
}

// update keeps a message until the messages of the other channels at the same time are known. It
// reports whether the message is an update that is shown.
func (s *scene) update(m *trace.Message) bool {
	if !s.updates.shows() {
		return false
	}
	if s.updates.waiting && m.Time != s.updates.at {
		s.join()
	}
	if !s.updates.Put(m) {
		return false
	}
	s.updates.at, s.updates.waiting = m.Time, true
	return true
}

// join adds a moment with the newest objects, if one is due.
func (s *scene) join() {
	t := s.updates.at
	if !s.updates.waiting || t < s.next || len(s.Frames) > s.most {
		s.skipped = s.skipped || s.updates.waiting && len(s.Frames) > 0
		return
	}
	s.updates.waiting = false
	if truth, err := s.updates.At(t); err == nil { // always; the check reports damage
		s.truth(t, truth)
	}
}
