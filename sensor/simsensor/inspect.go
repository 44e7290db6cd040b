package simsensor

import (
	"bytes"
	"errors"
	"io"

	"gosmp/timebase"
)

// MaxProblems is the number of bad rows that a [Report] describes; additional ones are only
// counted.
const MaxProblems = 100

// Report holds the findings of [Inspect] about a file.
type Report struct {
	File string
	Size int64 // bytes
	Unit Unit  // as stated, or as found when Decided is true
	// Decided reports that the unit was derived from the rows of the file, [Auto].
	Decided bool

	Lines    int   // up to the end row or the end of the file
	Rows     int64 // that one round publishes
	Rejected int64 // malformed
	Held     int64 // published with a decreasing stamp
	EndRow   bool  // the file ends with a row 0; without one it can loop

	FirstStamp int64             // of the first row
	LastStamp  int64             // the highest
	Duration   timebase.Duration // of one round, from the first to the last row

	Sensors  []SensorReport // the sensors with rows, in the order of Kinds
	Problems []Problem      // the first MaxProblems bad rows
	counts   [problemKinds]int64
	Oddities []Problem // one of each kind, first the kinds of single rows
}

// Count returns the number of bad rows with a problem of that kind, including those beyond
// MaxProblems.
func (rep *Report) Count(k ProblemKind) int64 {
	if k >= problemKinds {
		return 0
	}
	return rep.counts[k]
}

// SensorReport is one sensor's part of a file. Distances are the times between the publish times of
// successive rows of this sensor, and 0 when it has only one row.
type SensorReport struct {
	Kind     Kind
	Rows     int64
	Repeated int64 // rows with the same time as the previous row
	WithUTC  int64 // gps rows of the 19-field layout

	Min, Max timebase.Duration
	// Median is exact up to 4095 units of the file and rounded down by less than 0.05 % beyond. For
	// an even number of distances it is the lower of the middle two.
	Median timebase.Duration
	Rate   float64 // rows per second from the first to the last row; 0 when they span no time
}

// Inspect reads a file to its end and reports its content: amounts, rates, everything malformed,
// and anything that can be played but looks wrong, such as units, axes and GPS fields that a
// recorder did not fill in. It uses only the options Unit and Loop.
//
// The errors are the same as from [Open] in lenient mode. With [ErrNoData] and [ErrLoopLength],
// Inspect also returns the report, so that the caller can show the reasons; with any other error it
// is nil.
func Inspect(name string, opt Options) (*Report, error) {
	opt = Options{Unit: opt.Unit, Loop: opt.Loop}
	if err := opt.check(name); err != nil {
		return nil, err
	}
	src, err := openFile(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = src.Close() }() // nothing was written
	return inspectSource(name, src, src.was.Size(), opt)
}

// InspectBytes is like Inspect, but for content that is not a file; the name is used in messages.
func InspectBytes(name string, content []byte, opt Options) (*Report, error) {
	opt = Options{Unit: opt.Unit, Loop: opt.Loop}
	if err := opt.check(name); err != nil {
		return nil, err
	}
	return inspectSource(name, memorySource{bytes.NewReader(content)}, int64(len(content)), opt)
}

func inspectSource(name string, src source, size int64, opt Options) (*Report, error) {
	r := newReader(name, src, size, opt)
	doubt, _ := r.settle()
	r.restart(0)
	rep, err := r.inspect(doubt, opt.Loop)
	if rep != nil {
		rep.Decided = opt.Unit == Auto
	}
	return rep, err
}

// inspect reads all rows and returns the report.
func (r *reader) inspect(doubt *Problem, loop bool) (*Report, error) {
	rep := &Report{File: r.name, Size: r.lines.size, Unit: r.unit}
	var first *Problem
	r.report = func(p Problem) {
		kind := KindOf(p)
		if !kind.Bad() {
			rep.Oddities = append(rep.Oddities, p)
			return
		}
		if first == nil && kind.Rejected() {
			first = &p
		}
		rep.counts[kind]++
		if len(rep.Problems) < MaxProblems {
			rep.Problems = append(rep.Problems, p)
		}
	}
	all := survey{unit: r.schedule.unit}
	start := r.schedule.at
	var row Row
	var err error
	for err = r.next(&row); err == nil; err = r.next(&row) {
		if rep.Rows++; rep.Rows == 1 {
			rep.FirstStamp = row.Stamp
		}
		all.add(&row, r.schedule.at)
	}
	rep.EndRow = errors.Is(err, errEnd)
	if !rep.EndRow && !errors.Is(err, io.EOF) {
		return nil, err
	}
	rep.Lines, rep.Rejected, rep.Held = r.lines.line, r.rejected, r.held
	if rep.Rows == 0 {
		return rep, r.noData(first, err)
	}
	rep.LastStamp, rep.Duration = r.schedule.ref, r.schedule.at-start
	rep.Sensors = all.sensors()
	if rep.EndRow {
		if err := r.lookBehindEnd(); err != nil {
			return nil, err
		}
	}
	for _, p := range all.oddities(r.unit, doubt) {
		p.Place.File = r.name
		rep.Oddities = append(rep.Oddities, p)
	}
	if loop && !rep.EndRow && !r.schedule.moved {
		return rep, r.noLength()
	}
	return rep, nil
}

// lookBehindEnd reports the first line with content after the end row.
func (r *reader) lookBehindEnd() error {
	for {
		b, err := r.lines.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err == nil:
			b = bytes.TrimSpace(b)
		case !errors.Is(err, errLongLine):
			return r.fail(err)
		}
		if errors.Is(err, errLongLine) || len(b) > 0 {
			r.odd(RowsAfterEnd, End, 1, b,
				"nothing after a row 0 is ever played; remove that row to play the rest")
			break
		}
	}
	return nil
}
