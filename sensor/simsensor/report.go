package simsensor

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// hold records a decreasing stamp; it is an error in strict mode.
func (r *reader) hold(b []byte) error {
	if !r.strict && (r.silent || r.report == nil) {
		r.held++
		return nil
	}
	p := r.problem(b, flaw{DecreasingStamp, 1})
	if r.strict {
		return &p
	}
	r.held++
	r.report(p)
	return nil
}

// reject counts a row that is not published and reports it; it is an error in strict mode.
func (r *reader) reject(b []byte, f flaw) error {
	if r.strict {
		p := r.problem(b, f)
		return &p
	}
	r.rejected++
	if !r.silent && r.report != nil {
		r.report(r.problem(b, f))
	}
	return errSkipped
}

// odd reports an oddity of the last line read, once for every sensor. Column 0 means the whole
// line; if found is nil, the message does not state what was found.
func (r *reader) odd(kind ProblemKind, sensor Kind, column int, found []byte, hint string) {
	if !r.firstTime(kind, sensor) || r.report == nil {
		return
	}
	p := Problem{Place: fault.Place{File: r.name, Line: r.lines.line, Column: column}, Kind: kind,
		Hint: hint}
	if found != nil {
		p.Found = quote(found)
	}
	r.report(p)
}

func (r *reader) firstTime(kind ProblemKind, sensor Kind) bool {
	bit := uint8(sensor)
	if sensor == End {
		bit = 0x80
	}
	first := r.warned[kind]&bit == 0
	r.warned[kind] |= bit
	return first
}

// oddLength reports a short or a long row.
func (r *reader) oddLength(kind Kind, n, own int) {
	what, hint := ShortRow, "missing fields keep the sensor's last value, 0 before any"
	if n > own {
		what, hint = LongRow, "surplus fields are ignored"
	}
	if !r.firstTime(what, kind) || r.report == nil {
		return
	}
	r.report(Problem{
		Place: fault.Place{File: r.name, Line: r.lines.line}, Kind: what,
		Found: fmt.Sprintf("%d fields", n), Expected: fmt.Sprintf("%d of %s", own, article(kind)),
		Hint: hint,
	})
}

// oddWrap reports a counter that wraps around.
func (r *reader) oddWrap(b []byte) {
	if !r.firstTime(CounterWrapped, End) || r.report == nil {
		return
	}
	content, at := column(b, 1)
	r.report(Problem{
		Place: fault.Place{File: r.name, Line: r.lines.line, Column: at + 1}, Kind: CounterWrapped,
		Found: quote(content),
		Expected: "more than the stamp before, as of a counter of 32 bits that has " +
			"not started again", Hint: "time goes on; gosmp repair writes stamps that rise",
	})
}

// restartAfter is the minimum time by which the clock of a recording goes back at a restart; late
// rows are less late than this.
const restartAfter = timebase.Second

// restarts reports whether a stamp is so much lower than the highest one that the clock must have
// been restarted.
func restarts(highest, stamp int64, unit timebase.Duration) bool {
	return stamp < highest && unit > 0 && uint64(highest)-uint64(stamp) > uint64(restartAfter/unit)
}

// oddGap reports a long period without rows.
func (r *reader) oddGap(b []byte, d timebase.Duration) {
	if !r.firstTime(LongGap, End) || r.report == nil {
		return
	}
	_, at := column(b, 1)
	r.report(Problem{
		Place: fault.Place{File: r.name, Line: r.lines.line, Column: at + 1}, Kind: LongGap,
		Found: fmt.Sprintf("%v after the row before, with stamps in %v", d, r.unit),
		Hint:  "nothing is published in between; check whether the stamp is right",
	})
}

// fail adds the position in the file to an error that does not have one yet.
func (r *reader) fail(err error) error {
	if placed := (*Problem)(nil); errors.As(err, &placed) {
		return err
	}
	p := fault.New(err, fault.Line(r.name, r.lines.line+1), "", "")
	switch {
	case errors.Is(err, timebase.ErrTimeRange):
		p.Found = fmt.Sprintf("stamp %d %v after a row published at %v", r.raw.stamp, r.unit,
			r.schedule.at)
		p.Hint = "the scenario has reached the end of time, 292 years; check the unit of the " +
			"stamps and the start time"
	case errors.Is(err, ErrChanged):
		p.Hint = "leave the file alone while it is played, then start again"
	case errors.Is(err, ErrRead):
		p.Hint = "check the disk or network share, then start again"
	}
	return p
}

