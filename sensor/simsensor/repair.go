package simsensor

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"gosmp/internal/fault"
	"gosmp/internal/portable"
)

// RepairOptions configure how a recording is repaired.
type RepairOptions struct {
	// Date is the day (UTC) on which the recording begins. A receiver whose time must be read digit
	// by digit does not record the date. Without Date, times count from 1970-01-01.
	Date time.Time
}

// Repaired lists the changes made by [Repair].
type Repaired struct {
	File    string
	Rows    int64 // written
	Changes []Change
	Left    []Problem // remaining oddities, as reported by [Inspect]
}

// Change is one kind of change.
type Change struct {
	Kind ProblemKind // the problem that it removes; for malformed rows, the first row's
	Rows int64       // changed, moved or left out
	What string      // the correction, in a few words
}

// Repair writes a copy of a recording and corrects the faults for which the recording itself
// contains the correction:
//
//   - Stamps of a 32-bit counter that wrapped around continue to rise.
//   - Rows out of order are sorted by their stamps; rows with equal stamps keep their order.
//   - If a GPS velocity is not split into components, north and east are computed from the ground
//     speed and the course between the previous and next positions; the velocity down is unchanged.
//   - A height above the ellipsoid that holds the height of the geoid becomes the sum of this
//     height and the altitude above mean sea level.
//   - A GPS time that must be read digit by digit, hhmmss and six decimals, becomes microseconds
//     since 1970.
//   - A pressure in hPa is converted to Pa.
//   - Malformed rows are left out.
//
// Header and end row are kept. It repairs the faults that Inspect reports as VelocityNotSplit,
// GeoidSeparation, ImplausibleUTC and ImplausibleValue. The errors come from [Inspect] and w, or
// are [ErrRestart] for a recording whose clock was restarted, because its rows must not be sorted.
func Repair(w io.Writer, name string, content []byte, opt RepairOptions) (*Repaired, error) {
	r := &repair{name: name, content: content, options: opt}
	if err := r.diagnose(); err != nil {
		return nil, err
	}
	out := bufio.NewWriter(w)
	if err := r.write(out); err != nil {
		return nil, err
	}
	if err := out.Flush(); err != nil {
		return nil, err
	}
	return &Repaired{File: name, Rows: r.report.Rows, Changes: r.changes(), Left: r.left()}, nil
}

// repair is a repair in progress.
type repair struct {
	name    string
	content []byte
	options RepairOptions
	report  *Report

	sort, velocity, ellipsoid, clock, pressure bool

	unwrapped int64 // rows

	geoid   int64 // mm
	fixes   []fixAt
	fix     int // number of the next GPS row
	lastUTC int64
	day     int64 // us since 1970 at the start of the day

	split, moved int64 // rows that were changed
	heights      int64
	times        int64
	pressures    int64
	oddPressure  string // the report's text about pressures in hPa
}

// fixAt is a position in nanodegrees.
type fixAt struct{ latitude, longitude int64 }

