package main

import (
	"archive/tar"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gosmp/internal/release"
)

// archive writes an archive that can be unpacked anywhere, with the command, the FMUs and the
// licences. Windows opens zip files, and the other systems keep the permission to execute in tar
// files.
func (d *distribution) archive(p *program) error {
	base := fmt.Sprintf("gosmp-%s-%s", release.Version, p.name())
	list := []entry{
		{name: base + "/gosmp" + p.extension(), path: p.path, executable: true},
		{name: base + "/THIRD-PARTY.txt", data: p.licences},
		{name: base + "/gosmp.cdx.json", data: p.sbom},
	}
	for _, fmu := range d.fmus {
		list = append(list, entry{name: base + "/" + filepath.Base(fmu), path: fmu})
	}
	list = inOrder(list)
	if p.goos == "windows" {
		return d.create(base+".zip", func(file *os.File) error { return d.folder(file, list) })
	}
	return d.create(base+".tar.gz", func(file *os.File) error {
		compressed, err := gzip.NewWriterLevel(file, gzip.BestCompression)
		if err != nil {
			return err
		}
		if err := d.tar(compressed, list); err != nil {
			return err
		}
		return compressed.Close()
	})
}

// folder writes the entries to a zip file.
func (d *distribution) folder(out io.Writer, list []entry) error {
	w := newZip(out)
	for _, e := range list {
		text, err := e.content()
		if err != nil {
			return err
		}
		if err := d.add(w, &e, text); err != nil {
			return err
		}
	}
	return w.Close()
}

func (d *distribution) tar(out io.Writer, list []entry) error {
	w := tar.NewWriter(out)
	for _, e := range list {
		text, err := e.content()
		if err != nil {
			return err
		}
		header := tar.Header{Typeflag: tar.TypeReg, Name: e.name, Size: int64(len(text)),
			Mode: int64(e.mode()), ModTime: d.date, Format: tar.FormatPAX}
		if err := w.WriteHeader(&header); err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return w.Close()
}
