package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"strings"

	"gosmp/cosim"
	"gosmp/internal/regular"
	"gosmp/internal/wholefile"
	"gosmp/run/usage"
)

// File is a file that a run read.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// outputFile is a file that a run writes.
type outputFile struct {
	path string
	file *resultFile // nil if something else writes it
}

// written reports whether this run wrote to the file.
func (f outputFile) written() bool { return f.file == nil || f.file.begun }

// standard is the file name that denotes standard input or standard output.
const standard = "-"

// writeFile writes a file that appears whole or not at all. Data for pipes and standard output is
// written directly.
func writeFile(path string, write func(io.Writer) error) error {
	if path == standard {
		return write(os.Stdout)
	}
	return wholefile.Write(context.Background(), path, write)
}

// readFile reads an input and records its hash.
func (r *Simulation) readFile(path string) ([]byte, error) {
	content, err := regular.ReadOnce(path)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	r.inputs = append(r.inputs, File{path, hex.EncodeToString(sum[:])})
	return content, nil
}

// connectInputs adds the input files as sources.
func (r *Simulation) connectInputs() error {
	c := &r.Options
	if c.InputFile != "" {
		content, err := r.readFile(c.InputFile)
		if err != nil {
			return usage.Invalid("--input-file", err)
		}
		text := strings.NewReader(string(content))
		if r.table, err = cosim.ReadTable(text, c.InputFile, r.inputVariables()); err != nil {
			return err
		}
		for _, text := range r.table.Warnings {
			r.log.warn(text)
		}
		if err := r.connect("input file", r.table); err != nil {
			return err
		}
	}
	return r.playMessages()
}

// connect adds a source of inputs.
func (r *Simulation) connect(name string, s cosim.Source) error {
	r.Engine.AddSource(name, s)
	for _, v := range s.Variables() {
		p, input, err := r.System.Find(v.Name)
		if err != nil {
			return err
		}
		r.Engine.Connect(name+"."+v.Name, p.Name+"."+input.Name)
	}
	return nil
}

// create opens an output file, which stays open until the end of the run.
func (r *Simulation) create(flag, path string) (io.Writer, error) {
	f, err := newResultFile(flag, path)
	if err != nil {
		return nil, err
	}
	if path != standard {
		r.files = append(r.files, outputFile{path, f})
	}
	r.Engine.Observe(f)
	return f, nil
}

// closeFiles closes the files that create and messagePlayer opened.
func (r *Simulation) closeFiles() error {
	var errs []error
	for _, s := range r.sources {
		_ = s.Close() // was only read
	}
	r.sources = nil
	for k := range r.files {
		if f := r.files[k].file; f != nil {
			errs = append(errs, f.Close())
		}
	}
	return errors.Join(errs...)
}
