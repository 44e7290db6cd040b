package sharedlib

import (
	"bytes"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Kind is the purpose of a file with machine code.
type Kind string

// The kinds of files.
const (
	SharedLibrary Kind = "shared library"
	Program       Kind = "program" // even if it can be loaded at any address
	ObjectFile    Kind = "object file"
	OtherKind     Kind = "file of another kind"
)

// Linkage describes what a loader has to do for a file, and how the file affects a host. Everything
// except Kind and Truncated is known only for ELF files.
type Linkage struct {
	Kind Kind
	// Truncated names the first part that lies beyond the end of the file; it is empty if the file
	// is complete.
	Truncated string
	SOName    string
	RunPath   []string // of DT_RUNPATH
	RPath     []string // of DT_RPATH, which is obsolete
	Undefined []string // symbols that other libraries must define, except weak ones
	Defined   []string // symbols of all kinds that others can use
	// Versions holds the newest versions of symbols by their prefix: GLIBC 2.17, GLIBCXX 3.4.29.
	Versions map[string]string

	ExecutableStack bool
	TextRelocations bool
	WritableCode    bool // a writable and executable segment
	StaticTLS       bool // thread-local memory that must exist at program start
	TLS             uint64
	NoDelete        bool // cannot be unloaded
	NoOpen          bool // cannot be loaded by dlopen
	Interpose       bool // replaces functions of the host
	Initializers    int  // functions that run when it is loaded, and when it is unloaded
	Finalizers      int
	Debug           uint64
	FastMath        bool // turns denormal numbers off when it is loaded
}

// Link reads how a file is linked. The result is false for an unknown format, or for a file whose
// headers cannot be read.
func Link(content []byte) (Linkage, bool) {
	l, known := Identify(content)
	if !known {
		return Linkage{}, false
	}
	switch l.Format {
	case ELF:
		return linkELF(content)
	case PE:
		return linkPE(content)
	}
	return linkMachO(content)
}

func linkPE(content []byte) (Linkage, bool) {
	f, err := pe.NewFile(bytes.NewReader(content))
	if err != nil {
		return Linkage{}, false
	}
	l := Linkage{Kind: SharedLibrary}
	if f.Characteristics&pe.IMAGE_FILE_DLL == 0 {
		l.Kind = Program
	}
	for _, s := range f.Sections {
		if uint64(s.Offset)+uint64(s.Size) > uint64(len(content)) && l.Truncated == "" {
			l.Truncated = "section " + s.Name
		}
	}
	return l, true
}

func linkMachO(content []byte) (Linkage, bool) {
	f, err := macho.NewFile(bytes.NewReader(content))
	if err != nil {
		return Linkage{Kind: SharedLibrary}, true // several architectures, or damaged
	}
	l := Linkage{Kind: OtherKind}
	switch f.Type {
	case macho.TypeDylib, macho.TypeBundle:
		l.Kind = SharedLibrary
	case macho.TypeExec:
		l.Kind = Program
	case macho.TypeObj:
		l.Kind = ObjectFile
	}
	return l, true
}

func linkELF(content []byte) (Linkage, bool) {
	f, err := elf.NewFile(bytes.NewReader(content))
	if err != nil {
		// The table of sections is at the end, so a truncated file lacks it.
		return Linkage{Kind: SharedLibrary, Truncated: "the table of sections"}, true
	}
	l := Linkage{Kind: kindELF(f), Versions: map[string]string{}}
	l.whole(f, uint64(len(content)))
	l.segments(f)
	l.dynamic(f)
	l.dynamicSymbols(f)
	// gcc links crtfastm.o into libraries that are built with -ffast-math; its constructor sets the
	// flags.
	all, err := f.Symbols()
	l.FastMath = err == nil && slices.ContainsFunc(all, func(s elf.Symbol) bool {
		return s.Name == "set_fast_math"
	}) || fastMathCode(f, content)
	return l, true
}

func kindELF(f *elf.File) Kind {
	switch f.Type {
	case elf.ET_DYN:
		interpreted := slices.ContainsFunc(f.Progs,
			func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP })
		if flags := dynamicValue(f, elf.DT_FLAGS_1); flags&uint64(elf.DF_1_PIE) != 0 ||
			interpreted {
			return Program
		}
		return SharedLibrary
	case elf.ET_EXEC:
		return Program
	case elf.ET_REL:
		return ObjectFile
	}
	return OtherKind
}

// whole finds the first part that lies beyond the end of the file.
func (l *Linkage) whole(f *elf.File, size uint64) {
	beyond := func(offset, length uint64) bool { return offset > size || length > size-offset }
	for k, p := range f.Progs {
		if beyond(p.Off, p.Filesz) {
			l.Truncated = fmt.Sprintf("segment %d (%s)", k, p.Type)
			return
		}
	}
	for _, s := range f.Sections {
		if s.Type != elf.SHT_NOBITS && s.Type != elf.SHT_NULL && beyond(s.Offset, s.FileSize) {
			l.Truncated = "section " + s.Name
			return
		}
	}
}

