package recording

import (
	"gosmp/internal/state"
	"gosmp/mocksim"
)

// MIMEType is the MIME type of variables whose value is the rows of a step.
const MIMEType = "text/csv; format=simsensor"

// Live provides the rows of a recording to sensors while the host vehicle drives. At the end of a
// step it provides the step's rows, as the bytes that a [Recorder] would write. The first step also
// includes everything before it: the header and the initial rows. There is no end row.
type Live struct {
	rows    *Rows
	pending []byte    // not handed out yet
	portion [2][]byte // used alternately, so that a portion is valid until the second one after it
	turn    int
}

// NewLive starts with the current state. On a map without a geographic position there are no GPS
// rows.
func NewLive(w *mocksim.World, o Options) (*Live, error) {
	o.Indoors = true
	rows, err := NewRows(w, o)
	if err != nil {
		return nil, err
	}
	l := &Live{rows: rows, pending: []byte(Header)}
	return l, l.Sample()
}

// Located reports whether there are GPS rows.
func (l *Live) Located() bool { return l.rows.geo != nil }

// Sample records the rows that are due at the current time. Call it after each step. A removed host
// vehicle measures nothing.
func (l *Live) Sample() (err error) {
	if _, gone := l.rows.w.Actor(l.rows.o.Host); gone == nil {
		l.pending, err = l.rows.Append(l.pending)
	}
	return err
}

// Next hands out the rows recorded since the last call. The bytes are valid until the second call
// after this one.
func (l *Live) Next() []byte {
	l.turn = 1 - l.turn
	l.portion[l.turn] = append(l.portion[l.turn][:0], l.pending...)
	l.pending = l.pending[:0]
	return l.portion[l.turn]
}

// Newest returns the portion that the last call to Next handed out.
func (l *Live) Newest() []byte { return l.portion[l.turn] }

// AppendState appends the state on which the next rows depend, except for the world.
func (l *Live) AppendState(b []byte) []byte {
	b = state.AppendBytes(state.AppendBytes(b, l.Newest()), l.pending)
	return l.rows.AppendState(b)
}

// RestoreState continues from a saved state; the world must be restored, too.
func (l *Live) RestoreState(d *state.Decoder) error {
	l.portion[l.turn] = append(l.portion[l.turn][:0], d.Bytes()...)
	l.pending = append(l.pending[:0], d.Bytes()...)
	return l.rows.RestoreState(d)
}
