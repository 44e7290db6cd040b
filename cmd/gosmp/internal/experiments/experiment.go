// Package experiments implements gosmp experiment, which lists, packs and unpacks experiments.
package experiments

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/experiment"
	"gosmp/internal/plaintext"
	"gosmp/internal/regular"
	"gosmp/internal/wholefile"
)

// Command implements gosmp experiment and its verbs.
type Command struct {
	List   listExperiments  `cmd:"" help:"List the experiments in folders."`
	Pack   packExperiment   `cmd:"" help:"Write an archive with all files of an experiment."`
	Unpack unpackExperiment `cmd:"" help:"Write the files of an archive into a new directory."`
}

type packExperiment struct {
	File       string `arg:"" predictor:"file" placeholder:"EXC" help:"Description of the experiment (.exc)."`
	Out        string `short:"o" predictor:"file" placeholder:"ZIP" help:"Archive to write; by default the name of the description with the extension .zip."`
	Incomplete bool   `help:"Pack the files that exist, even if others are missing."`
}

// Run packs an experiment.
func (c *packExperiment) Run() error {
	document, err := regular.ReadFile(c.File)
	if err != nil {
		return err
	}
	d, list := experiment.Read(c.File, document, experiment.Options{})
	if d == nil {
		return fmt.Errorf("%v", list[0])
	}
	out := c.Out
	if out == "" {
		out = c.DefaultOut()
	}
	files := os.DirFS(filepath.Dir(c.File))
	if !c.Incomplete {
		if _, missing := experiment.Closure(filepath.Base(c.File), d, files); len(missing) > 0 {
			return experiment.Pack(io.Discard, filepath.Base(c.File), d, files, false)
		}
	}
	return cli.Flushed(wholefile.Write(context.Background(), out, func(w io.Writer) error {
		return experiment.Pack(w, filepath.Base(c.File), d, files, c.Incomplete)
	}))
}

// DefaultOut returns the path of the archive if no flag names one.
func (c *packExperiment) DefaultOut() string { return cli.NameAfter(c.File, ".zip") }

type unpackExperiment struct {
	File string `arg:"" predictor:"file" placeholder:"ZIP" help:"Archive of an experiment."`
	Out  string `short:"o" placeholder:"DIR" help:"New or empty directory; by default the name of the archive without its extension."`
}

// DefaultOut returns the path of the folder if no flag names one.
func (c *unpackExperiment) DefaultOut() string { return cli.NameAfter(c.File, "") }

// Run unpacks an experiment.
func (c *unpackExperiment) Run() error {
	out := c.Out
	if out == "" {
		out = c.DefaultOut()
	}
	list, err := experiment.Unpack(c.File, out)
	for _, name := range list {
		plaintext.Printf(os.Stdout, "%s\n", name)
	}
	return err
}
