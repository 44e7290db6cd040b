package check

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/finding"
)

// lister writes findings grouped by id, severity and file, and only the first three of each group.
type lister struct {
	out  io.Writer
	file string
	// most severe first, as for kinds of files whose findings are not in file order
	bySeverity bool

	any     bool
	written map[group]int
	hidden  map[group]int // found one by one, and not written
	order   []group       // of hidden
}

type group struct {
	id, file string
	severity finding.Severity
}

// add writes findings that are certain. Findings that are added together are grouped.
func (l *lister) add(list []finding.Finding) {
	var groups []group
	of := map[group][]finding.Finding{}
	for _, f := range list {
		g := group{f.ID, f.Place.File, f.Severity}
		if of[g] == nil {
			groups = append(groups, g)
		}
		of[g] = append(of[g], f)
	}
	if l.bySeverity {
		slices.SortStableFunc(groups, func(a, b group) int {
			return cmp.Compare(b.severity, a.severity)
		})
	}
	for _, g := range groups {
		l.addGroup(g, of[g])
	}
}

func (l *lister) addGroup(g group, list []finding.Finding) {
	if l.written == nil {
		l.written, l.hidden = map[group]int{}, map[group]int{}
	}
	l.any = true
	first := min(len(list), cli.ListedOfAKind-l.written[g])
	l.written[g] += first
	for _, f := range list[:first] {
		f.Message = f.Explained() + " [" + g.id + "]"
		writeFinding(l.out, l.file, f)
	}
	more := len(list) - first
	for k := range list {
		more += list[k].More
	}
	switch {
	case more == 0:
	case first > 0: // no others are expected soon
		writeMore(l.out, int64(more), g.id)
	default:
		if l.hidden[g] == 0 {
			l.order = append(l.order, g)
		}
		l.hidden[g] += more
	}
}

// end writes how many findings were not written when they were added.
func (l *lister) end() {
	if !l.any {
		fmt.Fprintln(l.out, "  no findings")
	}
	for _, g := range l.order {
		writeMore(l.out, int64(l.hidden[g]), g.id)
	}
}
