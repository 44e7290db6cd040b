package mcap

import (
	"cmp"
	"slices"
)

// Clocks notice where the clock of a recording has started again, as when a simulation begins anew
// in the same file: the log time of a channel goes back by more than a second, or, after ten
// messages, to the time of its first message or before. Other messages whose time goes back are
// late. Messages from both sides of a restart must not be sorted into one drive. K names channels.
type Clocks[K comparable] struct {
	channels map[K]*clock
	drives   int // so far, after the first one
}

// clock is what is known of a channel in its present drive.
type clock struct {
	first, newest uint64
	count         int
	drive         int
}

// RestartAfter is the time in ns by which log times may go back without a restart of the clock.
const RestartAfter = 1_000_000_000

// restartCount is the number of messages after which a return to the first time is a restart.
const restartCount = 10

// Take takes the log time of the next message of a channel, in the order of the file. It returns
// the number of the drive to which the message belongs, from 0 up, and whether the clock of the
// channel has started again.
func (c *Clocks[K]) Take(channel K, at uint64) (drive int, again bool) {
	own := c.channels[channel]
	if own == nil {
		if c.channels == nil {
			c.channels = map[K]*clock{}
		}
		c.channels[channel] = &clock{at, at, 1, c.drives}
		return c.drives, false
	}
	if own.restarts(at) {
		if own.drive == c.drives { // or else another channel has been the first one to restart
			c.drives++
		}
		*own = clock{at, at, 1, c.drives}
		return c.drives, true
	}
	own.newest = max(own.newest, at)
	own.count++
	return c.drives, false
}

// Newest is the greatest time of a channel in its present drive.
func (c *Clocks[K]) Newest(channel K) uint64 {
	if own := c.channels[channel]; own != nil {
		return own.newest
	}
	return 0
}

func (c *clock) restarts(at uint64) bool {
	return at < c.newest && (c.newest-at > RestartAfter || at <= c.first && c.count >= restartCount)
}

// Place is where a message stands in a file: the offset of its chunk, or of the run of records
// outside of chunks, and the offset in its records.
type Place struct{ Chunk, Offset uint64 }

func (p Place) compare(q Place) int {
	return cmp.Or(cmp.Compare(p.Chunk, q.Chunk), cmp.Compare(p.Offset, q.Offset))
}

// Drive is a part of a file between restarts of its clock; see [Clocks].
type Drive struct {
	Begin      Place  // of its first message
	Messages   uint64 // of the channels that were selected
	Start, End uint64 // least and greatest log time, ns

	// of the restart before it, ns: the channel, its greatest time before and the time after
	Channel       uint16
	Before, After uint64
}

// Drives finds the restarts of the clock, on the channels of a query. As far as there are message
// indexes, only they are read. A file without messages has one drive. Damage, of kind [ErrFormat],
// ends the search; the drives so far come with the error.
func (f *File) Drives(q Query) ([]Drive, error) {
	var clocks Clocks[uint16]
	drives := []Drive{{}}
	chunks := slices.SortedStableFunc(slices.Values(f.Chunks), func(a, b *ChunkIndex) int {
		return cmp.Compare(a.ChunkStart, b.ChunkStart)
	})
	for _, c := range chunks {
		list, err := f.inOrder(c)
		if err != nil {
			return drives, err
		}
		for _, m := range list {
			channel := f.Channels[m.channel]
			if q.Channel != nil && (channel == nil || !q.Channel(channel)) {
				continue
			}
			before := clocks.Newest(m.channel)
			if n, _ := clocks.Take(m.channel, m.entry.LogTime); n == len(drives) {
				drives = append(drives, Drive{Begin: Place{c.ChunkStart, m.entry.Offset},
					Channel: m.channel, Before: before, After: m.entry.LogTime})
			}
			drives[len(drives)-1].take(m.entry.LogTime)
		}
	}
	return drives, nil
}

func (d *Drive) take(at uint64) {
	if d.Messages == 0 {
		d.Start, d.End = at, at
	}
	d.Messages++
	d.Start, d.End = min(d.Start, at), max(d.End, at)
}

// inOrder are the messages of a chunk in the order of the file.
func (f *File) inOrder(c *ChunkIndex) ([]timed, error) {
	list, err := f.indexed(c)
	if err != nil || list == nil { // the messages themselves say it, too
		var records []byte
		if records, err = (&merger{file: f}).records(c); err != nil {
			return nil, err
		}
		list, _, _, err = f.times(records, int64(c.ChunkStart))
		return list, err
	}
	slices.SortFunc(list, func(a, b timed) int {
		return cmp.Compare(a.entry.Offset, b.entry.Offset)
	})
	return list, nil
}

// indexed are the messages of a chunk that its message indexes name; nil without any.
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
