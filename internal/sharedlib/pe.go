package sharedlib

import (
	"encoding/binary"
	"math"
)

// readPE reads the import and export directories.
func readPE(l *Library, data []byte) {
	m := &image{data: data, order: binary.LittleEndian}
	header := m.u32(60) + 4
	optional := header + 20
	m.wide = m.u16(optional) == 0x20B
	var sections []segment
	at := optional + m.u16(header+16)
	for range min(m.u16(header+2), maxHeaders) {
		if at >= uint64(len(data)) {
			break
		}
		sections = append(sections, segment{m.u32(at + 12), m.u32(at + 20), m.u32(at + 16)})
		at += 40
	}
	directory := func(number uint64) uint64 {
		at := optional + m.pick(112, 96)
		if number >= m.u32(at-4) {
			return math.MaxUint64
		}
		return place(sections, m.u32(at+8*number))
	}
	l.Needs = m.imports(sections, directory(1))
	l.Exports = m.exports(sections, directory(0))
}

// imports lists the libraries of the import directory.
func (m *image) imports(sections []segment, entry uint64) (names []string) {
	if entry == math.MaxUint64 {
		return nil
	}
	for range maxNames {
		name := m.u32(entry + 12)
		if name == 0 {
			break
		}
		if text := m.name(place(sections, name)); text != "" {
			names = append(names, text)
		}
		entry += 20
	}
	return names
}

// exports lists the names of the export directory: their count is at offset 24, and the address of
// their addresses at offset 32.
func (m *image) exports(sections []segment, table uint64) (names []string) {
	if table == math.MaxUint64 {
		return nil
	}
	list := place(sections, m.u32(table+32))
	if list == math.MaxUint64 {
		return nil
	}
	rest := (uint64(len(m.data)) - min(list, uint64(len(m.data)))) / 4 // addresses in the file
	for k := range min(m.u32(table+24), maxExports, rest) {
		if text := m.name(place(sections, m.u32(list+4*k))); text != "" {
			names = append(names, text)
		}
	}
	return names
}
