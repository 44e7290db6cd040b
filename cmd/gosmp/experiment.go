package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/experiment"
	"gosmp/importer/ssp"
	"gosmp/internal/finding"
	"gosmp/internal/wholefile"
)

type experimentCommand struct {
	List   listExperiments  `cmd:"" help:"List the experiments in folders."`
	Pack   packExperiment   `cmd:"" help:"Write an archive of an experiment with all files that it names."`
	Unpack unpackExperiment `cmd:"" help:"Write the files of an archive into a new directory."`
}

type packExperiment struct {
	File       string `arg:"" predictor:"file" placeholder:"EXC" help:"Description of the experiment (.exc)."`
	Out        string `short:"o" predictor:"file" placeholder:"ZIP" help:"Archive to write; by default the name of the description with the extension .zip."`
	Incomplete bool   `help:"Pack the files that exist, even if others are missing."`
}

// Run packs.
func (c *packExperiment) Run() error {
	document, err := os.ReadFile(c.File)
	if err != nil {
		return err
	}
	d, list := experiment.Read(c.File, document, experiment.Options{})
	if d == nil {
		return fmt.Errorf("%v", list[0])
	}
	out := c.Out
	if out == "" {
		out = strings.TrimSuffix(filepath.Base(c.File), filepath.Ext(c.File)) + ".zip"
	}
	files := os.DirFS(filepath.Dir(c.File))
	if !c.Incomplete {
		if _, missing := experiment.Closure(filepath.Base(c.File), d, files); len(missing) > 0 {
			return experiment.Pack(io.Discard, filepath.Base(c.File), d, files, false)
		}
	}
	return flushed(wholefile.Write(context.Background(), out, func(w io.Writer) error {
		return experiment.Pack(w, filepath.Base(c.File), d, files, c.Incomplete)
	}))
}

type unpackExperiment struct {
	File string `arg:"" predictor:"file" placeholder:"ZIP" help:"Archive of an experiment."`
	Out  string `short:"o" placeholder:"DIR" help:"New or empty directory; by default the name of the archive without its extension."`
}

// Run unpacks.
func (c *unpackExperiment) Run() error {
	out := c.Out
	if out == "" {
		out = strings.TrimSuffix(filepath.Base(c.File), filepath.Ext(c.File))
	}
	list, err := experiment.Unpack(c.File, out)
	for _, name := range list {
		fmt.Println(name)
	}
	return err
}

func (c *checkCommand) checkExperiment(in *input) (*checked, error) {
	_, list, err := in.experiment(experiment.CheckOptions{Options: experiment.Options{Strict: c.Strict}, SeedCompatible: c.SeedCompat})
	if err != nil {
		return nil, err
	}
	return c.judge(in, asExperiment, list), nil
}

// experiment reads the description of an experiment and checks it with the files that it names. The
// description is nil if the document is not one.
func (in *input) experiment(o experiment.CheckOptions) (*experiment.Description, finding.List, error) {
	document, err := in.text()
	if err != nil {
		return nil, nil, err
	}
	dir := "."
	if !in.piped {
		dir = filepath.Dir(in.name)
	}
	d, list := experiment.Check(in.name, document, os.DirFS(dir), o)
	for i, f := range list { // in the files that the experiment names
		if f.Place.File != in.name {
			list[i].Place.File = filepath.Join(dir, filepath.FromSlash(f.Place.File))
		}
	}
	if d != nil && experiment.IsSystem(d.BIBI.Src) {
		list = append(list, checkWiring(d, filepath.Join(dir, filepath.FromSlash(d.BIBI.Src)))...)
	}
	return d, list, nil
}

// checkWiring checks the system structure of an experiment. Its components without a source are
// vehicles, and the experiment says when it ends.
func checkWiring(d *experiment.Description, file string) finding.List {
	list, err := ssp.Check(file, ssp.Options{})
	if err != nil {
		return nil // the file is not there, which is a finding of the description
	}
	return slices.DeleteFunc(list, func(f finding.Finding) bool {
		vehicle := slices.ContainsFunc(d.Environment.Poses, func(p experiment.RobotPose) bool { return f.Place.Object == "component "+p.Robot })
		return f.ID == "SSP-E1" || f.ID == "SSP-S3" && vehicle
	})
}

func (c *checkCommand) checkBIBI(in *input) (*checked, error) {
	document, err := in.text()
	if err != nil {
		return nil, err
	}
	_, list := experiment.ReadBIBI(in.name, document, experiment.Options{Strict: c.Strict})
	return c.judge(in, asBIBI, list), nil
}