// problem describes a flaw of the line b.
func (r *reader) problem(b []byte, f flaw) Problem {
	p := Problem{Place: fault.Place{File: r.name, Line: r.lines.line, Column: 1}, Kind: f.kind}
	content, at := column(b, f.column)
	p.Place.Column, p.Found = at+1, quote(content)
	switch f.kind {
	case OverlongLine:
		p.Found = fmt.Sprintf("a line of %d bytes", r.lines.length)
		if r.lines.cut {
			p.Found += " and more"
		}
		p.Expected = fmt.Sprintf("at most %d", maxLine)
		p.Hint = "end every row with a line feed"
	case UnknownSensor:
		p.Expected, p.Hint = expectID(), unknownHint(r.raw.id)
	case MissingStamp:
		p.Found, p.Expected = "the end of the row", r.expectColumn(b, f.column)
		p.Hint = "column 2 is the time stamp"
	case GPSFieldCount:
		p.Found = fmt.Sprintf("%d fields", r.raw.count)
		if r.commas > 0 {
			p.Found += fmt.Sprintf(" and %d empty ones", r.commas)
		}
		p.Expected = "19, or 18 and no empty ones when UTC is missing"
		p.Hint = "see the list of gps fields"
	case DecreasingStamp:
		p.Expected = fmt.Sprintf("at least %d, the highest before", r.schedule.ref)
		p.Hint = "sort the rows by stamp; without strict checking the row is published at the " +
			"time of the one before"
		if restarts(r.schedule.ref, r.raw.stamp, r.schedule.unit) {
			p.Hint = "if the clock has started again, split the file before this row; without " +
				"strict checking the row " +
				"is published at the time of the one before"
		}
	case StampRange:
		p.Expected = fmt.Sprintf("at most 292 years after %d %v", r.schedule.ref, r.unit)
		p.Hint = "check the unit and the stamps of this row and of the first"
	default:
		p.Expected, p.Hint = r.expectColumn(b, f.column), numberHint(content, f)
	}
	return p
}

// expectID describes the expected content of the first column.
func expectID() string {
	text := "a sensor id: "
	for _, k := range Kinds() {
		text += strconv.Itoa(int(k)) + ", "
	}
	return text + "or 0 for the end"
}

// expectColumn describes the expected content of a column of the line b.
func (r *reader) expectColumn(b []byte, column int) string {
	switch column {
	case 0:
		return expectID()
	case 1:
		return fmt.Sprintf("the time stamp, a whole number in %v", r.unit)
	}
	kind, i := Kind(r.raw.id), column-2
	if kind == GPS && i >= GPSUTC && columns(b) == MaxFields+1 { // a row of 18 fields
		i++
	}
	f := sensors[kind.Index()].fields[i]
	s := fmt.Sprintf("%s %s, a whole number", kind, f.Name)
	if f.Unit != "" {
		s += " in " + f.Unit
	}
	if f.Min == -1<<63 {
		return s + " of 64 bits"
	}
	return fmt.Sprintf("%s from %d to %d", s, f.Min, f.Max)
}

// unknownHint recognizes sensors of newer systems, and ids combined as bits.
func unknownHint(id int64) string {
	if name := newer[id]; name != "" {
		return "the id stands for a " + name + ", which the file format does not describe"
	}
	if id > 0 && id < 1<<kindCount {
		return "ids cannot be added up: write one row for every sensor"
	}
	return "see the list of ids"
}

// numberHint suggests why a field is not an integer.
func numberHint(content []byte, f flaw) string {
	s := string(content)
	switch {
	case f.kind == DecimalNumber:
		return "the format has whole numbers in small units: 9.81 m/s2 is written 9810"
	case f.kind == NumberRange:
		return "check the unit of the field, or correct the row"
	case f.kind == EmptyField:
		return "only fields at the end of a row may be missing"
	case strings.IndexByte(s, ';') >= 0:
		return "separate fields by commas"
	case strings.IndexByte(s, '\r') >= 0:
		return "end every row with a line feed"
	case strings.HasPrefix(s, `"`):
		return "write numbers without quotation marks"
	case strings.IndexByte(s, 0) >= 0:
		return "the file looks like a binary one"
	case f.column == 0 && strings.HasPrefix(s, "#"):
		return "the format has no comments"
	case f.column == 0 && isHeader(content):
		return "only the first row may be a header"
	case f.column == 0 && s != "" && s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z':
		return "a header starts with SensorID,Timestamp"
	}
	return "correct the row or remove it"
}

// article returns the sensor's name with its article.
func article(kind Kind) string {
	if kind == Accelerometer {
		return "an accelerometer row"
	}
	return "a " + kind.String() + " row"
}
