//go:build !linux

package simsensor

import "os"

// identity distinguishes files.
type identity struct{ info os.FileInfo }

func (i identity) same(o identity) bool { return os.SameFile(i.info, o.info) }

func stateOf(name string) (fileState, error) {
	info, err := os.Stat(name)
	return newFileState(info, err)
}

func stateOfOpen(f *os.File) (fileState, error) {
	info, err := f.Stat()
	return newFileState(info, err)
}

func currentDirectory() (string, error) { return os.Getwd() }

func newFileState(info os.FileInfo, err error) (fileState, error) {
	if err != nil {
		return fileState{}, err
	}
	return fileState{
		regular: info.Mode().IsRegular(), directory: info.IsDir(),
		size: info.Size(), written: info.ModTime().UnixNano(), identity: identity{info},
	}, nil
}
