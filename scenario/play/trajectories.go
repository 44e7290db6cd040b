package play

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	gohash "hash"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/scenario/storyboard"
)

// trajectories writes a row for each entity at regular intervals: time, entity, x, y, h, speed, s,
// t, road and lane of its reference point, in SI units, angles in 0 to 2 pi.
type trajectories struct {
	w        *bufio.Writer
	names    []string // as fields of CSV
	interval float64
	digits   int // of times
	next     int64
	due      bool
	row      []byte
	err      error
}

func newTrajectories(w io.Writer, names []string, interval float64) (*trajectories, error) {
	t := &trajectories{w: bufio.NewWriterSize(w, 1<<16), interval: interval}
	for _, name := range names {
		t.names = append(t.names, field(name))
	}
	text := strconv.FormatFloat(interval, 'f', -1, 64)
	if k := strings.IndexByte(text, '.'); k >= 0 {
		t.digits = len(text) - k - 1
	}
	t.digits = max(1, t.digits)
	_, err := t.w.WriteString("time,entity,x,y,h,speed,s,t,road,lane\n")
	return t, err
}

// field quotes a text that contains commas or quotes.
func field(text string) string {
	if strings.ContainsAny(text, ",\"\r\n") {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return text
}

// add writes the row of an entity if it is due. The first entity determines this for all entities
// at that time.
func (t *trajectories) add(now float64, k int, s *storyboard.State) {
	if k == 0 {
		if t.due = now >= float64(float64(t.next)*t.interval)-1e-9; t.due {
			t.next = int64(math.Floor((now+1e-9)/t.interval)) + 1
		}
	}
	if !t.due || s == nil {
		return
	}
	b := strconv.AppendFloat(t.row[:0], now, 'f', t.digits, 64)
	b = append(append(b, ','), t.names[k]...)
	for _, x := range [...]float64{s.X, s.Y, s.H, s.Speed, s.S, s.T} {
		b = append(b, ',')
		b = appendFixed(b, x)
	}
	b = append(append(append(b, ','), field(s.Road)...), ',')
	b = append(strconv.AppendInt(b, int64(s.Lane), 10), '\n')
	t.row = b
	if _, err := t.w.Write(b); err != nil && t.err == nil {
		t.err = err
	}
}

// appendFixed writes four decimals. A negative number that rounds to zero becomes 0.0000.
func appendFixed(b []byte, x float64) []byte {
	const decimals, scale, most = 4, 1e4, 1e8
	if math.Abs(x) < 0.5/scale {
		x = 0
	}
	scaled := float64(math.Abs(x) * scale)
	whole := math.Floor(scaled)
	// The product is off by less than 1e-3, so the fraction decides unless it is near a half.
	if rest := scaled - whole; !(scaled < most*scale) || math.Abs(rest-0.5) < 1e-3 {
		return strconv.AppendFloat(b, x, 'f', decimals, 64)
	} else if rest > 0.5 {
		whole++
	}
	if x < 0 {
		b = append(b, '-')
	}
	n := uint64(whole)
	b = append(strconv.AppendUint(b, n/scale, 10), '.')
	f := n % scale
	return append(b, '0'+byte(f/1000), '0'+byte(f/100%10), '0'+byte(f/10%10), '0'+byte(f%10))
}

func (t *trajectories) flush() error {
	if t.err != nil {
		return t.err
	}
	return t.w.Flush()
}

// hash hashes the states at all evaluations, and all transitions.
type hash struct {
	to    gohash.Hash
	block []byte
}

func newHash() *hash { return &hash{to: sha256.New(), block: make([]byte, 0, 1<<14+1<<10)} }

func (h *hash) add(x float64) {
	h.block = binary.LittleEndian.AppendUint64(h.block, math.Float64bits(x))
	h.flush()
}

// flush hashes the block when it is long enough.
func (h *hash) flush() {
	if len(h.block) >= 1<<14 {
		h.to.Write(h.block)
		h.block = h.block[:0]
	}
}

func (h *hash) text(list ...string) {
	for _, text := range list {
		h.add(float64(len(text)))
		h.block = append(h.block, text...)
	}
}

func (h *hash) state(s *storyboard.State) {
	if s == nil {
		h.add(math.Inf(-1))
		return
	}
	b := h.block
	for _, x := range [...]float64{s.X, s.Y, s.Z, s.H, s.P, s.R, s.Speed} {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	h.block = b
	h.flush()
}

func (h *hash) sum() string {
	h.to.Write(h.block)
	h.block = h.block[:0]
	return hex.EncodeToString(h.to.Sum(nil))
}

func sortedNames(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
