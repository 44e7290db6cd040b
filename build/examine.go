//go:build !fmucore

package build

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gosmp/internal/fault"
	"gosmp/internal/sharedlib"
)

// Library describes a shared library.
type Library = sharedlib.Library

// examine checks that the built files can work: the core must export every function that the
// loaders forward.
func (t *target) examine() error {
	core, err := Examine(t.core)
	if err != nil {
		return err
	}
	t.glibc = core.Glibc
	for _, path := range t.loaders {
		if err := t.examineLoader(path, core); err != nil {
			return err
		}
	}
	return nil
}

// answered lists the functions that the loader answers itself.
var answered = []string{"fmi3InstantiateModelExchange", "fmi3InstantiateScheduledExecution"}

func (t *target) examineLoader(path string, core Library) error {
	loader, err := Examine(path)
	if err != nil {
		return err
	}
	if sharedlib.Newer(loader.Glibc, t.glibc) {
		t.glibc = loader.Glibc
	}
	for _, name := range loader.Exports {
		if !slices.Contains(core.Exports, name) && !slices.Contains(answered, name) {
			return fault.New(ErrBuild, fault.In(filepath.Base(t.core)), "no export of "+name, "").
				WithHint("pack with loader and " + boundary + " of the same version of gosmp")
		}
	}
	return nil
}

// Examine reads a shared library that was built. Any error is an [Error] of the kind ErrBuild.
func Examine(path string) (Library, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return Library{}, fault.Wrap(ErrBuild, fault.In(path), err)
	}
	l, known := sharedlib.Parse(content)
	if !known || len(l.Exports) == 0 {
		return Library{}, fault.New(ErrBuild, fault.In(path),
			fmt.Sprintf("%d bytes that export nothing", len(content)), "a shared library")
	}
	return l, nil
}
