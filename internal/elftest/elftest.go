// Package elftest creates shared libraries in the ELF format for tests, with everything that a
// reader examines: symbols, required libraries, search paths and flags. Their functions do nothing,
// unless Code is set.
//
// [Library] describes a library, and [Library.Bytes] creates it.
package elftest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// Library describes a 64-bit library for x86-64.
type Library struct {
	Exports   []string // functions
	Undefined []string // symbols of other libraries
	Weak      []string // the same, but they may be undefined
	Needed    []string
	SOName    string
	RunPath   string
	RPath     string
	Version   string // a version that libc.so.6 must provide, such as GLIBC_2.17

	Type         elf.Type // ET_DYN by default
	Machine      elf.Machine
	Flags        elf.DynFlag
	Flags1       elf.DynFlag1
	Initializers int // number of initializers that the library states
	ExecStack    bool
	TextReloc    bool
	WritableCode bool
	TLS          uint64 // bytes of thread-local memory
	Interpreter  bool   // the library names an interpreter, as programs do
	Code         []byte // of x86-64
}

// texts is a string table.
type texts struct{ bytes.Buffer }

// add adds a text and returns its offset; the first text is empty.
func (t *texts) add(text string) uint32 {
	if t.Len() == 0 {
		t.WriteByte(0)
	}
	if text == "" {
		return 0
	}
	at := t.Len()
	t.WriteString(text + "\x00")
	return uint32(at)
}

// part is a section and its content.
type part struct {
	name    string
	header  elf.Section64
	content []byte
}

const (
	headerSize  = 64
	programSize = 56
	sectionSize = 64
	textIndex   = 1 // index of the section that contains the exports
)

// Bytes returns the file.
func (l Library) Bytes() []byte {
	var names texts
	symbols := l.symbols(&names)
	n := uint32(len(l.Exports) + len(l.Undefined) + len(l.Weak) + 1)
	versions := l.versions(&names)
	dynamic := l.dynamic(&names) // addresses are filled in below
	const execute = uint64(elf.SHF_ALLOC | elf.SHF_EXECINSTR)
	parts := []part{
		{".text", elf.Section64{Type: uint32(elf.SHT_PROGBITS), Flags: execute}, l.code()},
		{".dynsym", elf.Section64{Type: uint32(elf.SHT_DYNSYM), Flags: 2, Link: 3, Info: 1,
			Entsize: elf.Sym64Size}, symbols},
		{".dynstr", elf.Section64{Type: uint32(elf.SHT_STRTAB), Flags: 2}, names.Bytes()},
		{".hash", elf.Section64{Type: uint32(elf.SHT_HASH), Flags: 2, Link: 2, Entsize: 4},
			hash(n)},
		{".dynamic", elf.Section64{Type: uint32(elf.SHT_DYNAMIC), Flags: 3, Link: 3, Entsize: 16},
			nil},
	}
	if versions != nil {
		index := make([]byte, 2*n)
		parts = append(parts,
			part{".gnu.version", elf.Section64{Type: uint32(elf.SHT_GNU_VERSYM), Flags: 2, Link: 2,
				Entsize: 2}, index},
			part{".gnu.version_r", elf.Section64{Type: uint32(elf.SHT_GNU_VERNEED), Flags: 2,
				Link: 3,
				Info: 1}, versions})
	}
	return l.assemble(parts, dynamic)
}

// dynamicLength returns the number of bytes that a list of entries occupies.
func dynamicLength(entries []elf.Dyn64) int { return 16 * len(entries) }

// assemble lays out the parts one after the other, at addresses equal to their offsets.
func (l Library) assemble(parts []part, dynamic []elf.Dyn64) []byte {
	programs := l.programs()
	at := uint64(headerSize + programSize*len(programs))
	var sectionNames texts
	for k := range parts {
		p := &parts[k]
		size := uint64(len(p.content))
		if p.name == ".dynamic" {
			size = uint64(dynamicLength(dynamic))
		}
		at = (at + 15) &^ 15
		p.header.Name, p.header.Off, p.header.Addr = sectionNames.add(p.name), at, at
		p.header.Size, p.header.Addralign = size, 1
		at += size
	}
	parts = append(parts, part{name: ".shstrtab",
		header: elf.Section64{Type: uint32(elf.SHT_STRTAB),
			Name: sectionNames.add(".shstrtab"), Off: at, Addralign: 1}})
	last := &parts[len(parts)-1]
	last.content = sectionNames.Bytes()
	last.header.Size = uint64(len(last.content))
	end := at + last.header.Size
	place(parts, dynamic)
	for k := range programs {
		p := &programs[k]
		switch elf.ProgType(p.Type) {
		case elf.PT_LOAD:
			p.Filesz, p.Memsz, p.Align = end, end, 0x1000
		case elf.PT_DYNAMIC:
			h := find(parts, ".dynamic")
			p.Off, p.Vaddr, p.Paddr, p.Filesz, p.Memsz = h.Off, h.Addr, h.Addr, h.Size, h.Size
		}
	}
	var b bytes.Buffer
	write(&b, l.header(len(programs), len(parts)+1, end))
	write(&b, programs)
	for k := range parts {
		b.Write(make([]byte, int(parts[k].header.Off)-b.Len()))
		if parts[k].name == ".dynamic" {
			write(&b, dynamic)
		} else {
			b.Write(parts[k].content)
		}
	}
	write(&b, elf.Section64{})
	for k := range parts {
		write(&b, parts[k].header)
	}
	return b.Bytes()
}

