package trace

import (
	"errors"
	"fmt"
	"io"

	"gosmp/internal/fault"
	"gosmp/internal/state"
	"gosmp/timebase"
)

// position is where a source stands: at a byte of an .osi file, or after so many messages of one
// time in an indexed file.
type position struct {
	offset int64
	time   timebase.Time
	skip   int64
}

// seekable is a source that can go to a position that it had before. The zero value is the start.
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

// PlayerOptions say when a [Player] shows which message.
type PlayerOptions struct {
	Start    timebase.Time // of the experiment
	Offset   timebase.Time // added to all times
	Relative bool          // the first message is due at Start
	// start over at the end; messages are restamped, as OSI's time never goes back
	Loop bool
	// with Loop: length of a round, at least the length of the channel, which is also used for 0
	Round timebase.Time
	// a message is there in the step in which it becomes due, and in no other
	Events bool
	// times that go back are an error; otherwise such a message is due at once
	Strict bool
	// Slack is how much later than a time of the run a message may be stamped and still be due
	// then: the stamps of a trace may be rounded, as at 60 messages per second.
	Slack timebase.Duration
}

// Player finds the message of one channel that is valid at a time: of all that are due, the newest,
// as for DUECA's streams; with Events what has become due since the call before, as for its events.
// A message stamped s is due at s + offset. It keeps two messages in memory.
//
// A player starts no goroutine. When the messages have their largest size it allocates nothing but
// what its source does.
type Player struct {
	source  Source
	seeker  seekable // nil when the source cannot go back
	options PlayerOptions
	stamps  *stampNode

	started     bool
	first, last timebase.Time // of the file, as far as it has been read
	shift       timebase.Time // from the file's times to the experiment's
	ahead       *Message      // not yet due; nil at the end of the file
	aheadAt     position      // where it begins
	dueAt       timebase.Time // of the newest message that was taken

	current, spare []byte
	currentAt      position
	// by which the stamps of the current message still have to be moved
	toMove timebase.Time
	has    bool
	stats  PlayerStats
}

// PlayerStats count what has happened.
type PlayerStats struct {
	Shown   int64         // messages that were the newest at the end of a step
	Skipped int64         // messages that were due, but older than another one of the same step
	Held    int64         // messages whose time went back
	Rounds  int64         // completed rounds
	Time    timebase.Time // stamp of the message that is shown, in the time of the experiment
	Done    bool          // there is no more message
}

// NewPlayer plays the messages of a source that gives the messages of one channel only. Reading
// begins with the first call of At.
func NewPlayer(s Source, o PlayerOptions) (*Player, error) {
	p := &Player{source: s, options: o}
	p.seeker, _ = seekableOf(s)
	if p.seeker == nil && o.Loop {
		return nil, fixed(s)
	}
	return p, nil
}

// fixed returns the error for a source that cannot go back.
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

// At moves on to t, which never goes back, and returns the message that is valid there; nil is
// none. The bytes are valid until the next call. After an error the player is not used any more.
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

// align settles the times by the first message.
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

// due returns when the next message becomes valid: never before the one that was taken last.
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

// over is the end of the file: the end of the trace, or the start of another round. Its first
// message comes at the time of the last one, unless other channels of the trace are longer.
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
	if err := p.restamp(); err != nil { // the current message is one of the round that ends
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

// restamp moves the time stamps inside the current message to the time of the experiment, once.
// Without Loop messages pass unchanged.
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

// Snapshot appends where the player stands. Messages are not part of it: restoring reads them
// again.
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

// Restore goes back to a snapshot of a player of the same file with the same options. After an
// error the player is not used any more.
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