func (l *Linkage) segments(f *elf.File) {
	const writable = elf.PF_W | elf.PF_X
	for _, p := range f.Progs {
		switch p.Type {
		case elf.PT_GNU_STACK:
			l.ExecutableStack = p.Flags&elf.PF_X != 0
		case elf.PT_LOAD:
			l.WritableCode = l.WritableCode || p.Flags&writable == writable
		case elf.PT_TLS:
			l.TLS = p.Memsz
		}
	}
	for _, s := range f.Sections {
		if strings.HasPrefix(s.Name, ".debug_") || strings.HasPrefix(s.Name, ".zdebug_") {
			l.Debug += s.FileSize
		}
	}
}

func dynamicValue(f *elf.File, tag elf.DynTag) uint64 {
	values, err := f.DynValue(tag)
	if err != nil || len(values) == 0 {
		return 0
	}
	return values[0]
}

func (l *Linkage) dynamic(f *elf.File) {
	texts := func(tag elf.DynTag) (list []string) {
		values, err := f.DynString(tag)
		if err != nil {
			return nil // whole reports the damage
		}
		for _, value := range values {
			list = append(list, strings.Split(value, ":")...)
		}
		return list
	}
	l.RunPath, l.RPath = texts(elf.DT_RUNPATH), texts(elf.DT_RPATH)
	if names := texts(elf.DT_SONAME); len(names) > 0 {
		l.SOName = names[0]
	}
	flags, flags1 := dynamicValue(f, elf.DT_FLAGS), dynamicValue(f, elf.DT_FLAGS_1)
	textual, err := f.DynValue(elf.DT_TEXTREL)
	l.TextRelocations = err == nil && len(textual) > 0 || flags&uint64(elf.DF_TEXTREL) != 0
	l.StaticTLS = flags&uint64(elf.DF_STATIC_TLS) != 0
	l.NoDelete = flags1&uint64(elf.DF_1_NODELETE) != 0
	l.NoOpen = flags1&uint64(elf.DF_1_NOOPEN) != 0
	l.Interpose = flags1&uint64(elf.DF_1_INTERPOSE) != 0
	const pointer = 8 // bytes in 64-bit libraries; others have half as many
	size := uint64(pointer)
	if f.Class == elf.ELFCLASS32 {
		size /= 2
	}
	l.Initializers = int(dynamicValue(f, elf.DT_INIT_ARRAYSZ) / size)
	l.Finalizers = int(dynamicValue(f, elf.DT_FINI_ARRAYSZ) / size)
	l.versions(f)
}

// versions reads the newest version of each family that .gnu.version_r requires.
func (l *Linkage) versions(f *elf.File) {
	needs, err := f.DynamicVersionNeeds()
	if err != nil {
		return // none, or damaged
	}
	for _, need := range needs {
		for _, v := range need.Needs {
			family, number, found := strings.Cut(v.Dep, "_")
			if found && Newer(number, l.Versions[family]) {
				l.Versions[family] = number
			}
		}
	}
}

func (l *Linkage) dynamicSymbols(f *elf.File) {
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return // none
	}
	for _, s := range symbols[:min(len(symbols), maxExports)] {
		bind := elf.ST_BIND(s.Info)
		switch {
		case s.Name == "" || bind == elf.STB_LOCAL:
		case s.Section == elf.SHN_UNDEF:
			if bind != elf.STB_WEAK {
				l.Undefined = append(l.Undefined, s.Name)
			}
		default:
			l.Defined = append(l.Defined, s.Name)
		}
	}
}

// fastMathCode finds the constructor of crtfastm.o in a stripped library of x86-64: it stores
// MXCSR, sets bits 15 and 6 and loads it again.
func fastMathCode(f *elf.File, content []byte) bool {
	if f.Machine != elf.EM_X86_64 {
		return false
	}
	// or dword [rsp-4], 0x8040; ldmxcsr [rsp-4]
	pattern := []byte{0x81, 0x4c, 0x24, 0xfc, 0x40, 0x80, 0, 0, 0x0f, 0xae, 0x54, 0x24, 0xfc}
	return slices.ContainsFunc(f.Sections, func(s *elf.Section) bool {
		size := uint64(len(content))
		return s.Name == ".text" && s.Type != elf.SHT_NOBITS && s.Offset <= size &&
			bytes.Contains(content[s.Offset:min(size, s.Offset+min(s.FileSize, size))], pattern)
	})
}

// Symbols lists the symbols that an ELF library defines for others and the libraries that it needs.
// The result is false if it cannot be read.
func Symbols(r io.ReaderAt) (defined, needs []string, readable bool) {
	f, err := elf.NewFile(r)
	if err != nil {
		return nil, nil, false
	}
	var l Linkage
	l.dynamicSymbols(f)
	needs, err = f.ImportedLibraries()
	return l.Defined, needs, err == nil
}
