package simsensor

import (
	"errors"
	"io"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// Options configure how a file is played. The zero value plays it once, from time 0, in
// milliseconds, skipping bad rows.
type Options struct {
	Unit       Unit              // of the stamps; Auto derives it from the rows
	Start      timebase.Time     // when the experiment starts
	StartDelay timebase.Duration // delay from there to the first row; not below 0
	Loop       bool              // start over at the end of the file, unless it has an end row
	// Strict reads the whole file when it is opened and rejects it on the first rejected row or
	// decreasing stamp. Oddities stay warnings.
	Strict bool
	// Warn is called by Open and Next, in the order of the file: for every bad row of the first
	// round (see [ProblemKind.Bad]), and for the first oddity of each kind. It must not use the
	// player. If nil, warnings are discarded.
	Warn func(Problem)
}

// Counters are the progress of a player.
type Counters struct {
	Rows     int64 // published, of every round
	Rejected int64 // not published because they are malformed, of every round
	// published at the time of their predecessor because their stamp decreases, of every round
	Held  int64
	Loops int64 // number of times the file started over
	// the end row, or without looping the end of the file, was reached: no more rows follow
	Finished bool
}

// Player returns the rows of a file when they are due. It must not be used from several goroutines
// at a time.
//
// Call order: [Open] or [OpenLive], then [Player.Next] any number of times, with
// [Player.AppendState] and [Player.RestoreState] in between, then [Player.Close]. After an error,
// Next returns the same error until a state is restored.
type Player struct {
	reader  reader
	loop    bool
	print   fingerprint
	pending Row // read, but not published before its time r.schedule.at
	ready   bool
	count   Counters // Rows, Loops and Finished; the reader keeps the other counters
	err     error
	live    bool // rows come by Feed
}

// Due returns the publish time of the next row, for callers that set a clock to it; ok is false
// when no row follows. The errors come from [Player.Next].
func (p *Player) Due() (at timebase.Time, ok bool, err error) {
	if err := p.lookAhead(); err != nil {
		return 0, false, err
	}
	return p.reader.schedule.at, p.ready, nil
}

// Next copies the next row into row if it is due at or before until, and returns its publish time.
// It returns false if no row is due yet or none will follow; see [Counters.Finished]. Publish times
// never decrease. To get all rows that are due together, call Next until it returns false.
//
// An error is a [*Problem] with cause [ErrRead], [ErrChanged], [ErrLoopLength], [ErrClosed] or
// [timebase.ErrTimeRange].
func (p *Player) Next(until timebase.Time, row *Row) (at timebase.Time, ok bool, err error) {
	if err := p.lookAhead(); err != nil {
		return 0, false, err
	}
	if !p.ready || p.reader.schedule.at > until {
		return 0, false, nil
	}
	*row = p.pending
	p.ready = false
	p.count.Rows++
	return p.reader.schedule.at, true, nil
}

// lookAhead ensures that the next row has been read, if there is one.
func (p *Player) lookAhead() error {
	if p.err == nil && !p.ready && !p.count.Finished {
		p.err = p.advance()
	}
	return p.err
}

// advance reads the next row ahead, starting over at the end of the file, or finds the end of the
// scenario.
func (p *Player) advance() error {
	for {
		err := p.reader.next(&p.pending)
		switch {
		case err == nil:
			p.ready = true
			return nil
		case errors.Is(err, io.EOF) && p.live:
			return nil // more may come
		case errors.Is(err, errEnd), errors.Is(err, io.EOF) && !p.loop:
			p.count.Finished = true
			return nil
		case !errors.Is(err, io.EOF):
			return err
		}
		if !p.reader.schedule.moved {
			return p.reader.noLength()
		}
		p.reader.rewind()
		p.reader.silent = true
		p.count.Loops++
	}
}

// Counters returns the current counters. Bad rows are counted when they are read, which is at most
// one row ahead of publishing.
func (p *Player) Counters() Counters {
	c := p.count
	c.Rejected, c.Held = p.reader.rejected, p.reader.held
	return c
}

// Unit returns the unit of the stamps: the unit in the options, or the unit found by [Auto].
func (p *Player) Unit() Unit { return p.reader.unit }

// Close releases the file. A second call does nothing.
func (p *Player) Close() error {
	if errors.Is(p.err, ErrClosed) {
		return nil
	}
	p.err = fault.New(ErrClosed, fault.In(p.reader.name), "", "").
		WithHint("open the scenario again")
	return p.reader.lines.src.Close()
}

// rewind makes the first line the next one and schedules its row at distance 0 after the last one.
func (r *reader) rewind() {
	r.lines.seek(0, 0)
	r.schedule.nextRound()
	r.headerDone = false
}
