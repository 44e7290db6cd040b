// Package junit writes results as JUnit XML, which build servers show.
//
// The form is that of Ant and of the Jenkins schema: one testsuite, its testcases in order, and a
// failure in those that did not pass.
//
// Types: [Suite] with [Case].
package junit

import (
	"encoding/xml"
	"io"
)

// Suite is what was tested.
type Suite struct {
	Name  string
	Cases []Case
}

// Case is one result.
type Case struct {
	Name, Class string
	Time        string   // seconds as a decimal; "" leaves the attribute out
	Failure     *Failure // nil if it has passed
}

// Failure says why a case has not passed.
type Failure struct {
	Message string // one line
	Text    string // details; may be empty
}

// Write writes the suite as one document. Characters that XML cannot hold become U+FFFD.
func (s Suite) Write(w io.Writer) error {
	type failure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	type testcase struct {
		Name    string   `xml:"name,attr"`
		Class   string   `xml:"classname,attr"`
		Time    string   `xml:"time,attr,omitempty"`
		Failure *failure `xml:"failure"`
	}
	suite := struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Cases    []testcase `xml:"testcase"`
	}{Name: s.Name, Tests: len(s.Cases)}
	for _, c := range s.Cases {
		x := testcase{Name: c.Name, Class: c.Class, Time: c.Time}
		if c.Failure != nil {
			suite.Failures++
			x.Failure = &failure{c.Failure.Message, c.Failure.Text}
		}
		suite.Cases = append(suite.Cases, x)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(suite); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
