package sensors

import (
	"fmt"
	"io"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/quantity"
	"gosmp/sensor/simsensor"
)

// warnings prints the first three problems of each kind in each file, and counts the others.
type warnings struct {
	out    io.Writer
	counts map[like]int64
	order  []like // the kinds in order of appearance
}

// like holds what similar problems have in common.
type like struct {
	file string
	kind simsensor.ProblemKind
}

func newWarnings(out io.Writer) *warnings { return &warnings{out: out, counts: map[like]int64{}} }

func (w *warnings) add(p simsensor.Problem) {
	key := like{p.Place.File, simsensor.KindOf(p)}
	if w.counts[key]++; w.counts[key] == 1 {
		w.order = append(w.order, key)
	}
	if w.counts[key] <= cli.ListedOfAKind {
		fmt.Fprintln(w.out, p.Error())
	}
}

// count prints how many problems were not printed.
func (w *warnings) count() {
	for _, key := range w.order {
		if more := w.counts[key] - cli.ListedOfAKind; more > 0 {
			fmt.Fprintf(w.out, "%s: and %s more: %v\n", key.file, quantity.Grouped(more), key.kind)
		}
	}
}
