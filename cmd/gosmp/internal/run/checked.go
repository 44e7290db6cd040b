package run

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"gosmp/experiment"
	"gosmp/fmi/archive"
	"gosmp/fmi/check"
	"gosmp/internal/finding"
	"gosmp/internal/quantity"
	"gosmp/internal/release"
	"gosmp/internal/unchanged"
	"gosmp/internal/usercache"
	osmpcheck "gosmp/osmp/check"
	"gosmp/run"
	"gosmp/run/kind"
)

// Examined are warnings of the problems of FMUs, which are checked in the background.
type Examined <-chan string

// Examine checks the FMUs among the files, and of the experiments among them, while a command
// prepares to run them. The files are written as for a run: an entity may precede them, and
// programs are no files.
func Examine(files []string) Examined {
	const most = 256 // FMUs; the channel has room for all, because a command may end early
	lines := make(chan string, most)
	go func() {
		defer close(lines)
		var seen []string
		for _, argument := range files {
			for _, file := range fmusOf(run.Placed(argument).Value) {
				file = filepath.Clean(file) // the files of experiments are clean
				if slices.Contains(seen, file) || len(seen) == most {
					continue
				}
				seen = append(seen, file)
				n := counted.Of(file, func() int { return problems(file) })
				if n > 0 {
					lines <- fmt.Sprintf("%s has %s, see gosmp check %s", file, quantity.Of(n,
						"problem"), file)
				}
			}
		}
	}()
	return lines
}

// fmusOf returns a file that is an FMU, or the FMUs of an experiment.
func fmusOf(file string) (list []string) {
	switch kind.Of(file) {
	case kind.FMU:
		return []string{file}
	case kind.Experiment:
		document, err := kind.ReadText(file)
		if err != nil {
			return nil // the run itself reports this error, and the next one
		}
		d, _ := experiment.Read(file, document, experiment.Options{})
		if d == nil {
			return nil
		}
		folder := filepath.Dir(file)
		files, _ := experiment.Closure(filepath.Base(file), d, os.DirFS(folder))
		for _, name := range files {
			if kind.Of(name) == kind.FMU {
				list = append(list, filepath.Join(folder, filepath.FromSlash(name)))
			}
		}
	}
	return list
}

// Warn waits for the check and passes its warnings on, unless the context ends before.
func (e Examined) Warn(ctx context.Context, warn func(line string)) {
	for {
		select {
		case line, more := <-e:
			if !more {
				return
			}
			warn(line)
		case <-ctx.Done():
			return
		}
	}
}

// models returns the systems under test, sensors and drivers of a run.
func (c *Command) models() []string { return slices.Concat(c.SUT, c.On, c.Drive) }

// counted holds the problem counts for a process with many runs.
var counted unchanged.Memory[int]

// problems counts the errors and warnings of an FMU. It caches the counts for the next run, because
// a check reads the whole FMU and takes longer than a short run.
func problems(file string) int {
	key, notes := identity(file), usercache.OpenNotes("checked")
	kept, known := notes.Get(key)
	if n, err := strconv.Atoi(kept); known && err == nil {
		return n
	}
	list, err := osmpcheck.File(file, check.Options{})
	if err != nil {
		return 0 // the run itself reports this error
	}
	n := list.Count(finding.Error) + list.Count(finding.Warning)
	if key != "" {
		notes.Put(key, strconv.Itoa(n))
	}
	return n
}

// identity returns a key for everything that the findings about an FMU depend on: its content, this
// build of gosmp with its rules, and the libraries of this machine. It is empty if these cannot be
// determined.
func identity(file string) string {
	f, err := archive.OpenFile(file)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // only read
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return ""
	}
	program, err := os.Executable()
	if err != nil {
		return ""
	}
	build, err := os.Stat(program)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%x\n%s %s %d %d\n%s", sum.Sum(nil), release.Tool, program, build.Size(),
		build.ModTime().UnixNano(), check.Environment())
}
