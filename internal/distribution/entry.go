package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

// entry is a file in a wheel or an archive, with the content of the file at path or with data.
type entry struct {
	name       string
	path       string
	data       []byte
	executable bool
}

func (e *entry) content() ([]byte, error) {
	if e.path == "" {
		return e.data, nil
	}
	return os.ReadFile(e.path)
}

func (e *entry) mode() os.FileMode {
	if e.executable {
		return 0o755
	}
	return 0o644
}

// inOrder returns the entries sorted by name, so that the order in which they were found does not
// matter.
func inOrder(list []entry) []entry {
	slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	return list
}

// released returns the date of a version in the changelog, at midnight UTC.
func released(changelog, version string) (time.Time, error) {
	text, err := os.ReadFile(changelog)
	if err != nil {
		return time.Time{}, err
	}
	heading := regexp.MustCompile(`(?m)^## ` + regexp.QuoteMeta(version) +
		` - (\d{4}-\d\d-\d\d)$`)
	found := heading.FindSubmatch(text)
	if found == nil {
		return time.Time{}, fmt.Errorf(
			"%s: found no heading \"## %s - YYYY-MM-DD\": cut the release first",
			changelog, version)
	}
	return time.Parse(time.DateOnly, string(found[1]))
}

// copy copies a file into the release unchanged.
func (d *distribution) copy(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return d.create(filepath.Base(path), func(file *os.File) error {
		_, err := io.Copy(file, bytes.NewReader(text))
		return err
	})
}

// sums writes the checksums of all files, in the format of sha256sum.
func (d *distribution) sums() error {
	var list bytes.Buffer
	slices.Sort(d.written)
	for _, name := range d.written {
		text, err := os.ReadFile(filepath.Join(d.out, name))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		fmt.Fprintf(&list, "%s  %s\n", hex.EncodeToString(sum[:]), name)
	}
	return d.create("SHA256SUMS", func(file *os.File) error {
		_, err := list.WriteTo(file)
		return err
	})
}
