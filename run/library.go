package run

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/experiment"
	"gosmp/internal/entries"
	"gosmp/internal/regular"
)

// library lists folders to search for files that are missing at the path in a description: first by
// that path, then by name alone.
type library []string

// find returns the path of a file: below dir if the file is there, or else below the first folder
// that contains it. If there is no such folder, it returns the path below dir, too.
func (l library) find(dir, name string) string {
	beside := filepath.Join(dir, filepath.FromSlash(name))
	if filepath.IsAbs(name) {
		beside = name
	}
	if _, err := os.Stat(beside); err == nil {
		return beside
	}
	if found, is := l.search(name); is {
		return found
	}
	return beside
}

// search returns the path of a file in the first folder that contains it.
func (l library) search(name string) (found string, is bool) {
	for _, folder := range l {
		for _, candidate := range []string{filepath.FromSlash(name), path.Base(name)} {
			found := filepath.Join(folder, candidate)
			if info, err := os.Stat(found); err == nil && filepath.IsLocal(candidate) &&
				!info.IsDir() {
				return found, true
			}
		}
	}
	return "", false
}

// FilesOf returns the files of an experiment in dir. Files that are not there come from the folders
// of a library, by their paths or by their names alone; see [Options].Library.
func FilesOf(dir string, folders []string) fs.FS { return library(folders).files(dir) }

// Located returns the path of a file of an experiment in dir, as found by FilesOf.
func Located(dir, name string, folders []string) string { return library(folders).find(dir, name) }

// Borrowed returns the files of a library that a packed system (.ssp) uses because it does not
// contain them, sorted.
func Borrowed(file string, folders []string) (list []string, err error) {
	if len(folders) == 0 {
		return nil, nil
	}
	z, err := entries.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = z.Close() }() // it was only read
	all := &packageFS{z, folders, map[string]bool{}}
	for _, f := range z.File {
		if strings.EqualFold(path.Ext(f.Name), ".ssd") {
			experiment.Sources(all, f.Name)
		}
	}
	for name := range all.borrowed {
		list = append(list, name)
	}
	slices.Sort(list)
	return list, nil
}

// packageFS is a file system with the files of a packed system. Missing files come from a library.
type packageFS struct {
	fs.FS
	library  library
	borrowed map[string]bool // paths of the files that came from the library
}

// Open implements [fs.FS].
func (p *packageFS) Open(name string) (fs.File, error) {
	file, err := p.FS.Open(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	found, is := p.library.search(name)
	if !is {
		return nil, err
	}
	p.borrowed[found] = true
	return regular.Open(found)
}

// folderFS is a file system with the files of a folder. Missing files come from a library.
type folderFS struct {
	fs.FS
	dir     string
	library library
}

// files returns the file system for an experiment in dir.
func (l library) files(dir string) fs.FS {
	if len(l) == 0 {
		return os.DirFS(dir)
	}
	return &folderFS{os.DirFS(dir), dir, l}
}

// Open implements [fs.FS].
func (f *folderFS) Open(name string) (fs.File, error) {
	file, err := f.FS.Open(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	found := f.library.find(f.dir, name)
	if other, wrong := regular.Open(found); wrong == nil {
		return other, nil
	}
	return nil, err
}
