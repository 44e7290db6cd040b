package experiments

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/fmi/archive"
	"gosmp/internal/plaintext"
	"gosmp/run/inspect"
	"gosmp/run/usage"
)

type listExperiments struct {
	Folders     []string `arg:"" optional:"" default:"." predictor:"file" placeholder:"DIR" help:"Folders to search, including their subfolders."`
	Development bool     `help:"Also list experiments with the maturity development."`
	JSON        bool     `name:"json" help:"Print one JSON document for each experiment, as gosmp inspect does."`
}

// Help returns the text that follows the list of flags.
func (listExperiments) Help() string {
	return `Shows name, file, description and thumbnail of each experiment (.exc). Experiments ` +
		`in development are only counted. Files that are not experiment descriptions are ` +
		`reported on standard error, with exit code 2.`
}

// Run lists the experiments.
func (c *listExperiments) Run() error {
	out := bufio.NewWriter(plaintext.Lines(os.Stdout))
	shown, hidden, unusable := 0, 0, 0
	for _, folder := range c.Folders {
		files, err := descriptions(folder)
		if err != nil {
			return err
		}
		for _, name := range files {
			d, err := inspect.ReadExperiment(name)
			switch {
			case err != nil:
				cli.Report(os.Stderr, err)
				unusable++
				continue
			case d.Maturity == "development" && !c.Development:
				hidden++
				continue
			}
			if err := c.show(out, d, shown); err != nil {
				return cli.Flushed(err)
			}
			shown++
		}
	}
	if hidden > 0 && !c.JSON {
		fmt.Fprintf(os.Stderr, "gosmp: %d in development; --development lists them\n", hidden)
	}
	if err := out.Flush(); err != nil {
		return cli.Flushed(err)
	}
	if unusable > 0 {
		return cli.ErrUnusable
	}
	return nil
}

// show writes one entry.
func (c *listExperiments) show(out io.Writer, d *inspect.Experiment, before int) error {
	if c.JSON {
		return cli.WriteJSON(out, d)
	}
	if before > 0 {
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "%s\n", archive.Plain(d.Name))
	cli.WriteWrapped(out, archive.Plain(strings.Join(strings.Fields(d.Description), " ")))
	rows := [][]string{{"file", archive.Plain(d.File)}, {"thumbnail", archive.Plain(d.Thumbnail)}}
	if d.Maturity != "" {
		rows = append(rows, []string{"maturity", archive.Plain(d.Maturity)})
	}
	cli.WriteTable(out, rows, 0)
	return nil
}

// descriptions returns the experiment descriptions in a folder, sorted.
func descriptions(folder string) (list []string, err error) {
	err = filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && name == folder:
			return usage.NoFolder(folder)
		case err != nil:
			return err
		case !entry.IsDir() && strings.EqualFold(filepath.Ext(name), ".exc"):
			list = append(list, name)
		}
		return nil
	})
	return list, err
}
