package draw_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/draw"
	"gosmp/experiment/scxml/ecmascript"
	"gosmp/timebase"
)

func load(t *testing.T) *scxml.Chart {
	t.Helper()
	c, err := ecmascript.Load("../testdata/crossing.scxml")
	require.NoError(t, err)
	return c
}

// element is any element of an SVG, with the parts that the tests examine.
type element struct {
	XMLName  xml.Name
	Class    string    `xml:"class,attr"`
	ID       string    `xml:"id,attr"`
	X        float64   `xml:"x,attr"`
	Y        float64   `xml:"y,attr"`
	Width    float64   `xml:"width,attr"`
	Height   float64   `xml:"height,attr"`
	Title    string    `xml:"title"`
	Text     string    `xml:",chardata"`
	Children []element `xml:",any"`
}

func read(t *testing.T, svg []byte) (byID map[string]element, all []element) {
	t.Helper()
	var root element
	require.NoError(t, xml.Unmarshal(svg, &root), "an SVG is XML")
	byID = map[string]element{}
	for _, e := range root.Children {
		if e.XMLName.Local == "rect" && e.ID != "" {
			byID[e.ID] = e
		}
	}
	return byID, root.Children
}

func inside(a, b element) bool {
	return a.X > b.X && a.Y > b.Y && a.X+a.Width < b.X+b.Width && a.Y+a.Height < b.Y+b.Height
}

func apart(a, b element) bool {
	return a.X+a.Width <= b.X || b.X+b.Width <= a.X || a.Y+a.Height <= b.Y || b.Y+b.Height <= a.Y
}

func TestChart_BoxesNestAsStatesDo(t *testing.T) {
	c := load(t)
	var b, again bytes.Buffer
	require.NoError(t, draw.Chart(&b, c, []string{"green", "off"}))
	require.NoError(t, draw.Chart(&again, c, []string{"green", "off"}))
	require.Equal(t, b.String(), again.String())
	boxes, all := read(t, b.Bytes())
	for _, q := range c.States[1:] {
		if q.Parent.Kind != scxml.Root {
			require.True(t, inside(boxes[q.ID], boxes[q.Parent.ID]), "%s in %s", q, q.Parent)
		}
		for _, sibling := range q.Parent.Children {
			if sibling != q {
				require.True(t, apart(boxes[q.ID], boxes[sibling.ID]), "%s and %s", q, sibling)
			}
		}
	}
	require.Equal(t, "active", boxes["green"].Class)
	require.Equal(t, "active", boxes["lights"].Class, "what holds an active state is active")
	require.Equal(t, "state", boxes["red"].Class)
	arrows := 0
	for _, e := range all {
		if e.XMLName.Local == "path" && e.Title != "" {
			arrows++
		}
	}
	want := 0
	for _, q := range c.States {
		for _, tr := range q.Transitions {
			want += len(tr.Targets)
		}
	}
	require.Equal(t, want, arrows)
	require.ErrorContains(t, draw.Chart(&b, c, []string{"gren"}), `did you mean "green"?`)
}

func TestChart_DrawsTheSuite(t *testing.T) {
	names, err := os.ReadDir("../testdata/suite/test/w3c-ecma")
	if err != nil {
		t.Skip("the public SCXML suite is absent: run scripts/scxml_suite.sh, which needs npm")
	}
	for _, n := range names {
		c, err := ecmascript.Load("../testdata/suite/test/w3c-ecma/" + n.Name())
		if err != nil {
			continue
		}
		var b bytes.Buffer
		require.NoError(t, draw.Chart(&b, c, nil))
		read(t, b.Bytes())
	}
}

func TestTimeline(t *testing.T) {
	var records []scxml.Record
	s := scxml.NewSystem(scxml.Options{Observe: func(r scxml.Record) {
		records = append(records, r)
	}})
	m, err := s.Add("crossing", load(t))
	require.NoError(t, err)
	require.NoError(t, m.Start())
	require.NoError(t, s.Advance(40*timebase.Second))
	require.NoError(t, m.Handle(scxml.Event{Name: "button"}))
	require.NoError(t, s.Advance(100*timebase.Second))
	var b bytes.Buffer
	require.NoError(t, draw.Timeline(&b, records))
	_, all := read(t, b.Bytes())
	bars := map[string]int{}
	for _, e := range all {
		if e.Class == "bar" {
			bars[e.Title]++
		}
	}
	entered := 0
	for _, r := range records {
		if r.Kind == scxml.Entered {
			entered++
		}
	}
	total := 0
	for _, n := range bars {
		total += n
	}
	require.Equal(t, entered, total, fmt.Sprint(bars))
	require.Equal(t, 1, bars["green 0 to 20 s"])
	require.NoError(t, draw.Timeline(&b, nil))
}

// TestTimeline_LabelsStayInside: a label near the end is to the left of its event.
func TestTimeline_LabelsStayInside(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, draw.Timeline(&b, []scxml.Record{{Machine: "m", Kind: scxml.Entered,
		State: "s"},
		{Machine: "m", Kind: scxml.Took, Event: "first"}, {Time: 10 * timebase.Second, Machine: "m",
			Kind: scxml.Took, Event: "last"}}))
	require.Contains(t, b.String(), `<text class="name" x="300" y="30">m first</text>`)
	require.Contains(t, b.String(), `<text class="name before" x="980" y="30">m last</text>`)
}

// A transition states what it assigns, shortened if it is long.
func TestChart_StatesAssignments(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.scxml")
	require.NoError(t, os.WriteFile(path, []byte(`<scxml version="1.0" datamodel="ecmascript"
		xmlns="http://www.w3.org/2005/07/scxml"><datamodel><data id="n" expr="0"/></datamodel>
		<state id="s"><transition event="a"><assign location="n" expr="n+1"/></transition>
		<transition event="b"><assign location="n">[1,2]</assign></transition>
		<transition event="c"><assign location="n" expr="'`+strings.Repeat("x", 50)+`'"/>
		</transition></state></scxml>`), 0o600))
	c, err := ecmascript.Load(path)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, draw.Chart(&b, c, nil))
	for _, want := range []string{"a / n = n+1<", "b / n = its content<", "xxx…<"} {
		require.Contains(t, b.String(), want)
	}
}

// TestChart_ManyTargets: the picture of a transition with thousands of targets does not repeat all of
// them at each of its arrows.
func TestChart_ManyTargets(t *testing.T) {
	const regions = 6000
	var names, states strings.Builder
	for k := range regions {
		fmt.Fprintf(&names, "s%d ", k)
		fmt.Fprintf(&states, `<state id="r%[1]d"><state id="s%[1]d"/></state>`, k)
	}
	c, err := scxml.Parse("targets.scxml", []byte(`<scxml version="1.0" `+
		`xmlns="http://www.w3.org/2005/07/scxml"><state id="a"><transition event="e" target="`+
		names.String()+`"/></state><parallel id="p">`+states.String()+`</parallel></scxml>`),
		scxml.Config{})
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, draw.Chart(&b, c, nil))
	require.Less(t, b.Len(), 20<<20)
}
