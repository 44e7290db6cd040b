package junit_test

import (
	"encoding/xml"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/internal/junit"
)

// element is a part of a report as a build server reads it.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []element  `xml:",any"`
}

func (e *element) attribute(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// form states what an element may contain according to Jenkins' schema junit-10, as far as reports
// use it; attributes with ! are required.
type form struct {
	attributes, children string
	text                 bool
}

var forms = map[string]form{
	"testsuite": {attributes: "name! tests! failures! errors! skipped time timestamp hostname id " +
		"package file log url version group",
		children: "testsuite properties testcase system-out system-err"},
	"properties": {children: "property"},
	"property":   {attributes: "name! value!"},
	"testcase": {attributes: "name! time classname group",
		children: "skipped error failure system-out system-err"},
	"failure":    {attributes: "type message", text: true},
	"error":      {attributes: "type message", text: true},
	"skipped":    {attributes: "type message", text: true},
	"system-out": {text: true}, "system-err": {text: true},
}

var (
	surefireTime = regexp.MustCompile(`^(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]{0,3})?$`)
	number       = regexp.MustCompile(`^[0-9]+$`)
)

// breaches returns the rules of Jenkins and GitLab that an element violates.
func breaches(e *element) (list []string) {
	f, known := forms[e.XMLName.Local]
	if !known || e.XMLName.Space != "" {
		return []string{e.XMLName.Local + " is not known"}
	}
	say := func(format string, a ...any) {
		list = append(list, e.XMLName.Local+": "+fmt.Sprintf(format, a...))
	}
	given := map[string]int{}
	for _, a := range e.Attrs {
		given[a.Name.Local]++
		if !slices.Contains(strings.Fields(strings.ReplaceAll(f.attributes, "!", "")),
			a.Name.Local) {
			say("the attribute %s", a.Name.Local)
		}
	}
	for _, name := range strings.Fields(f.attributes) {
		if bare, required := strings.CutSuffix(name, "!"); required && given[bare] != 1 {
			say("no attribute %s", bare)
		}
	}
	if !f.text && strings.TrimSpace(e.Text) != "" {
		say("the text %q", e.Text)
	}
	if given["time"] > 0 && !surefireTime.MatchString(e.attribute("time")) {
		say("the time %q", e.attribute("time"))
	}
	for k := range e.Children {
		if !strings.Contains(" "+f.children+" ", " "+e.Children[k].XMLName.Local+" ") {
			say("the element %s", e.Children[k].XMLName.Local)
		}
		list = append(list, breaches(&e.Children[k])...)
	}
	if message := e.attribute("message"); f.text && !strings.Contains(e.Text, message) {
		say("the message %q is not in the text, which is all that GitLab shows", message)
	}
	if e.XMLName.Local == "testsuite" {
		list = append(list, miscounts(e)...)
	}
	return list
}

// miscounts returns wrong counts of a suite, and cases that GitLab leaves out because another one
// has the same class and name, or because they have no name.
func miscounts(e *element) (list []string) {
	counts, seen := map[string]int{}, map[[2]string]bool{}
	for k := range e.Children {
		c := &e.Children[k]
		if c.XMLName.Local != "testcase" {
			continue
		}
		counts["tests"]++
		key := [2]string{c.attribute("classname"), c.attribute("name")}
		if seen[key] || key[1] == "" {
			list = append(list, fmt.Sprintf("a second case %q, or one without a name", key))
		}
		seen[key] = true
		for _, r := range c.Children {
			counts[map[string]string{"failure": "failures", "error": "errors",
				"skipped": "skipped"}[r.XMLName.Local]]++
		}
		if len(c.Children) > 1 {
			list = append(list, "a case with two results")
		}
	}
	for _, name := range []string{"tests", "failures", "errors", "skipped"} {
		given := e.attribute(name)
		if given == "" && name == "skipped" {
			given = "0"
		}
		if !number.MatchString(given) || given != fmt.Sprint(counts[name]) {
			list = append(list, fmt.Sprintf("%s=%q for %d", name, given, counts[name]))
		}
	}
	return list
}

// Any suite yields a report that Jenkins' schema junit-10 and GitLab's parser accept, with all of
// its cases.
func TestWrite_AnySuiteKeepsTheFormats(t *testing.T) {
	text := rapid.SampledFrom([]string{"", "a", "a (2)", "b", "two\nlines", "\x00\x1b[31m",
		"<&>\"'", "\xff", "ß", "]]>", " "})
	failure := rapid.Custom(func(t *rapid.T) *junit.Failure {
		return &junit.Failure{Message: text.Draw(t, "message"), Text: text.Draw(t, "text")}
	})
	one := rapid.Custom(func(t *rapid.T) junit.Case {
		c := junit.Case{Name: text.Draw(t, "name"), Class: text.Draw(t, "class")}
		switch rapid.IntRange(0, 3).Draw(t, "result") {
		case 0:
			c.Failure = failure.Draw(t, "failure")
		case 1:
			c.Error = failure.Draw(t, "error")
		case 2:
			c.Skipped = text.Draw(t, "skipped")
		}
		if rapid.Bool().Draw(t, "timed") {
			c.Time = junit.Seconds(rapid.Float64Range(0, 1e6).Draw(t, "time"))
		}
		return c
	})
	rapid.Check(t, func(t *rapid.T) {
		s := junit.Suite{Name: text.Draw(t, "suite"), File: text.Draw(t, "file"),
			Time: rapid.Float64Range(-1, 1e9).Draw(t, "time"), Out: text.Draw(t, "out"),
			Err: text.Draw(t, "err"), Cases: rapid.SliceOfN(one, 0, 12).Draw(t, "cases")}
		for range rapid.IntRange(0, 2).Draw(t, "properties") {
			s.Properties = append(s.Properties, junit.Property{Name: text.Draw(t, "property"),
				Value: text.Draw(t, "value")})
		}
		var b strings.Builder
		require.NoError(t, s.Write(&b))
		var e element
		require.NoError(t, xml.Unmarshal([]byte(b.String()), &e))
		require.Empty(t, breaches(&e), b.String())
		require.Equal(t, fmt.Sprint(len(s.Cases)), e.attribute("tests"))
	})
}

// Anything that a build server would refuse or omit is a breach.
func TestBreaches(t *testing.T) {
	const counts = ` failures="0" errors="0"`
	for report, want := range map[string]string{
		`<testsuite name="a" tests="0" failures="0"/>`: "no attribute " +
			"errors",
		`<testsuite name="a" tests="0"` + counts + ` time="1.2345"/>`:         "the time",
		`<testsuite name="a" tests="1"` + counts + `/>`:                       `tests="1" for 0`,
		`<testsuite name="a" tests="0"` + counts + ` line="7"/>`:              "the attribute line",
		`<testsuite name="a" tests="0"` + counts + `>x</testsuite>`:           "the text",
		`<testsuite name="a" tests="0"` + counts + `><note/></testsuite>`:     "note is not known",
		`<testsuite name="a" tests="1"` + counts + `><testcase/></testsuite>`: "no attribute name",
		`<testsuite name="a" tests="0"` + counts +
			`><property/></testsuite>`: "the element property",
		`<testsuites xmlns="x"/>`: "testsuites is not known",
		`<testsuite name="a" tests="2"` + counts + `><testcase name="b"/><testcase name="b"/>` +
			`</testsuite>`: "a second case",
		`<testsuite name="a" tests="1"` + counts + `><testcase name="b"><skipped message="c">d` +
			`</skipped></testcase></testsuite>`: "is not in the text",
	} {
		var e element
		require.NoError(t, xml.Unmarshal([]byte(report), &e))
		require.Contains(t, strings.Join(breaches(&e), "\n"), want)
	}
}
