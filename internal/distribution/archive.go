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

// archive writes a folder to unpack anywhere: the command, the FMUs and the licences.
func (d *distribution) archive(p *program) error {
	base := fmt.Sprintf("gosmp-%s-linux-%s", release.Version, p.goarch)
	list := []entry{
		{name: base + "/gosmp", path: p.path, executable: true},
		{name: base + "/THIRD-PARTY.txt", data: p.licences},
		{name: base + "/gosmp.cdx.json", data: p.sbom},
	}
	for _, fmu := range d.fmus {
		list = append(list, entry{name: base + "/" + filepath.Base(fmu), path: fmu})
	}
	return d.create(base+".tar.gz", func(file *os.File) error {
		compressed, err := gzip.NewWriterLevel(file, gzip.BestCompression)
		if err != nil {
			return err
		}
		if err := d.tar(compressed, inOrder(list)); err != nil {
			return err
		}
		return compressed.Close()
	})
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
