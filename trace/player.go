package trace

import (
	"errors"
	"fmt"
	"io"

	"gosmp/internal/fault"
	"gosmp/internal/state"
	"gosmp/timebase"
)

// position is the read position of a source: a byte offset in an .osi file, or, in an indexed file,
// the number of messages with the same time already read.
type position struct {
	offset int64
	time   timebase.Time
	skip   int64
}

// seekable is a source that can return to an earlier position. The zero position is the start.
type seekable interface {
	position() position
	seek(position) error
}

func seekableOf(s Source) (seekable, bool) {
	switch outer := s.(type) {
	case *owner:
		return seekableOf(outer.unwrap())
	case *watched:
		if outer.inner == nil {
			return nil, false
		}
		return outer, true
	}
	result, is := s.(seekable)
	return result, is
}

// PlayerOptions control when a [Player] shows which message.
type PlayerOptions struct {
	Start    timebase.Time // of the experiment
	Offset   timebase.Time // added to all times
	Relative bool          // the first message is due at Start
	// start over at the end; messages are restamped, because OSI time never goes back
	Loop bool
	// with Loop: duration of a round, at least the duration of the channel; 0 is that duration
	Round timebase.Time
	// a message is present only in the step in which it becomes due
	Events bool
	// a time that goes backwards is an error; otherwise such a message is due at once
	Strict bool
	// Slack is how much later than a simulation time a message's stamp may be for the message to be
	// due at that time. The stamps of a trace may be rounded, for example at 60 messages per
	// second.
	Slack timebase.Duration
}

// Player finds the message of one channel that is valid at a given time. Normally this is the
// newest message that is due, as in DUECA's streams. With Events, it is the newest message that has
// become due since the previous call, as in DUECA's events. A message stamped s is due at s +
// offset. A player keeps two messages in memory.
//
// A player starts no goroutine. Once it has seen the largest message, it does not allocate; only
// its source may.
type Player struct {
	source  Source
	seeker  seekable // nil if the source cannot go back
	options PlayerOptions
	stamps  *stampNode

	started     bool
	first, last timebase.Time // of the part of the file that has been read
	shift       timebase.Time // from the file's times to the experiment's
	ahead       *Message      // not yet due; nil at the end of the file
	aheadAt     position      // position at which it begins
	dueAt       timebase.Time // due time of the newest message taken

	current, spare []byte
	currentAt      position
	// remaining shift of the stamps in the current message
	toMove timebase.Time
	has    bool
	stats  PlayerStats
}

// PlayerStats counts what a [Player] did.
type PlayerStats struct {
	Shown   int64         // messages that were the newest at the end of a step
	Skipped int64         // messages that were due, but older than another message of the same step
	Held    int64         // messages whose time went backwards
	Rounds  int64         // completed rounds
	Time    timebase.Time // stamp of the current message, in experiment time
	Done    bool          // there are no more messages
}

// NewPlayer returns a player of a source with one channel only. Reading begins with the first call
// to At.
func NewPlayer(s Source, o PlayerOptions) (*Player, error) {
	p := &Player{source: s, options: o}
	p.seeker, _ = seekableOf(s)
	if p.seeker == nil && o.Loop {
		return nil, fixed(s)
	}
	return p, nil
}

// fixed returns the error for a source that cannot be read again.
func fixed(s Source) error {
	e := fault.New(ErrFormat, fault.In(s.Info().Name),
		"a trace that can be read only once from front to back",
		"an .osi file or an indexed MCAP file")
	e.Hint = "gosmp convert and gosmp repair write such files"
	return e
}

// CanGoBack reports whether the trace can be read more than once, as Snapshot and Restore require.
func (p *Player) CanGoBack() bool { return p.seeker != nil }

// Stats returns the counts so far.
func (p *Player) Stats() PlayerStats { return p.stats }

// At advances to t, which must not go back, and returns the message that is valid then, or nil if
// there is none. The bytes are valid until the next call. After an error, the player must not be
// used anymore.
func (p *Player) At(t timebase.Time) ([]byte, error) {
	if !p.started {
		if err := p.begin(); err != nil {
			return nil, err
		}
	}
	fresh := int64(0)
	for p.ahead != nil && p.due()-p.options.Slack <= t {
		if err := p.take(); err != nil {
			return nil, err
		}
		fresh++
	}
	if fresh > 0 {
		p.stats.Shown++
		p.stats.Skipped += fresh - 1
		if err := p.restamp(); err != nil {
			return nil, err
		}
	}
	if !p.has || p.options.Events && fresh == 0 {
		return nil, nil
	}
	return p.current, nil
}

// begin reads the first message.
func (p *Player) begin() error {
	p.started = true
	if p.seeker != nil {
		if err := p.seeker.seek(position{}); err != nil {
			return err
		}
	}
	if err := p.read(); err != nil {
		return err
	}
	if p.ahead == nil {
		return fault.New(ErrContent, fault.In(p.source.Info().Name), "no message",
			"at least one to play")
	}
	p.align()
	return nil
}

// align derives the time shift from the first message.
func (p *Player) align() {
	p.first, p.last = p.ahead.Time, p.ahead.Time
	p.shift = p.options.Offset
	if p.options.Relative {
		p.shift += p.options.Start - p.first
	}
	p.dueAt = p.ahead.Time + p.shift
}

// read fetches the next message of the source into ahead.
func (p *Player) read() error {
	if p.seeker != nil {
		p.aheadAt = p.seeker.position()
	}
	m, err := p.source.Next()
	switch {
	case errors.Is(err, io.EOF):
		p.ahead = nil
		return nil
	case err != nil:
		return err
	}
	p.ahead = m
	return nil
}

