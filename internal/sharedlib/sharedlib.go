// Package sharedlib reads the headers and tables of shared libraries: ELF files of Linux, PE files
// of Windows and Mach-O files of macOS, for machines of any byte order.
//
// The package upholds these rules: files are untrusted, so every number read from one is bounded
// before it is used; nothing outside the file is read, nothing is written, and parts that cannot be
// read are left out. The same file gives the same lists.
//
// Sources: the System V ABI (ELF) with the GNU extensions for versions and hashes, Microsoft's PE
// format, Apple's loader.h.
//
// [Library] is the result of [Identify] for the beginning of a file and of [Parse] for a whole
// file.
package sharedlib

import (
	"slices"
)

// The formats.
const (
	ELF   = "ELF"
	PE    = "PE"
	MachO = "Mach-O"
)

// Library describes a shared library or program.
type Library struct {
	Format string // ELF, PE or Mach-O
	// the processors on which it runs, as in FMI's platform tuples; several in the case of a
	// universal Mach-O file
	Machines []string
	// other libraries that are required at load time, by name, each once; not nil after Parse
	Needs   []string
	Exports []string // functions that others can call, in the order of the file
	// for ELF, the newest version of the GNU C library that it requires, such as 2.17; empty if it
	// requires none
	Glibc string
}

// Bounds on the tables that are read.
const (
	maxName    = 1024    // bytes of a name
	maxNames   = 1024    // libraries, and versions of one library
	maxHeaders = 4096    // segments, sections, load commands, dynamic entries
	maxExports = 1 << 16 // symbols that are examined
)

// Parse reads a whole file. The result is false for an unknown format.
func Parse(content []byte) (Library, bool) {
	l, known := Identify(content)
	switch l.Format {
	case ELF:
		readELF(&l, content)
	case PE:
		readPE(&l, content)
	case MachO:
		readMachO(&l, content)
	}
	slices.Sort(l.Needs)
	l.Needs = slices.Compact(append([]string{}, l.Needs...)) // never nil
	return l, known
}
