package archive

import (
	"debug/elf"
	"debug/macho"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Bounds of what is read from a library. Package debug has none: it is not made for hostile files.
const (
	maxName    = 1024 // bytes of a name
	maxNames   = 1024 // libraries, and versions of one library
	maxHeaders = 4096 // segments, sections, load commands, dynamic entries
)

// dependencies lists what a library needs when it is loaded, each once, by name; and for ELF the newest version of the GNU C
// library that it asks for. What cannot be read needs nothing.
func dependencies(format string, content []byte) (needs []string, glibc string) {
	switch format {
	case "ELF":
		needs, glibc = elfDependencies(content)
	case "PE":
		needs = peDependencies(content)
	case "Mach-O":
		needs = machoDependencies(content)
	}
	slices.Sort(needs)
	return append([]string{}, slices.Compact(needs)...), glibc
}

// image is a library in memory. Reading outside of it gives zeros.
type image struct {
	data  []byte
	order binary.ByteOrder
	wide  bool // addresses have 64 bits
}

func (m *image) bytes(at, n uint64) []byte {
	if at > uint64(len(m.data)) || n > uint64(len(m.data))-at {
		return make([]byte, min(n, 8))
	}
	return m.data[at : at+n]
}

func (m *image) u16(at uint64) uint64 { return uint64(m.order.Uint16(m.bytes(at, 2))) }
func (m *image) u32(at uint64) uint64 { return uint64(m.order.Uint32(m.bytes(at, 4))) }

// address is a number of the size of an address.
func (m *image) address(at uint64) uint64 {
	if m.wide {
		return m.order.Uint64(m.bytes(at, 8))
	}
	return m.u32(at)
}

// name is a text that ends with a zero byte, empty if it does not end in time.
func (m *image) name(at uint64) string {
	if at >= uint64(len(m.data)) {
		return ""
	}
	text, _, found := strings.Cut(string(m.data[at:min(at+maxName, uint64(len(m.data)))]), "\x00")
	if !found {
		return ""
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// pick is the first value for 64 bits, else the second one.
func (m *image) pick(wide, narrow uint64) uint64 {
	if m.wide {
		return wide
	}
	return narrow
}

// segment is a part of a file that is loaded at an address.
type segment struct{ address, offset, size uint64 }

// place finds where in the file that is which will be at an address; far outside if nowhere.
func place(segments []segment, address uint64) uint64 {
	for _, s := range segments {
		if address >= s.address && address-s.address < s.size {
			return s.offset + (address - s.address)
		}
	}
	return math.MaxUint64
}

// elfDependencies reads the dynamic section by the program headers, as a loader does.
func elfDependencies(data []byte) ([]string, string) {
	m := &image{data: data, order: binary.LittleEndian, wide: elf.Class(data[elf.EI_CLASS]) == elf.ELFCLASS64}
	if elf.Data(data[elf.EI_DATA]) == elf.ELFDATA2MSB {
		m.order = binary.BigEndian
	}
	var loaded []segment
	var dynamic segment
	at, step := m.address(m.pick(32, 28)), m.u16(m.pick(54, 42))
	for range min(m.u16(m.pick(56, 44)), maxHeaders) {
		s := segment{m.address(at + m.pick(16, 8)), m.address(at + m.pick(8, 4)), m.address(at + m.pick(32, 16))}
		switch elf.ProgType(m.u32(at)) {
		case elf.PT_LOAD:
			loaded = append(loaded, s)
		case elf.PT_DYNAMIC:
			dynamic = s
		}
		at += step
	}
	values := m.dynamicEntries(dynamic)
	single := func(tag elf.DynTag) uint64 {
		if list := values[tag]; len(list) > 0 {
			return place(loaded, list[0])
		}
		return math.MaxUint64
	}
	texts := single(elf.DT_STRTAB)
	if texts == math.MaxUint64 {
		return nil, ""
	}
	var needs []string
	for _, offset := range values[elf.DT_NEEDED] {
		if name := m.name(texts + offset); name != "" {
			needs = append(needs, name)
		}
	}
	return needs, m.glibc(single(elf.DT_VERNEED), texts)
}

func (m *image) dynamicEntries(s segment) map[elf.DynTag][]uint64 {
	values := map[elf.DynTag][]uint64{}
	word := m.pick(8, 4)
	for k := range min(s.size/(2*word), maxHeaders) {
		at := s.offset + 2*word*k
		tag := elf.DynTag(m.address(at))
		if tag == elf.DT_NULL {
			break
		}
		if len(values[tag]) < maxNames {
			values[tag] = append(values[tag], m.address(at+word))
		}
	}
	return values
}

// glibc is the newest version in the list of versions that symbols ask for.
func (m *image) glibc(at, texts uint64) (newest string) {
	if at == math.MaxUint64 {
		return ""
	}
	for range maxNames {
		version := at + m.u32(at+8)
		for range min(m.u16(at+2), maxNames) {
			if number, found := strings.CutPrefix(m.name(texts+m.u32(version+8)), "GLIBC_"); found && older(newest, number) {
				newest = number
			}
			version += m.u32(version + 12)
		}
		next := m.u32(at + 12)
		if next == 0 {
			break
		}
		at += next
	}
	return newest
}

// older compares versions of numbers; empty is older than all, and what is no version, as PRIVATE, is never newer.
func older(a, b string) bool {
	numbers := func(version string) (list []int) {
		for word := range strings.SplitSeq(version, ".") {
			n, err := strconv.Atoi(word)
			if err != nil {
				return nil
			}
			list = append(list, n)
		}
		return list
	}
	return slices.Compare(numbers(a), numbers(b)) < 0
}

// peDependencies reads the import directory.
func peDependencies(data []byte) (needs []string) {
	m := &image{data: data, order: binary.LittleEndian}
	header := m.u32(60) + 4
	optional := header + 20
	m.wide = m.u16(optional) == 0x20B
	var sections []segment
	at := optional + m.u16(header+16)
	for range min(m.u16(header+2), maxHeaders) {
		sections = append(sections, segment{m.u32(at + 12), m.u32(at + 20), m.u32(at + 16)})
		at += 40
	}
	entry := place(sections, m.u32(optional+m.pick(120, 104)))
	if entry == math.MaxUint64 {
		return nil
	}
	for range maxNames {
		name := m.u32(entry + 12)
		if name == 0 {
			break
		}
		if text := m.name(place(sections, name)); text != "" {
			needs = append(needs, text)
		}
		entry += 20
	}
	return needs
}

// machoDependencies reads the load commands, of all architectures if there are several.
func machoDependencies(data []byte) (needs []string) {
	fat := &image{data: data, order: binary.BigEndian}
	if fat.u32(0) != uint64(macho.MagicFat) {
		return machoLibraries(data)
	}
	for k := range min(fat.u32(4), 45) {
		offset, size := fat.u32(8+20*k+8), fat.u32(8+20*k+12)
		needs = append(needs, machoLibraries(fat.bytes(offset, min(size, uint64(len(data)))))...)
	}
	return needs
}

func machoLibraries(data []byte) (needs []string) {
	m := &image{data: data, order: binary.LittleEndian}
	if magic := binary.BigEndian.Uint32(m.bytes(0, 4)); magic == macho.Magic32 || magic == macho.Magic64 {
		m.order = binary.BigEndian
	}
	m.wide = m.u32(0) == uint64(macho.Magic64)
	at := m.pick(32, 28)
	for range min(m.u32(16), maxHeaders) {
		const reexported = 0x8000001F // LC_REEXPORT_DYLIB
		if command := m.u32(at); command == uint64(macho.LoadCmdDylib) || command == reexported {
			if text := m.name(at + m.u32(at+8)); text != "" {
				needs = append(needs, text)
			}
		}
		if m.u32(at+4) == 0 {
			break
		}
		at += m.u32(at + 4)
	}
	return needs
}
