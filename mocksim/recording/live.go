package recording

import (
	"gosmp/internal/state"
	"gosmp/mocksim"
)

// MIMEType is the MIME type of the rows of a step, as the value of a variable.
const MIMEType = "text/csv; format=simsensor"

// Live hands the rows of a recording to sensors while the host vehicle drives: the rows of a step
// at its end, as the bytes that a [Recorder] would write. The first step also has everything that
// comes before it, header and rows of the start. There is no end row.
type Live struct {
	rows    *Rows
	pending []byte    // not handed out yet
	portion [2][]byte // in turn, so that one lives until the second next
	turn    int
}

// NewLive starts with the present state. On a map without a geographic position there are no rows
// of GPS.
func NewLive(w *mocksim.World, o Options) (*Live, error) {
	o.Indoors = true
	rows, err := NewRows(w, o)
	if err != nil {
		return nil, err
	}
	l := &Live{rows: rows, pending: []byte(Header)}
	return l, l.Sample()
}

// Located reports whether there are rows of GPS.
func (l *Live) Located() bool { return l.rows.geo != nil }

// Sample takes what is due at the present time. Call it after each step. A host vehicle that is gone
// measures nothing.
func (l *Live) Sample() (err error) {
	if _, gone := l.rows.w.Actor(l.rows.o.Host); gone == nil {
		l.pending, err = l.rows.Append(l.pending)
	}
	return err
}

// Next hands out what has been taken since the last call. The bytes live until the second next call.
func (l *Live) Next() []byte {
	l.turn = 1 - l.turn
	l.portion[l.turn] = append(l.portion[l.turn][:0], l.pending...)
	l.pending = l.pending[:0]
	return l.portion[l.turn]
}

// Newest returns the portion that the last call of Next has handed out.
func (l *Live) Newest() []byte { return l.portion[l.turn] }

// AppendState appends everything besides the world on which the next rows depend.
func (l *Live) AppendState(b []byte) []byte {
	b = state.AppendBytes(state.AppendBytes(b, l.Newest()), l.pending)
	return l.rows.AppendState(b)
}

// RestoreState continues from a state, together with the world.
func (l *Live) RestoreState(d *state.Decoder) error {
	l.portion[l.turn] = append(l.portion[l.turn][:0], d.Bytes()...)
	l.pending = append(l.pending[:0], d.Bytes()...)
	return l.rows.RestoreState(d)
}
