package run

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"gosmp/fmi/archive"
	"gosmp/fmi/check"
	"gosmp/importer/system"
	"gosmp/internal/finding"
	"gosmp/internal/quantity"
	"gosmp/internal/release"
	"gosmp/internal/unchanged"
	"gosmp/internal/usercache"
	osmpcheck "gosmp/osmp/check"
	"gosmp/run/kind"
)

// examine checks the FMUs among the files while the run is being prepared. It sends a line for each
// FMU with problems to the channel, and then closes the channel.
func examine(files []string) <-chan string {
	lines := make(chan string, len(files))
	go func() {
		defer close(lines)
		var seen []string
		for _, argument := range files {
			_, file := system.Named(argument)
			if kind.Of(file) != kind.FMU || slices.Contains(seen, file) {
				continue
			}
			seen = append(seen, file)
			n := counted.Of(file, func() int { return problems(file) })
			if n > 0 {
				lines <- fmt.Sprintf("%s has %s, see gosmp check %s", file, quantity.Of(n,
					"problem"), file)
			}
		}
	}()
	return lines
}

// Examine checks FMUs that a command is about to run, and warns of their problems.
func Examine(files []string, warn func(line string)) {
	for line := range examine(files) {
		warn(line)
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
