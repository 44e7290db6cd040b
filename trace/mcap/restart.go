package mcap

import (
	"cmp"
	"slices"
)

// Clocks detects where the clock of a recording was restarted, for example because a restarted
// simulation was recorded to the same file. At a restart, the log time of a channel goes back by
// more than a second or, after ten messages, to the time of its first message or earlier, and the
// next message confirms this. A single message with a deviating time is not a restart; its time is
// wrong. Other messages whose time goes back are late. Messages from both sides of a restart must
// not be sorted into one drive. K is the type of channel names.
type Clocks[K comparable] struct {
	channels map[K]*clock
	taken    int64
	restarts int
	doubts   int // channels with a doubtful message
	newest   Restart
}

// Restart describes where a clock was restarted: the message that begins the new drive, counted
// from 0, its time, and the greatest time of its channel before it, in ns.
type Restart struct {
	Message       int64
	Before, After uint64
}

// clock holds what is known of a channel in its current drive.
type clock struct {
	first, newest uint64
	second, last  uint64 // the second newest time; the time of the last message
	count, drive  int
	doubt         *doubt
}

// doubt is a message that may begin another drive.
type doubt struct {
	message int64
	time    uint64
}

// RestartAfter is how far log times may go back, in ns, without counting as a clock restart.
const RestartAfter = 1_000_000_000

// restartCount is the number of messages after which a return to the first time counts as a
// restart.
const restartCount = 10

// Sign describes what a message shows about a clock.
type Sign int

// What a message shows.
const (
	InOrder  Sign = iota // nothing: the clock continues
	Doubtful             // the clock may have restarted; the channel's next message decides
	Again                // the clock of the channel restarted with its previous message
)

// Restarts returns how many times the clock was restarted.
func (c *Clocks[K]) Restarts() int { return c.restarts }

// Newest returns the newest restart of a channel. A restart of the recording restarts several
// channels; Message is the first message of all of them.
func (c *Clocks[K]) Newest() Restart { return c.newest }

// Open reports whether there is a doubtful message that is still undecided.
func (c *Clocks[K]) Open() bool { return c.doubts > 0 }

// suspect sets or clears the doubtful message of a channel.
func (c *Clocks[K]) suspect(own *clock, d *doubt) {
	if own.doubt != nil {
		c.doubts--
	}
	if own.doubt = d; d != nil {
		c.doubts++
	}
}

// Take processes the log time of the next message of a channel, in file order.
func (c *Clocks[K]) Take(channel K, at uint64) Sign {
	message := c.taken
	c.taken++
	own := c.channels[channel]
	switch {
	case own == nil:
		if c.channels == nil {
			c.channels = map[K]*clock{}
		}
		c.channels[channel] = &clock{first: at, newest: at, last: at, count: 1, drive: c.restarts}
		return InOrder
	case own.confirms(at):
		c.restart(own, at)
		return Again
	}
	c.suspect(own, nil)
	if !own.back(at) {
		own.take(at)
		return InOrder
	}
	c.suspect(own, &doubt{message, at})
	return Doubtful
}

// Pass counts a message whose time is not evidence about the clock because it may be damaged.
func (c *Clocks[K]) Pass() { c.taken++ }

// restart begins another drive of a channel, and of the recording unless another channel restarted
// first.
func (c *Clocks[K]) restart(own *clock, at uint64) {
	d := own.doubt
	c.newest.Before, c.newest.After = own.newest, d.time
	if own.drive == c.restarts {
		c.restarts++
		c.newest.Message = d.message
		for _, other := range c.channels {
			if other.doubt != nil {
				c.newest.Message = min(c.newest.Message, other.doubt.message)
			}
		}
	}
	c.suspect(own, nil)
	*own = clock{first: d.time, newest: d.time, last: d.time, count: 1, drive: c.restarts}
	own.take(at)
}

// back reports whether a time may belong to another drive. If only the last message had a later
// time, that time was wrong.
func (c *clock) back(at uint64) bool {
	if at >= c.newest || c.newest-at <= RestartAfter && (at > c.first || c.count < restartCount) {
		return false
	}
	wrong := c.last == c.newest && (c.count == 1 || at > c.second)
	if wrong {
		c.newest = at
	}
	return !wrong
}

// confirms reports whether a time follows the time of a doubtful message rather than the times
// before it.
func (c *clock) confirms(at uint64) bool {
	if c.doubt == nil || at >= c.newest {
		return false
	}
	return c.newest-at > RestartAfter || at <= c.doubt.time || at-c.doubt.time <= c.newest-at
}

func (c *clock) take(at uint64) {
	if at > c.newest {
		c.second, c.newest = c.newest, at
	}
	c.last = at
	c.count++
}

// Place is the position of a message in a file: the offset of its chunk, or of its run of records
// outside of chunks, and the offset in those records.
type Place struct{ Chunk, Offset uint64 }

