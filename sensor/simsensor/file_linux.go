package simsensor

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// identity distinguishes files.
type identity struct{ device, inode uint64 }

func (i identity) same(o identity) bool { return i == o }

func stateOf(name string) (fileState, error) {
	return ask(name, func(s *syscall.Stat_t) error { return syscall.Stat(name, s) })
}

func stateOfOpen(f *os.File) (fileState, error) {
	// The system call must not run after the file was closed and its descriptor was reused.
	raw, err := f.SyscallConn()
	if err != nil {
		return fileState{}, err
	}
	return ask(f.Name(), func(s *syscall.Stat_t) (err error) {
		if failed := raw.Control(func(fd uintptr) { err = syscall.Fstat(int(fd), s) }); failed != nil {
			return failed
		}
		return err
	})
}

// currentDirectory asks the kernel. Package os would prefer the environment variable PWD.
func currentDirectory() (string, error) { return syscall.Getwd() }

// ask makes a system call and repeats it when a signal interrupts it.
func ask(name string, call func(*syscall.Stat_t) error) (fileState, error) {
	var s syscall.Stat_t
	err := call(&s)
	for errors.Is(err, syscall.EINTR) {
		err = call(&s)
	}
	if err != nil {
		return fileState{}, &fs.PathError{Op: "stat", Path: name, Err: err}
	}
	kind := s.Mode & syscall.S_IFMT
	return fileState{
		regular: kind == syscall.S_IFREG, directory: kind == syscall.S_IFDIR,
		size: s.Size, written: s.Mtim.Nano(),
		identity: identity{uint64(s.Dev), s.Ino}, //nolint:unconvert // a uint32 on MIPS
	}, nil
}