// diagnose determines which faults the recording has.
func (r *repair) diagnose() error {
	var err error
	if r.report, err = InspectBytes(r.name, r.content, Options{Unit: Auto}); err != nil {
		return err
	}
	var all recording
	clock, utc := true, false
	highest := int64(math.MinInt64)
	var newest [kindCount]Row
	unit := r.report.Unit.Duration()
	err = r.rows(func(row *Row) error {
		all.add(row)
		if last := &newest[row.Kind.Index()]; last.Line > 0 && restarts(last.Stamp, row.Stamp,
			unit) {
			return r.restart(last, row)
		} else if last.Line == 0 || row.Stamp > last.Stamp {
			*last = *row
		}
		if row.Stamp < highest {
			r.sort, r.moved = true, r.moved+1
		}
		highest = max(highest, row.Stamp)
		if row.Kind == GPS {
			r.fixes = append(r.fixes, fixAt{row.Fields[GPSLatitude], row.Fields[GPSLongitude]})
			if row.HasUTC {
				utc, clock = true, clock && isClock(row.Fields[GPSUTC])
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, r.velocity = all.velocity()
	_, r.ellipsoid = all.ellipsoid()
	_, implausible := all.utc()
	r.clock = implausible && utc && clock && all.utcLast > 0
	if i := Barometer.Index(); all.rows[i] > 0 {
		mean := all.mean(Barometer, BarometerPressure)
		odd, _ := all.pressure()
		r.oddPressure = odd.Found
		r.pressure = mean >= 300 && mean <= 1200 // hPa, from 9 km up to below sea level
	}
	r.geoid = all.gps[GPSEllipsoidAltitude].low
	if !r.options.Date.IsZero() {
		d := r.options.Date.UTC()
		r.day = time.Date(d.Year(), d.Month(), d.Day(), 0, 0, 0, 0, time.UTC).UnixMicro()
	}
	return nil
}

// ErrRestart reports a recording whose clock was restarted.
var ErrRestart = errors.New("the clock of the recording has restarted")

// restart returns the error about a row that is far earlier than the previous row of its sensor.
func (r *repair) restart(last, row *Row) error {
	return fault.New(ErrRestart, fault.Line(r.name, row.Line),
		fmt.Sprintf("stamp %d behind %d of the %v in line %d", row.Stamp, last.Stamp, row.Kind,
			last.Line), "rows that are late by at most a second, which can be sorted").
		WithHint("split the file before this line, and repair the parts")
}

// rows visits all good rows in file order, with stamps that continue to rise when their counter
// wraps around.
func (r *repair) rows(visit func(*Row) error) error {
	in := newReader(r.name, memorySource{bytes.NewReader(r.content)}, int64(len(r.content)),
		Options{Unit: Nanoseconds})
	var row Row
	var laps, ref int64
	begun := false
	r.unwrapped = 0
	for {
		err := in.next(&row)
		if err == nil {
			at := laps
			if begun {
				at = lap(ref, row.Stamp, laps)
			}
			if at > laps || !begun || at == laps && row.Stamp > ref {
				laps, ref, begun = at, row.Stamp, true
			}
			if at > 0 {
				row.Stamp += at * counterSize
				r.unwrapped++
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, errEnd) {
			return nil
		}
		if err == nil {
			err = visit(&row)
		}
		if err != nil {
			return err
		}
	}
}

// write writes the repaired file.
func (r *repair) write(w *bufio.Writer) error {
	if first, _, _ := bytes.Cut(r.content, []byte("\n")); isHeader(bytes.TrimPrefix(first,
		[]byte(byteOrderMark))) {
		first = bytes.TrimPrefix(first, []byte(byteOrderMark))
		if _, err := w.Write(append(bytes.TrimRight(first, "\r"), '\n')); err != nil {
			return err
		}
	}
	type entry struct {
		stamp    int64
		from, to int
	}
	var line []byte
	var index []entry
	err := r.rows(func(row *Row) error {
		r.correct(row)
		if !r.sort {
			line = AppendRow(line[:0], row)
			_, err := w.Write(line)
			return err
		}
		if own := len(row.Kind.Fields()); row.Kind != GPS && row.Present < own {
			// missing fields would repeat the previous row, which sorting may change
			row.Present = own
		}
		from := len(line)
		line = AppendRow(line, row)
		index = append(index, entry{row.Stamp, from, len(line)})
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(index, func(a, b entry) int {
		switch {
		case a.stamp < b.stamp:
			return -1
		case a.stamp > b.stamp:
			return 1
		}
		return 0
	})
	for _, e := range index {
		if _, err := w.Write(line[e.from:e.to]); err != nil {
			return err
		}
	}
	if r.report.EndRow {
		_, err = w.WriteString("0\n")
	}
	return err
}

// correct changes the fields of a row.
func (r *repair) correct(row *Row) {
	f := &row.Fields
	switch {
	case row.Kind == Barometer && r.pressure && row.Present > BarometerPressure:
		f[BarometerPressure] *= 100
		r.pressures++
	case row.Kind != GPS:
		return
	}
	if row.Kind != GPS {
		return
	}
	if r.velocity {
		r.splitVelocity(f)
	}
	if r.ellipsoid {
		f[GPSEllipsoidAltitude] = f[GPSAltitude] + r.geoid
		r.heights++
	}
	if r.clock && row.HasUTC {
		f[GPSUTC] = r.sinceEpoch(f[GPSUTC])
		r.times++
	}
	r.fix++
}

// splitVelocity gives the ground speed the direction from the previous position to the next.
func (r *repair) splitVelocity(f *[MaxFields]int64) {
	before, after := r.fixes[max(0, r.fix-1)], r.fixes[min(len(r.fixes)-1, r.fix+1)]
	north := float64(after.latitude - before.latitude)
	east := float64(after.longitude-before.longitude) * portable.Cos(
		float64(f[GPSLatitude])/1e9*math.Pi/180)
	length := math.Sqrt(float64(north*north) + float64(east*east))
	if length == 0 || f[GPSGroundSpeed] == 0 {
		return // the vehicle has not moved, so there is no direction
	}
	speed := float64(f[GPSGroundSpeed])
	f[GPSVelocityNorth] = int64(math.Round(speed * north / length))
	f[GPSVelocityEast] = int64(math.Round(speed * east / length))
	r.split++
}

// sinceEpoch reads hhmmss and microseconds digit by digit. After midnight the next day begins.
func (r *repair) sinceEpoch(digits int64) int64 {
	const day, half = 86_400_000_000, 43_200_000_000 // us
	s := digits / 1_000_000
	at := (s/10000*3600+s/100%100*60+s%100)*1_000_000 + digits%1_000_000
	if at < r.lastUTC-half {
		r.day += day
	}
	r.lastUTC = at
	return r.day + at
}

// changes lists the changes made.
func (r *repair) changes() (list []Change) {
	add := func(done bool, c Change) {
		if done && c.Rows > 0 {
			list = append(list, c)
		}
	}
	if n := r.report.Rejected; n > 0 {
		first := slices.IndexFunc(r.report.Problems,
			func(p Problem) bool { return KindOf(p).Rejected() })
		kind := BadNumber
		if first >= 0 {
			kind = KindOf(r.report.Problems[first])
		}
		add(true, Change{kind, n, "malformed rows left out"})
	}
	add(r.unwrapped > 0, Change{CounterWrapped, r.unwrapped,
		"stamps continued past the end of a 32-bit counter"})
	add(r.sort, Change{DecreasingStamp, r.moved, "rows out of order sorted by their stamps"})
	add(r.velocity, Change{VelocityNotSplit, r.split,
		"velocities split by the course between the positions"})
	add(r.ellipsoid, Change{GeoidSeparation, r.heights,
		fmt.Sprintf(
			"heights above the ellipsoid computed as altitude plus %.3f m, the height of the geoid",
			float64(r.geoid)/1000)})
	from := "1970-01-01, because no date was given"
	if !r.options.Date.IsZero() {
		from = r.options.Date.UTC().Format(time.DateOnly)
	}
	add(r.clock, Change{ImplausibleUTC, r.times, "times read digit by digit, on " + from})
	add(r.pressure, Change{ImplausibleValue, r.pressures, "pressures converted from hPa to Pa"})
	return list
}

// left returns the oddities that no change removes.
func (r *repair) left() (list []Problem) {
	for _, p := range r.report.Oddities {
		switch kind := KindOf(p); {
		case kind == VelocityNotSplit, kind == GeoidSeparation, kind == ByteOrderMark,
			kind == CarriageReturn,
			kind == CounterWrapped, kind == BlankLine, kind == BlankPadding, kind == TrailingCommas:
		case kind == ImplausibleUTC && r.clock:
			if r.options.Date.IsZero() {
				p.Found, p.Expected = "times of a day without its date", "microseconds since 1970"
				p.Hint = "give the day on which the recording begins"
				list = append(list, p)
			}
		case r.pressure && p.Found == r.oddPressure:
		default:
			list = append(list, p)
		}
	}
	return list
}
