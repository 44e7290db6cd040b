package sharedlib

import (
	"debug/elf"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
)

// readELF reads the dynamic section by the program headers, as a loader does.
func readELF(l *Library, data []byte) {
	m := &image{data: data, order: binary.LittleEndian,
		wide: elf.Class(data[elf.EI_CLASS]) == elf.ELFCLASS64}
	if elf.Data(data[elf.EI_DATA]) == elf.ELFDATA2MSB {
		m.order = binary.BigEndian
	}
	var loaded []segment
	var dynamic segment
	at, step := m.address(m.pick(32, 28)), m.u16(m.pick(54, 42))
	for range min(m.u16(m.pick(56, 44)), maxHeaders) {
		s := segment{m.address(at + m.pick(16, 8)), m.address(at + m.pick(8, 4)),
			m.address(at + m.pick(32, 16))}
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
		return
	}
	for _, offset := range values[elf.DT_NEEDED] {
		if name := m.name(texts + offset); name != "" {
			l.Needs = append(l.Needs, name)
		}
	}
	l.Glibc = m.glibc(single(elf.DT_VERNEED), texts)
	if symbols := single(elf.DT_SYMTAB); symbols != math.MaxUint64 {
		l.Exports = m.functions(symbols, m.countSymbols(single(elf.DT_HASH),
			single(elf.DT_GNU_HASH)), texts)
	}
}

// countSymbols returns the number of dynamic symbols, which only the hash tables state.
func (m *image) countSymbols(hash, gnu uint64) uint64 {
	if hash != math.MaxUint64 {
		return min(m.u32(hash+4), maxExports)
	}
	if gnu == math.MaxUint64 {
		return 0
	}
	buckets, first, bloom := min(m.u32(gnu), maxExports), m.u32(gnu+4), m.u32(gnu+8)
	at := gnu + 16 + bloom*m.pick(8, 4)
	last := uint64(0)
	for k := range buckets {
		last = max(last, m.u32(at+4*k))
	}
	if last < first {
		return min(first, maxExports)
	}
	at += 4 * buckets
	for last < maxExports && m.u32(at+4*(last-first))&1 == 0 { // a chain ends with a set bit
		last++
	}
	return min(last+1, maxExports)
}

// functions lists the symbols that are functions of this library.
func (m *image) functions(symbols, n, texts uint64) (names []string) {
	for k := range n {
		at := symbols + k*m.pick(24, 16)
		info, section := m.u8(at+m.pick(4, 12)), m.u16(at+m.pick(6, 14))
		if elf.ST_TYPE(info) != elf.STT_FUNC || elf.ST_BIND(info) == elf.STB_LOCAL ||
			elf.SectionIndex(section) == elf.SHN_UNDEF {
			continue
		}
		if name := m.name(texts + m.u32(at)); name != "" {
			names = append(names, name)
		}
	}
	return names
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

// glibc returns the newest version in the list of versions that the symbols require.
func (m *image) glibc(at, texts uint64) (newest string) {
	if at == math.MaxUint64 {
		return ""
	}
	for range maxNames {
		version := at + m.u32(at+8)
		for range min(m.u16(at+2), maxNames) {
			if number, found := strings.CutPrefix(m.name(texts+m.u32(version+8)),
				"GLIBC_"); found && Newer(number, newest) {
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

// Newer compares numeric versions such as 2.34. Every version is newer than an empty one; a text
// that is not a version, such as PRIVATE, is never newer.
func Newer(a, b string) bool {
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
	return slices.Compare(numbers(a), numbers(b)) > 0
}