// due returns the time at which the next message becomes valid, which is never before the previous
// one.
func (p *Player) due() timebase.Time { return max(p.dueAt, p.ahead.Time+p.shift) }

// take makes the next message the current one.
func (p *Player) take() error {
	if p.ahead.Time < p.last {
		if p.options.Strict {
			return fault.New(ErrTime, fault.Place{File: p.source.Info().Name,
				Object: "channel " + p.ahead.Channel.Topic},
				fmt.Sprintf("%v after %v", p.ahead.Time, p.last), "times that do not go back")
		}
		p.stats.Held++
	}
	p.dueAt = p.due()
	p.stats.Time = p.ahead.Time + p.shift
	p.last = max(p.last, p.ahead.Time)
	p.current, p.has = append(p.current[:0], p.ahead.Data...), true
	p.currentAt, p.toMove = p.aheadAt, p.shift
	if p.stamps == nil && p.options.Loop {
		p.stamps = stampsOf(p.ahead.Channel.Type)
	}
	if err := p.read(); err != nil {
		return err
	}
	if p.ahead == nil {
		return p.over()
	}
	return nil
}

// over handles the end of the file: it ends the trace or starts another round. The first message of
// the new round has the time of the last one, unless other channels of the trace are longer.
func (p *Player) over() error {
	if !p.options.Loop {
		p.stats.Done = true
		return nil
	}
	length := max(p.last-p.first, p.options.Round)
	if length <= 0 {
		return fault.New(ErrTime, fault.In(p.source.Info().Name),
			"messages with a single time, so a round has no length",
			"a trace with several times, or no loop")
	}
	if err := p.restamp(); err != nil { // the current message belongs to the round that ends
		return err
	}
	p.stats.Rounds++
	p.shift += length
	p.last = p.first
	if err := p.seeker.seek(position{}); err != nil {
		return err
	}
	return p.read()
}

// restamp moves the time stamps inside the current message to experiment time, once. Without Loop,
// messages pass unchanged.
func (p *Player) restamp() error {
	by := p.toMove
	p.toMove = 0
	if !p.options.Loop || by == 0 {
		return nil
	}
	moved, ok := p.stamps.shift(p.spare[:0], p.current, by)
	if !ok {
		return fault.New(ErrContent, fault.In(p.source.Info().Name),
			fmt.Sprintf("%d bytes", len(p.current)), "a message whose time stamps can be moved")
	}
	p.current, p.spare = moved, p.current
	return nil
}

const playerMagic = "gosmp-player-1"

// Snapshot appends the state of the player to b. Messages are not part of the state: Restore reads
// them again.
func (p *Player) Snapshot(b []byte) ([]byte, error) {
	if p.seeker == nil {
		return b, fixed(p.source)
	}
	start := len(b)
	b = append(b, playerMagic...)
	for _, flag := range []bool{p.started, p.has, p.stats.Done, p.ahead != nil} {
		b = state.AppendBool(b, flag)
	}
	for _, t := range []timebase.Time{p.first, p.last, p.shift, p.dueAt, p.stats.Time,
		p.currentAt.time, p.aheadAt.time} {
		b = state.AppendUint64(b, uint64(t))
	}
	for _, n := range []int64{p.stats.Shown, p.stats.Skipped, p.stats.Held, p.stats.Rounds,
		p.currentAt.offset, p.currentAt.skip, p.aheadAt.offset,
		p.aheadAt.skip} {
		b = state.AppendUint64(b, uint64(n))
	}
	return state.Seal(b, start), nil
}

// Restore restores a snapshot from a player with the same file and options. After an error, the
// player must not be used anymore.
func (p *Player) Restore(b []byte) error {
	if p.seeker == nil {
		return fixed(p.source)
	}
	d, err := state.Open(playerMagic, b)
	if err != nil {
		return err
	}
	flags, times, counts := [4]bool{}, [7]timebase.Time{}, [8]int64{}
	for k := range flags {
		flags[k] = d.Bool()
	}
	for k := range times {
		times[k] = timebase.Time(d.Uint64())
	}
	for k := range counts {
		counts[k] = int64(d.Uint64())
	}
	if err := d.Done(); err != nil {
		return err
	}
	p.started, p.has, p.ahead = flags[0], flags[1], nil
	p.first, p.last, p.shift, p.dueAt = times[0], times[1], times[2], times[3]
	p.stats = PlayerStats{Shown: counts[0], Skipped: counts[1], Held: counts[2], Rounds: counts[3],
		Time: times[4], Done: flags[2]}
	p.currentAt = position{time: times[5], offset: counts[4], skip: counts[5]}
	p.aheadAt = position{time: times[6], offset: counts[6], skip: counts[7]}
	return p.reread(flags[3])
}

// reread reads the current message and the next one again.
func (p *Player) reread(ahead bool) error {
	if p.seeker == nil {
		return fixed(p.source)
	}
	if p.has {
		if err := p.seeker.seek(p.currentAt); err != nil {
			return err
		}
		m, err := p.source.Next()
		if err != nil {
			return err
		}
		p.current = append(p.current[:0], m.Data...)
		p.toMove = p.stats.Time - m.Time
		if p.options.Loop {
			p.stamps = stampsOf(m.Channel.Type)
		}
		if err := p.restamp(); err != nil {
			return err
		}
	}
	if !ahead {
		return nil
	}
	if err := p.seeker.seek(p.aheadAt); err != nil {
		return err
	}
	return p.read()
}
