package run

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cosim"
)

// usedFile is a file that a run has read.
type usedFile struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// outputFile is a file that a run writes as it proceeds, so that the content is kept when it ends
// early.
type outputFile struct {
	path  string
	file  *os.File
	owned bool
}

// readFile reads an input and notes its hash.
func (r *Simulation) readFile(path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	r.inputs = append(r.inputs, usedFile{path, hex.EncodeToString(sum[:])})
	return content, nil
}

// connectInputs adds the files of inputs as sources.
func (r *Simulation) connectInputs() error {
	c := r.Command
	if c.InputFile != "" {
		content, err := r.readFile(c.InputFile)
		if err != nil {
			return cli.Invalid("--input-file", err)
		}
		if r.table, err = cosim.ReadTable(strings.NewReader(string(content)), c.InputFile, r.inputVariables()); err != nil {
			return err
		}
		if err := r.Connect("input file", r.table); err != nil {
			return err
		}
	}
	return r.playMessages()
}

// Connect adds a source of inputs.
func (r *Simulation) Connect(name string, s cosim.Source) error {
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

// create opens a file to write; it stays open until the end of the run.
func (r *Simulation) create(flag, path string) (*os.File, error) {
	if path == cli.StandardOutput {
		return os.Stdout, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, cli.Invalid(flag, err)
	}
	r.files = append(r.files, outputFile{path: path, file: f, owned: true})
	return f, nil
}

// closeFiles closes what create and messagePlayer have opened.
func (r *Simulation) closeFiles() error {
	var errs []error
	for _, s := range r.sources {
		_ = s.Close() // it was only read
	}
	r.sources = nil
	for k := range r.files {
		if r.files[k].owned {
			errs = append(errs, r.files[k].file.Close())
			r.files[k].owned = false
		}
	}
	return errors.Join(errs...)
}

// parseSize reads a number of bytes with an optional unit, 1024 based.
func parseSize(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	number, factor := strings.TrimSuffix(strings.ToUpper(text), "B"), int64(1)
	for k, unit := range []string{"K", "M", "G", "T"} {
		if rest, found := strings.CutSuffix(strings.TrimSuffix(number, "I"), unit); found {
			number, factor = rest, 1<<(10*(k+1))
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/factor {
		return 0, fmt.Errorf("found %q, expected a number of bytes such as 512M", text)
	}
	return n * factor, nil
}
