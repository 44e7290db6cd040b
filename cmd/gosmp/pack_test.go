package main

import (
	"gosmp/fmi"
	"gosmp/fmi/check"
	"gosmp/internal/elftest"

	"archive/zip"
	"bytes"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// packCommand packs the files in a folder as an FMU: fmu FOLDER FILE. An extra argument OLD=NEW
// packs a file under another name.
func packCommand(ts *testscript.TestScript, _ bool, arguments []string) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	folder := ts.MkAbs(arguments[0])
	ts.Check(filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		inside, err := filepath.Rel(folder, name)
		if err != nil {
			return err
		}
		inside = filepath.ToSlash(inside)
		for _, rename := range arguments[2:] {
			if before, after, _ := strings.Cut(rename, "="); before == inside {
				inside = after
			}
		}
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		// Stored uncompressed, because the output of deflate differs between Go releases.
		f, err := w.CreateRaw(&zip.FileHeader{Name: inside, Method: zip.Store,
			CRC32:            crc32.ChecksumIEEE(content),
			CompressedSize64: uint64(len(content)), UncompressedSize64: uint64(len(content))})
		if err != nil {
			return err
		}
		_, err = f.Write(content)
		return err
	}))
	ts.Check(w.Close())
	ts.Check(os.WriteFile(ts.MkAbs(arguments[1]), b.Bytes(), 0o600))
}

// elfCommand writes an ELF library for x86_64 with the functions of FMI 2.0 for co-simulation: elf
// FILE.
func elfCommand(ts *testscript.TestScript, _ bool, arguments []string) {
	name := ts.MkAbs(arguments[0])
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o700))
	library := elftest.Library{Exports: check.Functions(fmi.FMI2, fmi.CoSimulation)}
	ts.Check(os.WriteFile(name, library.Bytes(), 0o600))
}
