package finding

import (
	"encoding/json"
	"fmt"
	"io"

	"gosmp/internal/junit"
)

// Tool names the program that produced the findings, for SARIF.
type Tool struct {
	Name    string // "gosmp"
	Version string // "1.2.0"
}

// WriteText writes one line per finding.
func (l List) WriteText(w io.Writer) error {
	for _, f := range l {
		if _, err := fmt.Fprintln(w, f); err != nil {
			return err
		}
	}
	return nil
}

// WriteJSON writes an indented array, or "[]" if there are no findings.
func (l List) WriteJSON(w io.Writer) error {
	return writeJSON(w, append(List{}, l...))
}

func writeJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

// WriteJUnit writes a test suite named name with one test case per finding; errors are failures.
// Further cases follow. If there are no cases at all, the suite receives one passing case, because
// test reports drop empty suites.
func (l List) WriteJUnit(w io.Writer, name string, further ...junit.Case) error {
	suite := junit.Suite{Name: name}
	for _, f := range l {
		c := junit.Case{Class: f.ID, Name: f.Place.String()}
		if f.Severity == Error {
			c.Failure = &junit.Failure{Message: f.Explained(), Text: f.String()}
		}
		suite.Cases = append(suite.Cases, c)
	}
	suite.Cases = append(suite.Cases, further...)
	if len(suite.Cases) == 0 {
		suite.Cases = []junit.Case{{Class: name, Name: "no findings"}}
	}
	return suite.Write(w)
}
