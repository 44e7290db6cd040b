package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	_ "embed" // of the texts
	"encoding/base64"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"gosmp/internal/release"
)

// metadata is METADATA of a wheel, with %s for the version. It has no licence field as long as the
// owner has not chosen a license; its classifier makes package indexes refuse the wheel.
//
//go:embed metadata.txt
var metadata string

const entryPoints = "[pytest11]\ngosmp = gosmp._pytest\n"

// wheelTag returns the tag for any Python 3 on any Linux with the C library that the programs need.
func (p *program) wheelTag() string {
	return fmt.Sprintf("py3-none-manylinux_2_17_%[1]s.manylinux2014_%[1]s", p.wheel)
}

// wheel writes a package for pip: the command, the Python package, the FMUs.
func (d *distribution) wheel(p *program) error {
	list, err := d.wheelEntries(p)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("gosmp-%s-%s.whl", release.Version, p.wheelTag())
	return d.create(name, func(file *os.File) error { return d.zip(file, inOrder(list)) })
}

func (d *distribution) wheelEntries(p *program) ([]entry, error) {
	list, err := d.pythonFiles()
	if err != nil {
		return nil, err
	}
	for _, fmu := range d.fmus {
		small, err := p.onlyItsOwn(fmu)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", fmu, err)
		}
		list = append(list, entry{name: "gosmp/fmus/" + filepath.Base(fmu), data: small})
	}
	if err := shareLibrary(list[len(list)-len(d.fmus):]); err != nil {
		return nil, err
	}
	base := "gosmp-" + release.Version
	info := base + ".dist-info/"
	tags := "Wheel-Version: 1.0\nGenerator: " + release.Tool + "\nRoot-Is-Purelib: false\n"
	for tag := range strings.SplitSeq(strings.TrimPrefix(p.wheelTag(), "py3-none-"), ".") {
		tags += "Tag: py3-none-" + tag + "\n"
	}
	return append(list,
		entry{name: base + ".data/scripts/gosmp", path: p.path, executable: true},
		entry{name: info + "METADATA", data: fmt.Appendf(nil, metadata, release.Version)},
		entry{name: info + "WHEEL", data: []byte(tags)},
		entry{name: info + "entry_points.txt", data: []byte(entryPoints)},
		entry{name: info + "licenses/THIRD-PARTY.txt", data: p.licences},
		entry{name: info + "sboms/gosmp.cdx.json", data: p.sbom},
	), nil
}

// onlyItsOwn returns an FMU without the libraries of other platforms, which a wheel does not need.
// The rest of the FMU is unchanged.
func (p *program) onlyItsOwn(fmu string) ([]byte, error) {
	r, err := zip.OpenReader(fmu)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // nothing was written
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range r.File {
		platform, isLibrary := strings.CutPrefix(f.Name, "binaries/")
		platform, _, _ = strings.Cut(platform, "/")
		if isLibrary && platform != p.fmi2 && platform != p.fmi3 {
			continue
		}
		if err := w.Copy(f); err != nil {
			return nil, err
		}
	}
	err = w.Close()
	return out.Bytes(), err
}

// pythonFiles returns the modules of the Python package.
func (d *distribution) pythonFiles() (list []entry, err error) {
	err = fs.WalkDir(os.DirFS(d.python), ".", func(path string, f fs.DirEntry, err error) error {
		if err != nil || f.IsDir() {
			return err
		}
		if ext := filepath.Ext(path); ext == ".py" || ext == ".typed" {
			list = append(list, entry{name: "gosmp/" + path, path: filepath.Join(d.python, path)})
		}
		return nil
	})
	return list, err
}

// newZip returns a writer that compresses well, because a file is written once and downloaded
// often.
func newZip(out io.Writer) *zip.Writer {
	w := zip.NewWriter(out)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestCompression)
	})
	return w
}

// zip writes the entries and, at the end of a wheel, their record.
func (d *distribution) zip(out io.Writer, list []entry) error {
	w := newZip(out)
	record := "gosmp-" + release.Version + ".dist-info/RECORD"
	var lines bytes.Buffer
	for _, e := range list {
		text, err := e.content()
		if err != nil {
			return err
		}
		sum := sha256.Sum256(text)
		fmt.Fprintf(&lines, "%s,sha256=%s,%d\n", e.name,
			base64.RawURLEncoding.EncodeToString(sum[:]), len(text))
		if err := d.add(w, &e, text); err != nil {
			return err
		}
	}
	fmt.Fprintf(&lines, "%s,,\n", record)
	if err := d.add(w, &entry{name: record}, lines.Bytes()); err != nil {
		return err
	}
	return w.Close()
}

func (d *distribution) add(w *zip.Writer, e *entry, text []byte) error {
	header := zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: d.date}
	if ext := filepath.Ext(e.name); ext == ".fmu" || ext == sharedExtension { // compressed already
		header.Method = zip.Store
	}
	header.SetMode(e.mode())
	if len(d.deflate) > 0 && header.Method == zip.Deflate && len(text) > 1<<20 {
		return d.addLarge(w, &header, text)
	}
	file, err := w.CreateHeader(&header)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return err
}

// addLarge adds a large file, compressed by the command for better compression.
func (d *distribution) addLarge(w *zip.Writer, header *zip.FileHeader, text []byte) error {
	c := exec.Command(d.deflate[0], d.deflate[1:]...)
	c.Stdin, c.Stderr = bytes.NewReader(text), os.Stderr
	data, err := c.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(d.deflate, " "), err)
	}
	back, err := io.ReadAll(flate.NewReader(bytes.NewReader(data)))
	if err != nil || !bytes.Equal(back, text) {
		return fmt.Errorf("%s: the stream does not give back what was compressed", d.deflate[0])
	}
	year, month, day := d.date.Date()
	// in the format of MS-DOS; CreateRaw writes no other format
	date := (year-1980)<<9 | int(month)<<5 | day
	header.ModifiedDate = uint16(date) //nolint:staticcheck // see above
	header.ReaderVersion = 20
	header.CRC32 = crc32.ChecksumIEEE(text)
	header.UncompressedSize64, header.CompressedSize64 = uint64(len(text)), uint64(len(data))
	file, err := w.CreateRaw(header)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return err
}
