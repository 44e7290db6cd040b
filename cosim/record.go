package cosim

import (
	"context"
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/state"
	"gosmp/timebase"
)

// Recorder writes signals as CSV that FMPy and spreadsheets can read: a line of quoted names, then
// a line for each row. Numbers have the fewest digits that read back as the same number, Booleans
// are 0 or 1, and the elements of an array are separated by blanks. Two rows with the same time
// mark an event. The file does not contain texts and binaries; see [Messages].
type Recorder struct {
	w      *rows
	parts  []Part
	line   []byte
	result *Result
	Rows   int64
}

// Part is a column of a table: a number of elements of a signal, starting with First, under a
// label.
type Part struct {
	Signal       *Signal
	Label        string
	First, Count int
}

// NewRecorder records plain signals and leaves out texts and binaries. A column has the label of
// its signal.
func NewRecorder(w io.Writer, signals ...*Signal) *Recorder {
	parts := make([]Part, len(signals))
	for k, s := range signals {
		parts[k] = Part{Signal: s, Label: s.Label(), Count: s.Variable.Size}
	}
	return NewPartRecorder(w, parts...)
}

// NewPartRecorder is like NewRecorder, for parts of signals.
func NewPartRecorder(w io.Writer, parts ...Part) *Recorder {
	r := &Recorder{w: newRows(w)}
	for _, p := range parts {
		if !p.Signal.Variable.Kind.IsBlob() {
			r.parts = append(r.parts, p)
		}
	}
	return r
}

// Begin writes the names.
func (r *Recorder) Begin(result *Result) error {
	r.result = result
	r.line = append(r.line[:0], `"time"`...)
	for k := range r.parts {
		r.line = append(append(r.line, `,"`...), strings.ReplaceAll(r.parts[k].Label, `"`, `""`)...)
		r.line = append(r.line, '"')
	}
	r.line = append(r.line, '\n')
	return r.w.write(r.line, nil)
}

// Row writes a line.
func (r *Recorder) Row(t timebase.Time, _ Row) error {
	r.line = appendTime(r.line[:0], t, r.result.Seconds(t))
	for n := range r.parts {
		p := &r.parts[n]
		r.line = append(r.line, ',')
		for k, cell := range p.Signal.Cells()[p.First : p.First+p.Count] {
			if k > 0 {
				r.line = append(r.line, ' ')
			}
			r.line = AppendValue(r.line, p.Signal.Variable.Kind, cell)
		}
	}
	r.line = append(r.line, '\n')
	r.Rows++
	return r.w.write(r.line, nil)
}

// Within writes a line between two points.
func (r *Recorder) Within(t timebase.Time) error { return r.Row(t, AtPoint) }

// End flushes the buffer.
func (r *Recorder) End(*Result) error { return r.w.end() }

// Messages writes the values of one text or binary signal, each preceded by its length as four
// bytes, least significant first: the format of an OSI trace file. An empty value is left out.
type Messages struct {
	w      *rows
	signal *Signal
	head   [4]byte
	Count  int64
}

// NewMessages records the first element of a signal.
func NewMessages(w io.Writer, s *Signal) *Messages {
	return &Messages{w: newRows(w), signal: s}
}

// Begin does nothing.
func (m *Messages) Begin(*Result) error { return nil }

// Row writes the current value.
func (m *Messages) Row(_ timebase.Time, _ Row) error {
	_, bytes := m.signal.First()
	if len(bytes) == 0 {
		return nil
	}
	m.Count++
	binary.LittleEndian.PutUint32(m.head[:], uint32(len(bytes)))
	return m.w.write(m.head[:], bytes)
}

// End flushes the buffer.
func (m *Messages) End(*Result) error { return m.w.end() }

// Hash computes the trace hash: SHA-256 over the names, and over the time and values of every row.
// Equal runs have equal hashes.
type Hash struct {
	sum     hash.Hash
	signals []*Signal
	block   []byte
	places  func() []Place
	names   *strings.Replacer // of places, from the first row on; nil if there are none
}

// Place is a path that differs from run to run, such as the folder of an unpacked FMU.
type Place struct {
	Text string // the path as it occurs in texts
	Name string // a name that is the same in every run
}

// Hide makes the hash use the names of places instead of their paths in texts, so that equal runs
// have equal hashes wherever their files are. It calls places at the first row. Binary values are
// hashed unchanged.
func (h *Hash) Hide(places func() []Place) { h.places = places }

// name determines the places. A place whose text contains the text of another one comes before it.
func (h *Hash) name() {
	list := h.places()
	h.places = nil
	slices.SortStableFunc(list, func(a, b Place) int { return len(b.Text) - len(a.Text) })
	var pairs []string
	for _, p := range list {
		if p.Text != "" {
			pairs = append(pairs, p.Text, p.Name)
		}
	}
	if len(pairs) > 0 {
		h.names = strings.NewReplacer(pairs...)
	}
}

// NewHash hashes signals.
func NewHash(signals ...*Signal) *Hash { return &Hash{sum: sha256.New(), signals: signals} }

// Begin adds the names of the signals.
func (h *Hash) Begin(*Result) error {
	for _, s := range h.signals {
		h.block = strconv.AppendQuote(h.block, s.Name())
		h.block = append(h.block, byte(s.Variable.Kind))
	}
	return nil
}

// Row adds a row.
func (h *Hash) Row(t timebase.Time, _ Row) error {
	if h.places != nil {
		h.name()
	}
	h.block = binary.LittleEndian.AppendUint64(h.block, uint64(t))
	for _, s := range h.signals {
		if !s.Variable.Kind.IsBlob() {
			for _, cell := range s.Cells() {
				h.block = binary.LittleEndian.AppendUint64(h.block, canonical(s.Variable.Kind,
					cell))
			}
			continue
		}
		for _, b := range s.Blobs() {
			if h.names != nil && s.Variable.Kind == String {
				b = []byte(h.names.Replace(string(b)))
			}
			h.block = append(binary.LittleEndian.AppendUint64(h.block, uint64(len(b))), b...)
		}
	}
	if len(h.block) >= 1<<14 {
		h.sum.Write(h.block)
		h.block = h.block[:0]
	}
	return nil
}

// canonical maps all bit patterns with the same meaning to a single one.
func canonical(k Kind, cell uint64) uint64 {
	switch {
	case k == Boolean && cell != 0:
		return 1
	case k == Float64 && math.IsNaN(math.Float64frombits(cell)):
		return math.Float64bits(math.NaN())
	}
	return cell
}

// AppendState appends the hash state: a run that continues from it has the same hash as an
// uninterrupted one.
func (h *Hash) AppendState(_ context.Context, b []byte) ([]byte, error) {
	sum, err := h.sum.(encoding.BinaryMarshaler).MarshalBinary()
	return state.AppendBytes(state.AppendBytes(b, sum), h.block), err
}

// RestoreState continues from a state written by AppendState.
func (h *Hash) RestoreState(_ context.Context, saved []byte) error {
	d := &state.Decoder{Data: saved}
	sum, block := d.Bytes(), d.Bytes()
	if err := d.Done(); err != nil {
		return err
	}
	h.block = append(h.block[:0], block...)
	return h.sum.(encoding.BinaryUnmarshaler).UnmarshalBinary(sum)
}

// End does nothing.
func (h *Hash) End(*Result) error { return nil }

// Sum returns the hash of all rows so far, in hexadecimal digits.
func (h *Hash) Sum() string {
	h.sum.Write(h.block)
	h.block = h.block[:0]
	return hex.EncodeToString(h.sum.Sum(nil))
}
