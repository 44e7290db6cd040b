package play

import (
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
	w        io.Writer
	entities []traced
	interval float64
	digits   int // of times
	next     int64
	due      bool
	time     []byte // of the rows that are due
	block    []byte // rows that are not written yet
	err      error
}

// traced is what the rows of an entity have in common.
type traced struct {
	name       string // as a field of CSV, between commas
	road, text string // the road of its last row, and the field with a comma
}

// blockSize is the number of bytes that are written at a time; a row may exceed it.
const blockSize = 1 << 16

func newTrajectories(w io.Writer, names []string, interval float64) *trajectories {
	t := &trajectories{w: w, interval: interval, block: make([]byte, 0, blockSize+1<<10)}
	for _, name := range names {
		t.entities = append(t.entities, traced{name: "," + field(name) + ",", text: ","})
	}
	text := strconv.FormatFloat(interval, 'f', -1, 64)
	if k := strings.IndexByte(text, '.'); k >= 0 {
		t.digits = len(text) - k - 1
	}
	t.digits = max(1, t.digits)
	t.block = append(t.block, "time,entity,x,y,h,speed,s,t,road,lane\n"...)
	return t
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
			t.time = appendTime(t.time[:0], now, t.digits)
		}
	}
	if !t.due || s == nil {
		return
	}
	e := &t.entities[k]
	if s.Road != e.road {
		e.road, e.text = s.Road, field(s.Road)+","
	}
	b := append(append(t.block, t.time...), e.name...)
	for _, x := range [...]float64{s.X, s.Y, s.H, s.Speed, s.S, s.T} {
		b = append(appendFixed(b, x), ',')
	}
	b = append(b, e.text...)
	t.block = append(strconv.AppendInt(b, int64(s.Lane), 10), '\n')
	if len(t.block) >= blockSize {
		t.write()
	}
}

// write writes the block, unless it is empty or the writer has failed before.
func (t *trajectories) write() {
	if t.err == nil && len(t.block) > 0 {
		n, err := t.w.Write(t.block)
		if t.err = err; err == nil && n < len(t.block) {
			t.err = io.ErrShortWrite
		}
	}
	t.block = t.block[:0]
}

// pairs holds the numbers from 00 to 99.
const pairs = "0001020304050607080910111213141516171819" +
	"2021222324252627282930313233343536373839" +
	"4041424344454647484950515253545556575859" +
	"6061626364656667686970717273747576777879" +
	"8081828384858687888990919293949596979899"

// appendFixed writes four decimals. A negative number that rounds to zero becomes 0.0000.
func appendFixed(b []byte, x float64) []byte {
	const decimals, scale = 4, 1e4
	if math.Abs(x) < 0.5/scale {
		return append(b, "0.0000"...)
	}
	n, ok := scaled(x, scale)
	if !ok {
		return strconv.AppendFloat(b, x, 'f', decimals, 64)
	}
	const longest = len("-429496.7295")
	k := len(b)
	b = slices.Grow(b, longest)
	d := b[k : k+longest]
	j := 0
	if x < 0 {
		d[0], j = '-', 1
	}
	whole, fraction := n/scale, n%scale
	switch {
	case whole < 10:
		d[j] = '0' + byte(whole)
		j++
	case whole < 100:
		d[j], d[j+1] = pairs[2*whole], pairs[2*whole+1]
		j += 2
	default:
		j = len(strconv.AppendUint(d[:j], uint64(whole), 10))
	}
	high, low := fraction/100*2, fraction%100*2
	d[j], d[j+1], d[j+2], d[j+3], d[j+4] = '.', pairs[high], pairs[high+1], pairs[low], pairs[low+1]
	return b[:k+j+5]
}

// scaled returns the magnitude of x times the scale, rounded. It is not ok for numbers that do not
// fit, or that are near a half.
func scaled(x, scale float64) (n uint32, ok bool) {
	const most = 4e9 // in 32 bits
	product := float64(math.Abs(x) * scale)
	if !(product < most) {
		return 0, false
	}
	// The product is off by less than 1e-3, so it decides unless it is near a half.
	rounded := product + 0.5
	n = uint32(rounded)
	return n, math.Abs(rounded-float64(n)-0.5) <= 0.499
}

// appendTime writes a time, which is not negative, with some decimals.
func appendTime(b []byte, x float64, decimals int) []byte {
	scales := [...]uint32{1, 10, 100, 1000, 1e4}
	if decimals >= len(scales) {
		return strconv.AppendFloat(b, x, 'f', decimals, 64)
	}
	scale := scales[decimals]
	n, ok := scaled(x, float64(scale))
	if !ok {
		return strconv.AppendFloat(b, x, 'f', decimals, 64)
	}
	b = append(strconv.AppendUint(b, uint64(n/scale), 10), '.')
	for scale > 1 {
		n %= scale
		scale /= 10
		b = append(b, '0'+byte(n/scale))
	}
	return b
}

func (t *trajectories) flush() error {
	t.write()
	return t.err
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
