package sharedlib

import (
	"debug/macho"
	"encoding/binary"
	"strings"
)

// readMachO reads the load commands, of all architectures if there are several.
func readMachO(l *Library, data []byte) {
	fat := &image{data: data, order: binary.BigEndian}
	if fat.u32(0) != uint64(macho.MagicFat) {
		readThinMachO(l, data)
		return
	}
	for k := range min(fat.u32(4), 45) {
		offset, size := fat.u32(8+20*k+8), fat.u32(8+20*k+12)
		readThinMachO(l, fat.bytes(offset, min(size, uint64(len(data)))))
	}
}

// readThinMachO adds the libraries that one architecture needs and the symbols that it exports.
func readThinMachO(l *Library, data []byte) {
	m := &image{data: data, order: binary.LittleEndian}
	if magic := binary.BigEndian.Uint32(m.bytes(0, 4)); magic == macho.Magic32 ||
		magic == macho.Magic64 {
		m.order = binary.BigEndian
	}
	m.wide = m.u32(0) == uint64(macho.Magic64)
	at := m.pick(32, 28)
	for range min(m.u32(16), maxHeaders) {
		const reexported = 0x8000001F // LC_REEXPORT_DYLIB
		switch m.u32(at) {
		case uint64(macho.LoadCmdDylib), reexported:
			if text := m.name(at + m.u32(at+8)); text != "" {
				l.Needs = append(l.Needs, text)
			}
		case uint64(macho.LoadCmdSymtab):
			l.addSymbols(m, m.u32(at+8), min(m.u32(at+12), maxExports), m.u32(at+16))
		}
		if m.u32(at+4) == 0 {
			break
		}
		at += m.u32(at + 4)
	}
}

// addSymbols adds the external symbols that are defined in a section, without the underscore that C
// compilers prepend.
func (l *Library) addSymbols(m *image, at, n, texts uint64) {
	const external, kind, inSection, debug = 0x01, 0x0E, 0x0E, 0xE0
	for range n {
		if t := m.u8(at + 4); t&external != 0 && t&kind == inSection && t&debug == 0 {
			if text := m.name(texts + m.u32(at)); text != "" {
				l.Exports = append(l.Exports, strings.TrimPrefix(text, "_"))
			}
		}
		at += m.pick(16, 12)
	}
}
