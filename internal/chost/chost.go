// Package chost compiles the importers in C that tests run: small programs, each for one purpose,
// on top of a library in the folder c.
//
//	c/system.h      libraries, threads, files and what a process holds, on Linux and Windows
//	c/fmu.h         an FMU's 34 functions, checked calls, loggers, a hash
//	c/value.h       variables of any type, states as bytes
//	c/message.h     binary variables of OSMP (c/triple.h: their addresses), files of messages
//	c/input.h       lines of fields, whole files
//	c/simulation.h  a whole simulation with OSMPDummySensor
//
// Programs include these headers. A program is a single source file, NAME.c; a long program also
// has the parts NAME_PART.c next to it, which share NAME.h. Programs are compiled as C11 with all
// warnings as errors, by [Compile] with this machine's C compiler (variable CC), or as a [Unit]
// with another compiler.
package chost

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gosmp/internal/toolchain"
)

// Compile compiles a program into a folder and returns its path. An existing program
// is not compiled again. The test fails if there is no C compiler or the program has an error.
// Flags are passed to the compiler; those that begin with -l come last.
func Compile(t testing.TB, folder, source string, flags ...string) string {
	t.Helper()
	program := filepath.Join(folder, strings.TrimSuffix(filepath.Base(source), ".c")+
		strings.Join(flags, ""))
	if _, err := os.Stat(program); err == nil {
		return program
	}
	compiler, err := toolchain.Native(cmp.Or(os.Getenv("CC"), "cc"))
	if err != nil {
		t.Fatal(err)
	}
	unit, err := Unit(program, source, flags...)
	if err != nil {
		t.Fatal(err)
	}
	unit.Libraries = append(unit.Libraries, "-pthread", "-ldl", "-lm")
	if err := compiler.Build(context.Background(), toolchain.Runner{}, unit); err != nil {
		t.Fatal(err)
	}
	return program
}

// Unit returns the compiler run for such a program with any compiler, without the Linux libraries.
func Unit(program, source string, flags ...string) (toolchain.Unit, error) {
	root, err := moduleRoot()
	if err != nil {
		return toolchain.Unit{}, err
	}
	library := filepath.Join(root, "internal", "chost", "c")
	sources, err := filepath.Glob(filepath.Join(library, "*.c"))
	if err != nil {
		return toolchain.Unit{}, err
	}
	parts, err := filepath.Glob(strings.TrimSuffix(source, ".c") + "_*.c")
	if err != nil {
		return toolchain.Unit{}, err
	}
	u := toolchain.Unit{
		Output: program, Sources: append(append([]string{source}, parts...), sources...),
		Flags: []string{"-std=c11", "-Wall", "-Wextra", "-Werror", "-O2", "-I", filepath.Join(root,
			"export"), "-I", library},
	}
	for _, flag := range flags {
		if strings.HasPrefix(flag, "-l") {
			u.Libraries = append(u.Libraries, flag)
		} else {
			u.Flags = append(u.Flags, flag)
		}
	}
	return u, nil
}

// moduleRoot returns the folder of go.mod, because tests run in the folder of their package.
func moduleRoot() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for at := folder; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("no go.mod in or above %s", folder)
		}
	}
}
