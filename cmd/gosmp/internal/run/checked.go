package run

import (
	"fmt"
	"slices"

	"gosmp/cmd/gosmp/internal/fmurules"
	"gosmp/fmi/check"
	"gosmp/importer/system"
	"gosmp/internal/finding"
	"gosmp/internal/quantity"
	"gosmp/run/kind"
)

// examine checks the FMUs among the files while they are being prepared. The channel gets a line
// for each one with problems, and is closed after the last.
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
			if n := problems(file); n > 0 {
				lines <- fmt.Sprintf("%s has %s, see gosmp check %s", file, quantity.Of(n,
					"problem"), file)
			}
		}
	}()
	return lines
}

// problems counts the errors and warnings of an FMU.
func problems(file string) int {
	list, err := fmurules.File(file, check.Options{})
	if err != nil {
		return 0 // which the run itself reports
	}
	return list.Count(finding.Error) + list.Count(finding.Warning)
}