// place fills in the addresses of tables in the dynamic section.
func place(parts []part, dynamic []elf.Dyn64) {
	for k := range dynamic {
		name := map[elf.DynTag]string{elf.DT_STRTAB: ".dynstr", elf.DT_SYMTAB: ".dynsym",
			elf.DT_HASH: ".hash", elf.DT_VERNEED: ".gnu.version_r",
			elf.DT_VERSYM: ".gnu.version"}[elf.DynTag(
			dynamic[k].Tag)]
		if name != "" {
			dynamic[k].Val = find(parts, name).Addr
		}
	}
}

func find(parts []part, name string) elf.Section64 {
	for _, p := range parts {
		if p.name == name {
			return p.header
		}
	}
	return elf.Section64{}
}

// write writes numbers in the byte order of the file; writing to a bytes.Buffer never fails.
func write(b *bytes.Buffer, value any) {
	if err := binary.Write(b, binary.LittleEndian, value); err != nil {
		panic(err) // a value without a fixed size
	}
}

func (l Library) header(programs, sections int, sectionTable uint64) elf.Header64 {
	h := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1,
		Phoff: headerSize, Shoff: sectionTable, Ehsize: headerSize, Phentsize: programSize,
		Phnum: uint16(programs), Shentsize: sectionSize, Shnum: uint16(sections),
		Shstrndx: uint16(sections - 1)}
	copy(h.Ident[:], "\x7fELF\x02\x01\x01")
	if l.Type != 0 {
		h.Type = uint16(l.Type)
	}
	if l.Machine != 0 {
		h.Machine = uint16(l.Machine)
	}
	return h
}

func (l Library) programs() []elf.Prog64 {
	const read, readWrite = uint32(elf.PF_R), uint32(elf.PF_R | elf.PF_W)
	code := uint32(elf.PF_R | elf.PF_X)
	if l.WritableCode {
		code |= uint32(elf.PF_W)
	}
	stack := readWrite
	if l.ExecStack {
		stack |= uint32(elf.PF_X)
	}
	list := []elf.Prog64{{Type: uint32(elf.PT_LOAD), Flags: code},
		{Type: uint32(elf.PT_DYNAMIC), Flags: readWrite},
		{Type: uint32(elf.PT_GNU_STACK), Flags: stack}}
	if l.TLS > 0 {
		list = append(list, elf.Prog64{Type: uint32(elf.PT_TLS), Flags: read, Memsz: l.TLS})
	}
	if l.Interpreter {
		list = append(list, elf.Prog64{Type: uint32(elf.PT_INTERP), Flags: read})
	}
	return list
}

// code returns the machine code that all functions share.
func (l Library) code() []byte {
	const ret = 0xC3
	if l.Code == nil {
		return []byte{ret}
	}
	return l.Code
}

func (l Library) symbols(names *texts) []byte {
	var b bytes.Buffer
	names.add("")
	write(&b, elf.Sym64{})
	const global, weak = byte(elf.STB_GLOBAL) << 4, byte(elf.STB_WEAK) << 4
	for _, name := range l.Exports {
		write(&b, elf.Sym64{Name: names.add(name), Info: global | byte(elf.STT_FUNC),
			Shndx: textIndex,
			Value: headerSize})
	}
	for _, name := range l.Undefined {
		write(&b, elf.Sym64{Name: names.add(name), Info: global | byte(elf.STT_FUNC)})
	}
	for _, name := range l.Weak {
		write(&b, elf.Sym64{Name: names.add(name), Info: weak})
	}
	return b.Bytes()
}

// hash returns a hash table with one chain of all symbols, from which readers determine the number
// of symbols.
func hash(n uint32) []byte {
	var b bytes.Buffer
	write(&b, []uint32{1, n, 0})
	for k := range n {
		next := k + 1
		if next == n {
			next = 0
		}
		write(&b, next)
	}
	return b.Bytes()
}

// versions returns the section with the required version of libc.so.6.
func (l Library) versions(names *texts) []byte {
	if l.Version == "" {
		return nil
	}
	var b bytes.Buffer
	write(&b, []uint16{1, 1})
	write(&b, []uint32{names.add("libc.so.6"), 16, 0})
	write(&b, uint32(0)) // the hash of the name, which only loaders use
	write(&b, []uint16{0, 2})
	write(&b, []uint32{names.add(l.Version), 0})
	return b.Bytes()
}

func (l Library) dynamic(names *texts) (list []elf.Dyn64) {
	add := func(tag elf.DynTag, value uint64) {
		list = append(list, elf.Dyn64{Tag: int64(tag), Val: value})
	}
	for _, name := range l.Needed {
		add(elf.DT_NEEDED, uint64(names.add(name)))
	}
	for _, named := range []struct {
		tag  elf.DynTag
		text string
	}{{elf.DT_SONAME, l.SOName}, {elf.DT_RUNPATH, l.RunPath}, {elf.DT_RPATH, l.RPath}} {
		if named.text != "" {
			add(named.tag, uint64(names.add(named.text)))
		}
	}
	add(elf.DT_STRTAB, 0)
	add(elf.DT_SYMTAB, 0)
	add(elf.DT_HASH, 0)
	if l.Version != "" {
		add(elf.DT_VERSYM, 0)
		add(elf.DT_VERNEED, 0)
		add(elf.DT_VERNEEDNUM, 1)
	}
	if l.TextReloc {
		add(elf.DT_TEXTREL, 0)
	}
	if l.Flags != 0 {
		add(elf.DT_FLAGS, uint64(l.Flags))
	}
	if l.Flags1 != 0 {
		add(elf.DT_FLAGS_1, uint64(l.Flags1))
	}
	if l.Initializers != 0 {
		add(elf.DT_INIT_ARRAYSZ, 8*uint64(l.Initializers))
	}
	add(elf.DT_STRSZ, uint64(names.Len()))
	add(elf.DT_NULL, 0)
	return list
}
