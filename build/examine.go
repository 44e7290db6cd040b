//go:build !fmucore

package build

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gosmp/internal/sharedlib"
)

// Library describes a shared library.
type Library = sharedlib.Library

// examine checks that the built files can work: the core exports whatever the loader forwards.
func (t *target) examine() error {
	loader, err := Examine(t.loader)
	if err != nil {
		return err
	}
	core, err := Examine(t.core)
	if err != nil {
		return err
	}
	if t.glibc = loader.Glibc; sharedlib.Newer(core.Glibc, t.glibc) {
		t.glibc = core.Glibc
	}
	for _, name := range loader.Exports {
		if !slices.Contains(core.Exports, name) {
			return &Error{Place: Place{File: filepath.Base(t.core)}, Kind: ErrBuild,
				Found: "no export of " + name,
				Hint:  "pack with loader and " + boundary + " of the same version of gosmp"}
		}
	}
	return nil
}

// Examine reads a shared library that was built. An error is an [Error] of the kind ErrBuild.
func Examine(path string) (Library, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return Library{}, &Error{Place: Place{File: path}, Kind: ErrBuild, Cause: err}
	}
	l, known := sharedlib.Parse(content)
	if !known || len(l.Exports) == 0 {
		return Library{}, &Error{Place: Place{File: path}, Kind: ErrBuild,
			Found:    fmt.Sprintf("%d bytes that export nothing", len(content)),
			Expected: "a shared library"}
	}
	return l, nil
}
