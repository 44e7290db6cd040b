package simsensor

import (
	"bytes"
	"errors"
	"io"

	"gosmp/timebase"
)

var (
	// errEnd reports that the end row has been read.
	errEnd = errors.New("end row")
	// errSkipped reports that a line was not a row, or a rejected one.
	errSkipped = errors.New("line skipped")
	// errLimit reports that there was no good row before lines.limit.
	errLimit = errors.New("no row within the limit")
)

// longGap is the gap between two rows that triggers a LongGap warning.
const longGap = 3600 * timebase.Second

// reader converts a source to rows with publish times and reports problems in it. The fields above
// the blank line change while it reads and are saved in a snapshot.
type reader struct {
	lines    lines
	schedule schedule
	last     [kindCount][MaxFields]int64 // the values for missing fields
	// sensors for which an oddity was reported, by their bits; 0x80 for none
	warned  [problemKinds]uint8
	layouts uint8 // GPS layouts met: bit 0 with UTC, bit 1 without
	// the first line with content in this round was read
	headerDone bool
	rejected   int64
	held       int64

	name   string
	unit   Unit
	strict bool          // the first bad row is an error
	silent bool          // bad rows are counted, not reported
	report func(Problem) // nil: problems are not reported
	raw    rawRow
	commas int // removed from the end of the line
}

// next reads up to and including the next good row. It returns io.EOF at the end of the file,
// errEnd at the end row, and otherwise the error that makes it impossible to continue; the next
// line is then still the one that failed.
func (r *reader) next(row *Row) error {
	for {
		number := r.lines.line
		b, err := r.lines.next()
		if err == nil {
			err = r.read(b, row)
		} else if errors.Is(err, errLongLine) {
			err = r.reject(nil, flaw{OverlongLine, 0})
		}
		switch {
		case err == nil:
			return nil
		case errors.Is(err, errSkipped):
			if r.lines.limit > 0 && r.lines.offset() > r.lines.limit {
				return errLimit
			}
			continue
		case errors.Is(err, io.EOF), errors.Is(err, errEnd):
			return err
		}
		r.lines.seek(r.lines.start, number)
		return r.fail(err)
	}
}

// read converts one line to row.
func (r *reader) read(b []byte, row *Row) error {
	b = r.bare(b)
	if len(b) == 0 {
		r.odd(BlankLine, End, 0, nil, "blank lines are skipped")
		return errSkipped
	}
	if !r.headerDone {
		r.headerDone = true
		if isHeader(b) {
			r.checkHeader(b)
			return errSkipped
		}
	}
	if f := r.raw.cut(b); f != noFlaw {
		return r.reject(b, f)
	}
	if r.raw.padded {
		r.odd(BlankPadding, End, 0, b,
			"blanks around numbers are skipped; Phoenix-RTOS accepts them before a number only")
	}
	if r.raw.id == int64(End) {
		return errEnd
	}
	return r.accept(b, row)
}

// bare removes everything from a line that is neither a field nor a comma between fields.
func (r *reader) bare(b []byte) []byte {
	r.commas = 0
	if r.lines.start == 0 && bytes.HasPrefix(b, []byte(byteOrderMark)) {
		b = b[len(byteOrderMark):]
		r.odd(ByteOrderMark, End, 0, nil,
			"the mark is skipped; save the file without it for other readers")
	}
	if len(b) == 0 || b[len(b)-1]-'0' <= 9 {
		return b // the common case
	}
	if b[len(b)-1] == '\r' {
		b = b[:len(b)-1]
		r.odd(CarriageReturn, End, 0, nil, "the carriage returns are skipped")
	}
	b, commas, blanks := trim(b)
	if r.commas = commas; commas > 0 {
		r.odd(TrailingCommas, End, len(b)+1, nil,
			"empty fields at the end of a row count as missing")
	} else if blanks && len(b) > 0 {
		r.odd(BlankPadding, End, len(b)+1, nil,
			"blanks around numbers are skipped; Phoenix-RTOS accepts them before a number only")
	}
	return b
}

