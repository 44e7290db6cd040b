package scxml_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/check"
	"gosmp/experiment/scxml/ecmascript"
	"gosmp/timebase"
)

// quick returns ECMAScript with a short time limit, because fuzzers find loops first.
func quick() scxml.Config {
	return scxml.Config{
		Languages: []scxml.Language{ecmascript.Language{Timeout: 50 * time.Millisecond}}}
}

// FuzzDocument reads, checks and runs any document: no text may crash the process, and a document
// that can be read can be written, read again and run for a while.
func FuzzDocument(f *testing.F) {
	seeds, err := filepath.Glob("testdata/*.scxml")
	require.NoError(f, err)
	more, err := filepath.Glob(suiteRoot + "/*/*.scxml")
	require.NoError(f, err)
	for _, name := range append(seeds, more...) {
		text, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte(`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">` + rich +
		`</scxml>`))
	f.Add(
		[]byte(
			`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><state id="s">` +
				`<invoke src="fuzz.scxml"/><invoke src="fuzz.scxml"/></state></scxml>`))
	f.Fuzz(func(t *testing.T, text []byte) {
		config := quick()
		// all documents are this one
		config.Load = func(string) ([]byte, error) { return text, nil }
		c, err := scxml.Parse("fuzz.scxml", text, config)
		check.Chart("fuzz.scxml", text, check.Options{Config: config})
		if err != nil {
			require.ErrorIs(t, err, scxml.ErrInvalid)
			return
		}
		again, err := scxml.Parse("again.scxml", []byte(c.Element().XML()), config)
		require.NoError(t, err, "%s", c.Element().XML())
		require.Len(t, again.States, len(c.States))
		if !greedy.Match(text) {
			exercise(t, c)
		}
	})
}

// greedy lists the parts of ECMAScript that can take arbitrary time or memory in one call (X27).
var greedy = regexp.MustCompile(`repeat|pad|Array|fill|length|concat|\+=|/[^/]*\(\?`)

// exercise runs a chart under small bounds. Machines may end in errors due to bounds or loops in
// scripts. The fuzz target itself bounds the number of instants, because a timer of one nanosecond
// is legal.
func exercise(t *testing.T, c *scxml.Chart) {
	s := scxml.NewSystem(scxml.Options{Limits: scxml.Limits{Microsteps: 50, Macrosteps: 50,
		Machines: 10, Events: 100}})
	m, err := s.Add("m", c)
	require.NoError(t, err)
	begun := time.Now()
	_ = m.Start()
	for i := range 3 {
		if m.Running() {
			require.NoError(t, legal(c, m.Active()))
			_ = m.Handle(scxml.Event{Name: []string{"a", "t", "t1"}[i]})
		}
		to := s.Now() + timebase.Second
		for range 20 {
			if due, ok := s.Next(); ok && due < to && time.Since(begun) < time.Second {
				_ = s.Advance(due)
			}
		}
	}
	if saved, err := s.AppendState(nil); err == nil && len(s.Machines()) == 1 {
		require.NoError(t, s.RestoreState(saved))
	}
}

// FuzzXML reads XML bombs: deep nesting, entities, many attributes. Reading must return an error or
// an element.
func FuzzXML(f *testing.F) {
	f.Add([]byte(`<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;&b;&b;">]><a>&c;</a>`))
	f.Add([]byte(strings.Repeat("<a>", 1000)))
	f.Add([]byte("<a " + strings.Repeat(`b="c" `, 100) + "/>"))
	f.Add([]byte("<?xml version='1.0' encoding='UTF-16'?><a/>"))
	f.Add(inUTF16("<?xml version='1.0' encoding='UTF-16'?><a b='ü🚪'/>", true))
	f.Add(inLatin1("<?xml version='1.0' encoding='ISO-8859-1'?><a b='ü'/>"))
	f.Add([]byte("<a xmlns:x='y' x:b='1' b='2'><![CDATA[ ]]&gt;]]></a>"))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := scxml.ParseXML(text)
		if err != nil {
			return
		}
		written := e.XML()
		again, err := scxml.ParseXML([]byte(written))
		require.NoError(t, err, written)
		require.Equal(t, written, again.XML(), "writing is stable")
	})
}

// FuzzExpression compiles and evaluates any text in every role.
func FuzzExpression(f *testing.F) {
	for _, text := range []string{"x + 1", "x.y[0]", "x = 2", "(function() { for (;;); })()",
		"[].concat(x)", "`${x}`", "/a+/.test('a')", "x?.y ?? 1",
		"({toString() { throw 1 }})", "new Proxy({}, {})", "'x'.repeat(99)", strings.Repeat("(",
			250), strings.Repeat("!", 1000), "In('s')", "a\u2028b", "x /*"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		language := quick().Languages[0]
		c, err := scxml.Parse("x",
			[]byte(
				`<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><datamodel>`+
					`<data id="x" expr="1"/></datamodel><state id="s"/></scxml>`), quick())
		require.NoError(t, err)
		s := scxml.NewSystem(scxml.Options{})
		m, err := s.Add("m", c)
		require.NoError(t, err)
		if err := m.Start(); errors.Is(err, scxml.ErrStopped) {
			t.Skip("50 ms of real time have passed without this process")
		} else {
			require.NoError(t, err)
		}
		_, _ = scxml.Null.Compile(scxml.Condition, text)
		for role := scxml.Condition; role <= scxml.Statements; role++ {
			code, err := language.Compile(role, text)
			if err == nil {
				language.(scxml.Analyzer).Facts(code)
			}
		}
		// memory is not bounded (X27)
		if !strings.Contains(text, "repeat") && !strings.Contains(text, "pad") &&
			!strings.Contains(text, "Array") {
			_, _ = m.Value(text)
		}
	})
}
