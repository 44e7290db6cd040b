package hostile

import (
	"bytes"
	"encoding/binary"
	"math"
)

// Zip64 holds what the records of a ZIP64 archive state.
type Zip64 struct {
	Entries []Zip64Entry
	// the end of the directory: its number of entries, its length and its position
	Count, Size, Offset uint64
	Locator             uint64 // position of the record that states them
	NoRecord            bool   // the record and its locator are missing
}

// Zip64Entry holds what the directory states about an entry.
type Zip64Entry struct{ Unpacked, Packed, Offset uint64 }

// Lie is a change of the records of an archive with at least two entries.
type Lie struct {
	Name   string
	Change func(z *Zip64)
	// Harmless means that readers still find the same entries.
	Harmless bool
}

// Lies are the changes that a reader has to withstand.
var Lies = []Lie{
	{"none", func(*Zip64) {}, true},
	{"65536 more entries", func(z *Zip64) { z.Count += 1 << 16 }, true},
	{"one entry more", func(z *Zip64) { z.Count++ }, false},
	{"one entry less", func(z *Zip64) { z.Count-- }, false},
	{"endless directory", func(z *Zip64) { z.Size = math.MaxUint64 }, false},
	{"directory of 5 GB", func(z *Zip64) { z.Size = 5 << 30 }, false},
	{"directory after the end", func(z *Zip64) { z.Offset = 5 << 30 }, false},
	{"directory at a negative position", func(z *Zip64) { z.Offset = 1<<64 - 10 }, false},
	{"record elsewhere", func(z *Zip64) { z.Locator-- }, false},
	{"record after the end", func(z *Zip64) { z.Locator = 5 << 30 }, false},
	{"no record", func(z *Zip64) { z.NoRecord = true }, false},
	{"unpacked to 5 GB", func(z *Zip64) { z.Entries[0].Unpacked = 5 << 30 }, false},
	{"unpacked to 2^64 bytes", func(z *Zip64) { z.Entries[0].Unpacked = math.MaxUint64 }, false},
	{"unpacked to a byte more", func(z *Zip64) { z.Entries[0].Unpacked++ }, false},
	{"unpacked to a byte less", func(z *Zip64) { z.Entries[0].Unpacked-- }, false},
	{"5 GB packed", func(z *Zip64) { z.Entries[0].Packed = 5 << 30 }, false},
	{"2^64 bytes packed", func(z *Zip64) { z.Entries[0].Packed = math.MaxUint64 }, false},
	{"a byte less packed", func(z *Zip64) { z.Entries[0].Packed-- }, false},
	{"entry after the end", func(z *Zip64) { z.Entries[0].Offset = 5 << 30 }, false},
	{"entry at a negative position", func(z *Zip64) { z.Entries[0].Offset = 1 << 63 }, false},
	{"two entries at one position", func(z *Zip64) { z.Entries[1].Offset = 0 }, false},
	{"sizes that overflow", func(z *Zip64) {
		for k := range z.Entries {
			z.Entries[k].Unpacked = 1 << 63
		}
	}, false},
}

// WithZip64 states the sizes and positions of an archive in ZIP64 records, changed by a lie.
func (l Lie) WithZip64(b []byte) []byte {
	const header, endHeader = 46, 22
	le := binary.LittleEndian
	end := b[bytes.LastIndex(b, []byte("PK\x05\x06")):]
	from, count := uint64(le.Uint32(end[16:])), int(le.Uint16(end[10:]))
	z := &Zip64{Count: uint64(count), Offset: from}
	records := b[from : len(b)-len(end)]
	var lines [][]byte
	for range count {
		length := header + int(le.Uint16(records[28:])) + int(le.Uint16(records[30:])) +
			int(le.Uint16(records[32:]))
		lines = append(lines, bytes.Clone(records[:length]))
		z.Entries = append(z.Entries, Zip64Entry{Unpacked: uint64(le.Uint32(records[24:])),
			Packed: uint64(le.Uint32(records[20:])), Offset: uint64(le.Uint32(records[42:]))})
		records = records[length:]
		const field = 4 + 3*8
		z.Size += uint64(length) + field
	}
	z.Locator = from + z.Size
	l.Change(z)

	out := bytes.Clone(b[:from])
	for k, line := range lines {
		for _, at := range []int{20, 24, 42} {
			le.PutUint32(line[at:], math.MaxUint32)
		}
		le.PutUint16(line[30:], le.Uint16(line[30:])+28)
		extra := le.AppendUint16(le.AppendUint16(nil, 1), 24)
		for _, v := range []uint64{z.Entries[k].Unpacked, z.Entries[k].Packed,
			z.Entries[k].Offset} {
			extra = le.AppendUint64(extra, v)
		}
		name := header + int(le.Uint16(line[28:]))
		out = append(append(append(out, line[:name]...), extra...), line[name:]...)
	}
	if !z.NoRecord {
		out = z.appendRecord(out)
	}
	end = bytes.Clone(end[:endHeader])
	copy(end[8:], bytes.Repeat([]byte{0xff}, 12))
	le.PutUint16(end[20:], 0)
	return append(out, end...)
}

// appendRecord appends the record at the end of the directory, and its locator.
func (z *Zip64) appendRecord(out []byte) []byte {
	const version = 45
	le := binary.LittleEndian
	out = le.AppendUint64(append(out, "PK\x06\x06"...), 44)
	out = le.AppendUint16(le.AppendUint16(out, version), version)
	out = le.AppendUint64(out, 0) // the numbers of disks
	for _, v := range []uint64{z.Count, z.Count, z.Size, z.Offset} {
		out = le.AppendUint64(out, v)
	}
	out = le.AppendUint32(append(out, "PK\x06\x07"...), 0)
	return le.AppendUint32(le.AppendUint64(out, z.Locator), 1)
}