func (p Place) compare(q Place) int {
	return cmp.Or(cmp.Compare(p.Chunk, q.Chunk), cmp.Compare(p.Offset, q.Offset))
}

// Drive is a part of a file between restarts of its clock; see [Clocks].
type Drive struct {
	Begin      Place  // of its first message
	Messages   uint64 // of the selected channels
	Start, End uint64 // least and greatest log time, ns
	Restart           // the restart before it
	Channel    uint16 // channel on which the restart appeared first
}

// mostAgain is the number of bytes of chunks that are unpacked again, once for each drive that
// begins in them. If there are more restarts, all messages after the last one belong to one drive.
const mostAgain = 16 << 30

// Drives finds the restarts of the clock on the channels of a query and returns the drives between
// them. Messages that may be damaged begin no drive; see [DamagedKey]. If there are message
// indexes, only those are read. A file without messages has one drive. Damage (an error of kind
// [ErrFormat]) ends the search; the drives found so far are returned with the error.
func (f *File) Drives(q Query) ([]Drive, error) {
	var clocks Clocks[uint16]
	drives := []Drive{{}}
	sizes := map[uint64]uint64{}
	for _, c := range f.Chunks {
		if !c.loose { // of other records, each drive reads only its own
			sizes[c.ChunkStart] = c.UncompressedSize
		}
	}
	restarts, again := 0, uint64(0)
	damage := f.inFileOrder(q, func(m timed, at Place) {
		if c := f.Channels[m.channel]; c != nil && IsDamaged(c.Metadata) {
			clocks.Pass()
			return
		}
		clocks.Take(m.channel, m.entry.LogTime)
		if clocks.Restarts() == restarts {
			return
		}
		restarts = clocks.Restarts()
		if again += sizes[at.Chunk]; again <= mostAgain {
			drives = append(drives, Drive{Restart: clocks.Newest(), Channel: m.channel})
		}
	})
	number, k := int64(0), 0
	_ = f.inFileOrder(q, func(m timed, at Place) { // fails as before
		if k+1 < len(drives) && drives[k+1].Message == number {
			k++
			drives[k].Begin = at
		}
		drives[k].take(m.entry.LogTime)
		number++
	})
	return drives, damage
}

// inFileOrder calls take for the messages on the channels of a query, in file order.
func (f *File) inFileOrder(q Query, take func(timed, Place)) error {
	chunks := slices.SortedStableFunc(slices.Values(f.Chunks), func(a, b *ChunkIndex) int {
		return cmp.Compare(a.ChunkStart, b.ChunkStart)
	})
	var all expansion
	var records []byte // memory of the previous chunk
	for _, c := range chunks {
		var err error
		if records, err = f.inOrder(c, records, &all, func(m timed) {
			channel := f.Channels[m.channel]
			if q.Channel == nil || channel != nil && q.Channel(channel) {
				take(m, Place{c.ChunkStart, m.entry.Offset})
			}
		}); err != nil {
			return err
		}
	}
	return nil
}

func (d *Drive) take(at uint64) {
	if d.Messages == 0 {
		d.Start, d.End = at, at
	}
	d.Messages++
	d.Start, d.End = min(d.Start, at), max(d.End, at)
}

// inOrder calls take for the messages of a chunk in file order, unless the chunk is damaged. It
// uses the given memory for the records, and returns it.
func (f *File) inOrder(c *ChunkIndex, memory []byte, all *expansion, take func(timed)) ([]byte,
	error) {
	list, err := f.indexed(c)
	if err != nil || list == nil { // fall back on the messages themselves
		if memory, err = f.records(c, memory); err != nil {
			return memory, err
		}
		if err := f.expand(all, c, uint64(len(memory))); err != nil {
			return memory, err
		}
		at := int64(c.ChunkStart)
		if _, err := messagesIn(memory, at); err != nil {
			return memory, err
		}
		return memory, eachMessage(memory, at, take)
	}
	slices.SortFunc(list, func(a, b timed) int {
		return cmp.Compare(a.entry.Offset, b.entry.Offset)
	})
	for _, m := range list {
		take(m)
	}
	return memory, nil
}

// indexed returns the messages of a chunk according to its message indexes, or nil if it has none.
func (f *File) indexed(c *ChunkIndex) (list []timed, err error) {
	if c.loose || len(c.MessageIndexOffsets) == 0 {
		return nil, nil
	}
	b, err := f.bytesInto(f.indexes, int64(c.ChunkStart+c.ChunkLength), c.MessageIndexLength)
	f.indexes = b
	for rest := b; len(rest) > 0 && err == nil; {
		var op Opcode
		var body []byte
		if op, body, rest, err = split(rest, int64(c.ChunkStart)); err != nil ||
			op != OpMessageIndex {
			continue
		}
		var record any
		if record, err = parse(op, body, int64(c.ChunkStart)); err == nil {
			index := record.(*MessageIndex)
			for _, e := range index.Entries {
				list = append(list, timed{index.ChannelID, e})
			}
		}
	}
	return list, err
}
