package simsensor

import (
	"fmt"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// MIMEType is the MIME type of rows as the value of a variable.
const MIMEType = "text/csv; format=simsensor"

// mostFed bounds the rows that were fed but are not due yet.
const mostFed = 16 << 20

// OpenLive returns a player of rows that arrive through [Player.Feed] while it plays. It uses the
// options Unit, where [Auto] means milliseconds, Strict, which makes the first bad row an error,
// and Warn. An end row ends it.
func OpenLive(name string, opt Options) (*Player, error) {
	if err := opt.check(name); err != nil {
		return nil, err
	}
	if opt.Unit == Auto {
		opt.Unit = Milliseconds
	}
	p := &Player{live: true, reader: newReader(name, memorySource{}, 0, opt)}
	p.reader.strict, p.reader.report = opt.Strict, opt.Warn
	return p, nil
}

// Feed adds whole rows, in the order of their stamps. The very first row is due at the given time,
// and the others follow at the distances of their stamps. The bytes are copied. It fails if more
// than 16 MiB would wait for the time at which they are due.
func (p *Player) Feed(from timebase.Time, rows []byte) error {
	l := &p.reader.lines
	rest := p.waiting()
	if len(rest)+len(rows) > mostFed {
		p.err = fault.New(ErrBadRow, fault.In(p.reader.name),
			fmt.Sprintf("%d bytes of rows that are not due yet", len(rest)+len(rows)),
			"rows of the time that has passed")
		return p.err
	}
	if !p.reader.schedule.begun {
		p.reader.schedule.at = from
	}
	n := copy(l.buf[:len(rest)], rest)
	l.wait(append(l.buf[:n], rows...))
	return nil
}

// wait makes l read the rows in b, all of which are in memory.
func (l *lines) wait(b []byte) {
	if n := len(b); n > 0 && b[n-1] != '\n' {
		b = append(b, '\n')
	}
	l.buf, l.base, l.pos, l.size = b, 0, 0, int64(len(b))
}

// waiting returns the bytes that were fed but not yet read.
func (p *Player) waiting() []byte { return p.reader.lines.buf[p.reader.lines.pos:] }
