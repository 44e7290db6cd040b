package mcap

import (
	"cmp"
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
	if err := f.expand(&f.verified, c, uint64(len(records))); err != nil {
		return 0, err
	}
	messages, err = messagesIn(records, place)
	if err != nil {
		return 0, err
	}
	start, end, offsets := survey(records, place, messages)
	length, err := f.lengthAt(c.ChunkStart)
	if err != nil {
		return messages, err
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
			return messages, damaged(place, fmt.Sprintf("a chunk index that states %d %s",
				x.found, x.what), fmt.Sprint(x.wants))
		}
	}
	if c.Compression != chunk.Compression {
		return messages, damaged(place, fmt.Sprintf("a chunk index that states compression %q",
			c.Compression), fmt.Sprintf("%q", chunk.Compression))
	}
	return messages, f.verifyMessages(c, records, offsets)
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

// eachMessage calls take for the messages in the records of a chunk, which [messagesIn] has
// checked.
func eachMessage(records []byte, at int64, take func(timed)) error {
	for rest := records; len(rest) > 0; {
		offset := uint64(len(records) - len(rest))
		op, body, after, err := split(rest, at)
		if err != nil {
			return err
		}
		if rest = after; op == OpMessage {
			take(timed{le.Uint16(body), IndexEntry{le.Uint64(body[6:]), offset}})
		}
	}
	return nil
}

// survey returns the least and greatest times of the messages in a chunk, which are 0 if there are
// no messages, and the offsets of the messages in file order.
func survey(records []byte, at int64, messages int) (start, end uint64, offsets []uint32) {
	offsets = make([]uint32, 0, messages)
	_ = eachMessage(records, at, func(m timed) { // has been checked
		if len(offsets) == 0 {
			start = m.entry.LogTime
		}
		start, end = min(start, m.entry.LogTime), max(end, m.entry.LogTime)
		offsets = append(offsets, uint32(m.entry.Offset))
	})
	return start, end, offsets
}

// verifyMessages compares the message indexes of a chunk with its messages. The indexes may be
// missing altogether.
func (f *File) verifyMessages(c *ChunkIndex, records []byte, offsets []uint32) error {
	if len(c.MessageIndexOffsets) == 0 {
		return nil
	}
	listed := make([]bool, len(offsets))
	left := len(offsets)
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
			k, is := slices.BinarySearchFunc(offsets, e.Offset, func(a uint32, b uint64) int {
				return cmp.Compare(uint64(a), b)
			})
			if !is || index.ChannelID != id || listed[k] ||
				!describes(id, e, body9(records[e.Offset:])) {
				return damaged(int64(c.MessageIndexOffsets[id]),
					fmt.Sprintf(
						"a message index of channel %d that leads to byte %d of the "+
							"chunk for %d ns", index.ChannelID, e.Offset, e.LogTime),
					fmt.Sprintf("a message of channel %d and that time", id))
			}
			listed[k] = true
			left--
		}
	}
	if sum != c.MessageIndexLength {
		return damaged(int64(c.ChunkStart),
			fmt.Sprintf("a chunk index that states %d bytes of message indexes",
				c.MessageIndexLength), fmt.Sprint(sum))
	}
	if left > 0 {
		return damaged(int64(c.ChunkStart),
			fmt.Sprintf("message indexes that leave out %d of the chunk's %s", left,
				quantity.Of(len(offsets), "message")), "all messages")
	}
	return nil
}

// describes reports whether an entry of the index of a channel has the time of a message.
func describes(channel uint16, e IndexEntry, message []byte) bool {
	return le.Uint16(message) == channel && le.Uint64(message[6:]) == e.LogTime
}
