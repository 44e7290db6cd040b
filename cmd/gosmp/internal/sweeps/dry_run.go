package sweeps

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"gosmp/sweep"
)

// show prints the table.
func (s *sweeping) show(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "case\t")
	for _, x := range s.plan.Parameters {
		fmt.Fprintf(w, "%s\t", inLine(x.Name))
	}
	fmt.Fprint(w, "seed\tsets\t\n")
	for _, x := range s.cases {
		fmt.Fprintf(w, "%d\t", x.Index+1)
		for _, v := range x.Values {
			fmt.Fprintf(w, "%s\t", inLine(sweep.Text(v)))
		}
		var set []string
		for _, y := range x.Set {
			set = append(set, inLine(y.Name+"="+y.Value))
		}
		seed := "of the experiment"
		if x.Seed != 0 {
			seed = strconv.FormatUint(x.Seed, 10)
		}
		fmt.Fprintf(w, "%s\t%s\t\n", seed, strings.Join(set, " "))
	}
	return w.Flush()
}

// inLine is a text for a cell of a table: in quotes if it would break the line, or if it is empty.
func inLine(text string) string {
	if text == "" || strings.ContainsFunc(text, unicode.IsControl) {
		return strconv.Quote(text)
	}
	return text
}
