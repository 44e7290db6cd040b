package simsensor

import "math"

// flaw explains why the reading of a row stopped: the problem, and the column counted from 0.
type flaw struct {
	kind   ProblemKind
	column int
}

// noFlaw is the flaw of a good row. FileProblem never belongs to a row.
var noFlaw = flaw{}

// rawRow is a row split into columns, before it is checked against its sensor's fields.
type rawRow struct {
	id, stamp int64
	fields    [MaxFields]int64
	count     int // fields of the row; those beyond the sensor's own are counted, not read
	padded    bool
}

// cut reads a line that has neither line end nor trailing commas. Fields that the row's sensor does
// not have are not examined.
func (r *rawRow) cut(b []byte) flaw {
	r.padded, r.count = false, 0
	i, kind := r.number(b, 0, &r.id)
	if kind != FileProblem {
		return flaw{kind, 0}
	}
	if r.id == int64(End) {
		return noFlaw
	}
	if !isSensor(r.id) {
		return flaw{UnknownSensor, 0}
	}
	if i >= len(b) {
		return flaw{MissingStamp, 1}
	}
	if i, kind = r.number(b, i+1, &r.stamp); kind != FileProblem {
		return flaw{kind, 1}
	}
	own := len(sensors[Kind(r.id).Index()].fields)
	for i < len(b) && r.count < own {
		if i, kind = r.number(b, i+1, &r.fields[r.count]); kind != FileProblem {
			return flaw{kind, 2 + r.count}
		}
		r.count++
	}
	for ; i < len(b); i++ {
		if b[i] == ',' {
			r.count++
		}
	}
	return noFlaw
}

// number reads the field that starts at i and returns the position of the comma after it, or
// len(b). Spaces around the number are recorded and skipped.
func (r *rawRow) number(b []byte, i int, v *int64) (int, ProblemKind) {
	for i < len(b) && isBlank(b[i]) {
		i++
		r.padded = true
	}
	first := i
	negative := false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		negative = b[i] == '-'
		i++
	}
	digits := i
	var n uint64
	for i < len(b) && b[i]-'0' <= 9 {
		n = n*10 + uint64(b[i]-'0')
		i++
	}
	width := i - digits
	for i < len(b) && isBlank(b[i]) {
		i++
		r.padded = true
	}
	if width == 0 || i < len(b) && b[i] != ',' {
		return i, classify(b[first:])
	}
	if width > 18 { // 18 digits always fit into an int64
		var ok bool
		if n, ok = careful(b[digits:digits+width], negative); !ok {
			return i, NumberRange
		}
	}
	*v = int64(n)
	if negative {
		*v = -*v
	}
	return i, FileProblem
}

// careful reads digits that may be too many for an int64.
func careful(digits []byte, negative bool) (uint64, bool) {
	limit := uint64(math.MaxInt64)
	if negative {
		limit++
	}
	var n uint64
	for _, d := range digits {
		if n > (limit-uint64(d-'0'))/10 {
			return 0, false
		}
		n = n*10 + uint64(d-'0')
	}
	return n, true
}

// classify returns why the field at the start of b is not an integer.
func classify(b []byte) ProblemKind {
	b = b[:columnEnd(b)]
	if len(b) == 0 {
		return EmptyField
	}
	digits, points, exponents := 0, 0, 0
	for i, c := range b {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c == '.':
			points++
		case c == 'e' || c == 'E':
			exponents++
		case (c == '-' || c == '+') && (i == 0 || b[i-1]|0x20 == 'e'):
		default:
			return BadNumber
		}
	}
	if digits > 0 && points <= 1 && exponents <= 1 && points+exponents > 0 && b[0]|0x20 != 'e' {
		return DecimalNumber
	}
	return BadNumber
}

// columnEnd returns the length of the field at the start of b, without trailing blanks.
func columnEnd(b []byte) int {
	end := 0
	for i := 0; i < len(b) && b[i] != ','; i++ {
		if !isBlank(b[i]) {
			end = i + 1
		}
	}
	return end
}

// column returns a column of a line, counted from 0: its content without blanks, and where it
// starts in bytes from 0. For columns after the last, it returns the end of the line.
func column(b []byte, n int) (content []byte, start int) {
	i := 0
	for ; n > 0 && i < len(b); i++ {
		if b[i] == ',' {
			n--
		}
	}
	for i < len(b) && isBlank(b[i]) {
		i++
	}
	return b[i : i+columnEnd(b[i:])], i
}

// columns returns the number of columns of a line.
func columns(b []byte) int {
	n := 1
	for _, c := range b {
		if c == ',' {
			n++
		}
	}
	return n
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// trim removes blanks and commas at the end of a line, and reports which it removed.
func trim(b []byte) (rest []byte, commas int, blanks bool) {
	n := len(b)
	for ; n > 0; n-- {
		switch b[n-1] {
		case ',':
			commas++
		case ' ', '\t':
			blanks = true
		default:
			return b[:n], commas, blanks
		}
	}
	return b[:0], commas, blanks
}
