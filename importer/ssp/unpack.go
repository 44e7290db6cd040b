package ssp

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"gosmp/internal/fault"
)

// Unpack writes each FMU in packages once to a folder and sets the components' File. If the system
// is a description in a folder, it does nothing.
func (s *System) Unpack(folder string) error {
	written := map[documentKey]string{}
	for _, c := range s.Components {
		if c.home == nil || !c.home.packed() || c.FMU == nil {
			continue
		}
		key := documentKey{c.home, c.name}
		if written[key] == "" {
			name := filepath.Join(folder, fmt.Sprintf("%03d-%s", len(written)+1,
				safeName(path.Base(c.name))))
			if err := c.home.extract(c.name, name); err != nil {
				return fault.Wrap(ErrUnreadable, c.home.place(c.name), err)
			}
			written[key] = name
		}
		c.File = written[key]
	}
	return nil
}

// safeName turns a name into one that every operating system accepts as a file name.
func safeName(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`<>:"/\|?*`, r) || r < ' ' {
			return '_'
		}
		return r
	}, name)
}

// extract copies a file from a container.
func (c *container) extract(name, to string) error {
	r, size, err := c.open(name, maxEntry)
	if err != nil {
		return err
	}
	defer r.release()
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err = io.Copy(f, io.NewSectionReader(r, 0, size)); err != nil {
		_ = f.Close() // the copy is incomplete anyway
		return err
	}
	return f.Close()
}
