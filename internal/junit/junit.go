// Package junit writes results as JUnit XML, which build servers show.
//
// The files have the form that Ant writes and that Jenkins' schema junit-10 describes; GitLab reads
// a part of it. A file has one testsuite with properties and its testcases in order. A case that
// has failed has a failure, and a case that could not be judged has an error. The schema has no
// attributes for the file and line of a failure, so they are in its text. GitLab shows the text and
// not the message, so the text contains the message. It leaves out a case if another one has the
// same class and name, so each case has its own name.
//
// Types: [Suite] with [Property] and [Case].
package junit

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// Suite describes a test and its results.
type Suite struct {
	Name       string
	File       string  // file that describes the test; may be empty
	Time       float64 // s; 0 leaves the attribute out
	Properties []Property
	Cases      []Case
	Out, Err   string // output of the test; "" leaves the element out
}

// Property is a fact about the test, such as its seed.
type Property struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

// Case is one result. At most one of Failure and Error is set.
type Case struct {
	Name, Class string
	Time        string   // seconds as a decimal; "" leaves the attribute out
	Failure     *Failure // nil if the case has not failed
	Error       *Failure // nil if the case could be judged
	Skipped     string   // why the case was not tried; empty if it was
}

// Failure states why a case has not passed.
type Failure struct {
	Message string // one line
	Text    string // details, with file and line; may be empty
}

// whole returns the text of the element, which contains the message.
func (f *Failure) whole() string {
	if strings.Contains(f.Text, f.Message) {
		return f.Text
	}
	return strings.TrimSuffix(f.Message+"\n"+f.Text, "\n")
}

type problem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

type testcase struct {
	Name    string   `xml:"name,attr"`
	Class   string   `xml:"classname,attr"`
	Time    string   `xml:"time,attr,omitempty"`
	Failure *problem `xml:"failure"`
	Error   *problem `xml:"error"`
	Skipped *skipped `xml:"skipped"`
}

type skipped struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

type properties struct {
	List []Property `xml:"property"`
}

type testsuite struct {
	XMLName    xml.Name    `xml:"testsuite"`
	Name       string      `xml:"name,attr"`
	Tests      int         `xml:"tests,attr"`
	Failures   int         `xml:"failures,attr"`
	Errors     int         `xml:"errors,attr"`
	Skipped    int         `xml:"skipped,attr,omitempty"`
	Time       string      `xml:"time,attr,omitempty"`
	File       string      `xml:"file,attr,omitempty"`
	Properties *properties `xml:"properties"`
	Cases      []testcase  `xml:"testcase"`
	Out        string      `xml:"system-out,omitempty"`
	Err        string      `xml:"system-err,omitempty"`
}

// Write writes the suite as one document. Characters that XML cannot hold become U+FFFD.
func (s Suite) Write(w io.Writer) error {
	suite := testsuite{Name: s.Name, Tests: len(s.Cases), File: s.File, Out: s.Out, Err: s.Err}
	if s.Time > 0 {
		suite.Time = Seconds(s.Time)
	}
	if len(s.Properties) > 0 {
		suite.Properties = &properties{s.Properties}
	}
	names := namesOf(s.Cases)
	for k, c := range s.Cases {
		x := testcase{Name: names[k], Class: c.Class, Time: c.Time}
		if c.Skipped != "" {
			suite.Skipped++
			x.Skipped = &skipped{c.Skipped, c.Skipped}
		}
		if c.Failure != nil {
			suite.Failures++
			x.Failure = &problem{c.Failure.Message, "failure", c.Failure.whole()}
		}
		if c.Error != nil {
			suite.Errors++
			x.Error = &problem{c.Error.Message, "error", c.Error.whole()}
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

// namesOf returns the names of cases: their own, with a number appended if an earlier case of the
// same class has the same name.
func namesOf(cases []Case) []string {
	type key struct{ class, name string }
	names, taken := make([]string, len(cases)), map[key]bool{}
	for _, c := range cases {
		taken[key{c.Class, c.Name}] = true
	}
	seen := map[key]bool{}
	for k, c := range cases {
		name := cmp.Or(c.Name, c.Class, "case")
		fits := name == c.Name && !seen[key{c.Class, name}] || !taken[key{c.Class, name}]
		for n := 2; !fits; n++ {
			name = fmt.Sprintf("%s (%d)", cmp.Or(c.Name, c.Class, "case"), n)
			fits = !taken[key{c.Class, name}]
		}
		seen[key{c.Class, name}], taken[key{c.Class, name}] = true, true
		names[k] = name
	}
	return names
}

// Seconds formats a time for a Case.
func Seconds(s float64) string { return fmt.Sprintf("%.3f", s) }
