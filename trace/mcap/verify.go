package mcap

import (
	"fmt"
	"maps"
	"slices"

	"gosmp/internal/quantity"
)

// Verify compares the indexes of a chunk with the chunk: its position, lengths, compression and
// times, and whether the message indexes list every message of their channels. It returns the
// number of messages in the chunk. If it fails, with [ErrFormat], readers that seek miss or repeat
// messages.
func (f *File) Verify(c *ChunkIndex) (messages int, err error) {
	chunk, err := at[*Chunk](f, c.ChunkStart)
	if err != nil {
		return 0, err
	}
	place := int64(c.ChunkStart)
	records, err := unpackChecked(&f.unpack, chunk, place, nil)
	if err != nil {
		return 0, err
	}
	times, start, end, err := f.times(records, place)
	if err != nil {
		return 0, err
	}
	length, err := f.lengthAt(c.ChunkStart)
	if err != nil {
		return len(times), err
	}
	for _, x := range []struct {
		what         string
		found, wants uint64
	}{
		{"compressed bytes", c.CompressedSize, uint64(len(chunk.Records))}, {"uncompressed bytes",
			c.UncompressedSize, uint64(len(records))},
		{"bytes with the head of the record", c.ChunkLength, length},
		{"ns as the least log time", c.Start, start}, {"ns as the greatest log time", c.End, end},
	} {
		if x.found != x.wants {
			return len(times), damaged(place, fmt.Sprintf("a chunk index that states %d %s",
				x.found, x.what), fmt.Sprint(x.wants))
		}
	}
	if c.Compression != chunk.Compression {
		return len(times), damaged(place, fmt.Sprintf("a chunk index that states compression %q",
			c.Compression), fmt.Sprintf("%q", chunk.Compression))
	}
	return len(times), f.verifyMessages(c, times, place)
}

// lengthAt returns the length of a record, including its head.
func (f *File) lengthAt(offset uint64) (uint64, error) {
	head, err := f.bytes(int64(offset), 9) // recordAt already checked the offset
	if err != nil {
		return 0, err
	}
	return 9 + le.Uint64(head[1:]), nil
}

// timed is the entry that a message index must have for a message.
type timed struct {
	channel uint16
	entry   IndexEntry
}

// times returns the messages of a chunk, with their least and greatest times, which are 0 if there
// are no messages.
func (f *File) times(records []byte, at int64) (list []timed, start, end uint64, err error) {
	for rest := records; len(rest) > 0; {
		offset := uint64(len(records) - len(rest))
		var op Opcode
		var body []byte
		if op, body, rest, err = split(rest, at); err != nil {
			return list, start, end, err
		}
		if op != OpMessage {
			continue
		}
		record, err := parse(op, body, at)
		if err != nil {
			return list, start, end, err
		}
		m := record.(*Message)
		if len(list) == 0 {
			start = m.LogTime
		}
		start, end = min(start, m.LogTime), max(end, m.LogTime)
		list = append(list, timed{m.ChannelID, IndexEntry{m.LogTime, offset}})
	}
	return list, start, end, nil
}

// verifyMessages compares the message indexes of a chunk with its messages. The indexes may be
// missing altogether.
func (f *File) verifyMessages(c *ChunkIndex, times []timed, place int64) error {
	if len(c.MessageIndexOffsets) == 0 {
		return nil
	}
	left := map[timed]bool{}
	for _, t := range times {
		left[t] = true
	}
	var sum uint64
	for _, id := range slices.Sorted(maps.Keys(c.MessageIndexOffsets)) {
		index, err := at[*MessageIndex](f, c.MessageIndexOffsets[id])
		if err != nil {
			return err
		}
		length, err := f.lengthAt(c.MessageIndexOffsets[id])
		if err != nil {
			return err
		}
		sum += length
		for _, e := range index.Entries {
			t := timed{index.ChannelID, e}
			if index.ChannelID != id || !left[t] {
				return damaged(int64(c.MessageIndexOffsets[id]),
					fmt.Sprintf(
						"a message index of channel %d that leads to byte %d of the "+
							"chunk for %d ns", index.ChannelID, e.Offset, e.LogTime),
					fmt.Sprintf("a message of channel %d and that time", id))
			}
			delete(left, t)
		}
	}
	if sum != c.MessageIndexLength {
		return damaged(place, fmt.Sprintf("a chunk index that states %d bytes of message indexes",
			c.MessageIndexLength), fmt.Sprint(sum))
	}
	if len(left) > 0 {
		return damaged(place, fmt.Sprintf("message indexes that leave out %d of the chunk's %s",
			len(left), quantity.Of(len(times), "message")), "all messages")
	}
	return nil
}
