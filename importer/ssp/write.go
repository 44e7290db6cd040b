package ssp

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/internal/fault"
)

// Write writes a system as a package: SystemStructure.ssd, and each FMU once in resources/. [Load]
// reads the package as the same system, except for the locations of its parts; nested systems are
// flattened. The package is SSP 1.0 unless the system needs SSP 2.0. The same system yields the
// same bytes: nothing is compressed, since FMUs already are, and there are no time stamps.
func Write(w io.Writer, s *System) error {
	p := &packer{names: map[string]string{}, contents: map[[sha256.Size]byte]string{}}
	for _, c := range s.Components {
		if err := p.collect(c); err != nil {
			return err
		}
	}
	text, err := Describe(s, p.source)
	if err != nil {
		return err
	}
	z := zip.NewWriter(w)
	if err := store(z, "SystemStructure.ssd", bytes.NewReader(text), int64(len(text))); err != nil {
		return err
	}
	for _, x := range p.files {
		if err := x.store(z); err != nil {
			return err
		}
	}
	return z.Close()
}

// packer collects the FMUs of a system.
type packer struct {
	files []packed
	names map[string]string // keyed by their locations
	taken []string
	// contents maps contents to names, because nested packages often contain the same FMU.
	contents map[[sha256.Size]byte]string
}

type packed struct {
	name string // in the package
	home *container
	from string
}

// identity returns the location of the FMU of a component.
func identity(c *Component) (home *container, name string) {
	if c.home != nil {
		return c.home, c.name
	}
	return openFolder("."), c.File
}

func (p *packer) collect(c *Component) error {
	if c.Placeholder() || c.Type != FMUType && !c.IsTable() {
		return nil
	}
	home, name := identity(c)
	place := home.place(name)
	key := place.File + "\x00" + place.Entry
	if p.names[key] != "" {
		return nil
	}
	if c.File == "" && c.home == nil {
		return fault.New(ErrSystem, c.Place, "a component without a file", "an FMU")
	}
	sum, err := digest(home, name)
	if err != nil {
		return err
	}
	if known := p.contents[sum]; known != "" {
		p.names[key] = known
		return nil
	}
	base := path.Base(filepath.ToSlash(name))
	stem, ending := strings.TrimSuffix(base, path.Ext(base)), path.Ext(base)
	for k := 2; slices.Contains(p.taken, strings.ToLower(base)); k++ {
		base = fmt.Sprintf("%s-%d%s", stem, k, ending)
	}
	p.taken = append(p.taken, strings.ToLower(base))
	p.names[key], p.contents[sum] = "resources/"+base, "resources/"+base
	p.files = append(p.files, packed{"resources/" + base, home, name})
	return nil
}

// source returns the source of a component in the package.
func (p *packer) source(c *Component) string {
	home, name := identity(c)
	place := home.place(name)
	return p.names[place.File+"\x00"+place.Entry]
}

func (x packed) store(z *zip.Writer) error {
	return reading(x.home, x.from, func(r io.ReaderAt, size int64) error {
		return store(z, x.name, r, size)
	})
}

// digest returns the SHA-256 of a file.
func digest(home *container, name string) (sum [sha256.Size]byte, err error) {
	err = reading(home, name, func(r io.ReaderAt, size int64) error {
		h := sha256.New()
		_, err := io.Copy(h, io.NewSectionReader(r, 0, size))
		h.Sum(sum[:0])
		return err
	})
	return sum, err
}

// reading opens a file, passes it to do and closes it.
func reading(home *container, name string, do func(r io.ReaderAt, size int64) error) error {
	r, size, err := home.open(name, 1<<40)
	if err != nil {
		return fault.Wrap(ErrUnreadable, home.place(name), err)
	}
	defer r.release()
	return do(r, size)
}

// store adds a file without compression, time stamp or permissions.
func store(z *zip.Writer, name string, r io.ReaderAt, size int64) error {
	sum := crc32.NewIEEE()
	if _, err := io.Copy(sum, io.NewSectionReader(r, 0, size)); err != nil {
		return err
	}
	h := &zip.FileHeader{Name: name, Method: zip.Store, CRC32: sum.Sum32(),
		CompressedSize64: uint64(size), UncompressedSize64: uint64(size)}
	if strings.ContainsFunc(name, func(r rune) bool { return r > 0x7e }) {
		h.Flags |= 1 << 11
	}
	h.ReaderVersion, h.CreatorVersion = 20, 20
	w, err := z.CreateRaw(h)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, io.NewSectionReader(r, 0, size))
	return err
}