const byteOrderMark = "\xef\xbb\xbf"

// isHeader checks the first letter, as the reader of Phoenix-RTOS does, after blanks and a
// quotation mark.
func isHeader(b []byte) bool {
	for len(b) > 0 && (isBlank(b[0]) || b[0] == '"') {
		b = b[1:]
	}
	return len(b) > 0 && b[0]|0x20 == 's'
}

// checkHeader compares the two mandatory names; the others are arbitrary.
func (r *reader) checkHeader(b []byte) {
	first, _ := column(b, 0)
	second, at := column(b, 1)
	known := equalFold(first, "sensorid") || equalFold(first, "sensor")
	if !known {
		at = 0
	}
	if !known || !equalFold(second, "timestamp") {
		r.odd(HeaderNames, End, at+1, b,
			"a header starts with SensorID,Timestamp; the line is skipped")
	}
}

// accept checks a row against its sensor, schedules it and returns it in row.
func (r *reader) accept(b []byte, row *Row) error {
	kind := Kind(r.raw.id)
	if f := r.fit(kind); f != noFlaw {
		return r.reject(b, f)
	}
	d, where := r.schedule.place(r.raw.stamp)
	switch where {
	case tooFar:
		return r.reject(b, flaw{StampRange, 1})
	case beyondRange:
		return timebase.ErrTimeRange
	case placedHeld:
		if err := r.hold(b); err != nil {
			return err
		}
	case placedAgain:
		r.oddWrap(b)
	case placed:
		if d >= longGap {
			r.oddGap(b, d)
		}
	}
	r.fill(kind, row)
	row.Held = where == placedHeld
	return nil
}

// fit converts the fields to the documented layout and checks their number and ranges.
func (r *reader) fit(kind Kind) flaw {
	fields := sensors[kind.Index()].fields
	n := r.raw.count
	if kind == GPS {
		// An 18-field row followed by an empty field could equally be a 19-field row without its
		// last field.
		if n != len(fields) && (n != len(fields)-1 || r.commas > 0) {
			return flaw{GPSFieldCount, 2}
		}
		if n < len(fields) {
			copy(r.raw.fields[GPSUTC+1:], r.raw.fields[GPSUTC:n])
			r.raw.fields[GPSUTC] = 0
		}
		r.noteLayout(n == len(fields))
		n = len(fields)
	} else if n != len(fields) {
		r.oddLength(kind, n, len(fields))
	}
	for i := range min(n, len(fields)) {
		if v := r.raw.fields[i]; v < fields[i].Min || v > fields[i].Max {
			if i > GPSUTC && r.raw.count < n {
				i-- // the column in the row of 18 fields
			}
			return flaw{NumberRange, 2 + i}
		}
	}
	return noFlaw
}

// fill copies a fitted row to the caller and stores it for later rows with missing fields.
func (r *reader) fill(kind Kind, row *Row) {
	last := &r.last[kind.Index()]
	own := len(sensors[kind.Index()].fields)
	n := min(r.raw.count, own)
	row.Kind, row.Stamp, row.Line, row.Present = kind, r.raw.stamp, r.lines.line, n
	row.HasUTC = kind == GPS && n == own
	if kind == GPS {
		n = own
	}
	copy(last[:n], r.raw.fields[:n])
	row.Fields = *last
}

// noteLayout reports a file that mixes both GPS layouts, once.
func (r *reader) noteLayout(withUTC bool) {
	bit := uint8(2)
	if withUTC {
		bit = 1
	}
	if r.layouts |= bit; r.layouts == 3 {
		r.odd(MixedGPSLayouts, GPS, 0, nil,
			"rows of 19 fields are read with UTC, rows of 18 without; check whether two "+
				"recordings were joined")
	}
}
