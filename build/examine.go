//go:build !fmucore

package build

import (
	"debug/elf"
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Library is what a shared library tells about itself.
type Library struct {
	Exports []string // functions
	Needs   []string // other libraries
	Glibc   string   // the newest version of a symbol of glibc that it asks for; empty on Windows
}

// examine makes sure that what was built can work: that the core exports whatever the loader hands on.
func (t *target) examine() error {
	loader, err := Examine(t.loader)
	if err != nil {
		return err
	}
	core, err := Examine(t.core)
	if err != nil {
		return err
	}
	if t.glibc = loader.Glibc; newer(core.Glibc, t.glibc) {
		t.glibc = core.Glibc
	}
	for _, name := range loader.Exports {
		if !slices.Contains(core.Exports, name) {
			return &Error{Place: Place{File: filepath.Base(t.core)}, Kind: ErrBuild, Found: "no export of " + name,
				Hint: "pack with loader and " + boundary + " of the same version of gosmp"}
		}
	}
	return nil
}

// Examine reads a shared library of Linux or Windows. An error wraps ErrBuild.
func Examine(path string) (l Library, err error) {
	if filepath.Ext(path) == ".dll" {
		l, err = examinePE(path)
	} else {
		l, err = examineELF(path)
	}
	if err != nil {
		err = fmt.Errorf("%w: %s: %w", ErrBuild, filepath.Base(path), err)
	}
	return l, err
}

func examineELF(path string) (l Library, err error) {
	f, err := elf.Open(path)
	if err != nil {
		return l, err
	}
	defer func() { _ = f.Close() }() // it was only read
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return l, err
	}
	for _, s := range symbols {
		if version, found := strings.CutPrefix(s.Version, "GLIBC_"); found && newer(version, l.Glibc) {
			l.Glibc = version
		}
		if s.Section != elf.SHN_UNDEF && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			l.Exports = append(l.Exports, s.Name)
		}
	}
	l.Needs, err = f.ImportedLibraries()
	return l, err
}

func examinePE(path string) (l Library, err error) {
	f, err := pe.Open(path)
	if err != nil {
		return l, err
	}
	defer func() { _ = f.Close() }() // it was only read
	symbols, err := f.ImportedSymbols()
	if err != nil {
		return l, err
	}
	for _, s := range symbols { // as "function:library"
		if _, library, _ := strings.Cut(s, ":"); !slices.Contains(l.Needs, library) {
			l.Needs = append(l.Needs, library)
		}
	}
	slices.Sort(l.Needs)
	l.Exports, err = exportsPE(f)
	return l, err
}

// exportsPE reads the export table (PE format, "Export Directory Table"): the count of names at 24, the address of their
// addresses at 32.
func exportsPE(f *pe.File) (names []string, err error) {
	directories := directoriesPE(f)
	if len(directories) == 0 || directories[0].VirtualAddress == 0 {
		return nil, nil
	}
	table, err := bytesPE(f, directories[0].VirtualAddress)
	if err != nil || len(table) < 40 {
		return nil, errors.Join(errShort, err)
	}
	count := binary.LittleEndian.Uint32(table[24:])
	if count == 0 {
		return nil, nil
	}
	list, err := bytesPE(f, binary.LittleEndian.Uint32(table[32:]))
	if err != nil || uint64(len(list)) < 4*uint64(count) {
		return nil, errors.Join(errShort, err)
	}
	for k := range count {
		text, err := bytesPE(f, binary.LittleEndian.Uint32(list[4*k:]))
		if err != nil {
			return nil, err
		}
		name, _, _ := strings.Cut(string(text[:min(len(text), 256)]), "\x00")
		names = append(names, name)
	}
	return names, nil
}

var errShort = errors.New("the export table is cut off")

func directoriesPE(f *pe.File) []pe.DataDirectory {
	switch h := f.OptionalHeader.(type) {
	case *pe.OptionalHeader64:
		return h.DataDirectory[:min(h.NumberOfRvaAndSizes, 16)]
	case *pe.OptionalHeader32:
		return h.DataDirectory[:min(h.NumberOfRvaAndSizes, 16)]
	}
	return nil
}

// bytesPE are those of a section from a relative virtual address on.
func bytesPE(f *pe.File, address uint32) ([]byte, error) {
	for _, s := range f.Sections {
		if address >= s.VirtualAddress && address-s.VirtualAddress < s.Size {
			data, err := s.Data()
			return data[min(int(address-s.VirtualAddress), len(data)):], err
		}
	}
	return nil, fmt.Errorf("no section holds the address %#x", address)
}

// newer compares versions like 2.34 number by number.
func newer(a, b string) bool {
	return slices.Compare(numbers(a), numbers(b)) > 0
}

func numbers(version string) (list []int) {
	for part := range strings.SplitSeq(version, ".") {
		var n int
		if _, err := fmt.Sscan(part, &n); err != nil {
			return list
		}
		list = append(list, n)
	}
	return list
}
