package opendrive_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"gosmp/internal/fault"
	"gosmp/mocksim/opendrive"
)

func TestRead_RefusesWhatHasNoMeaning(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		parts []string // of the message
	}{
		"empty":      {"", []string{"X-XML", "root element OpenDRIVE"}},
		"no XML":     {"hello", []string{"X-XML"}},
		"cut":        {document(oneRoad{}.String())[:400], []string{"X-XML", "unexpected EOF"}},
		"other root": {"<a/>", []string{"test.xodr:1", "found root element a"}},
		"no header":  {"<OpenDRIVE/>", []string{"header"}},
		"NaN": {document(oneRoad{plan: geometry(100, `<arc curvature="NaN"/>`)}.String()),
			[]string{"X-NUMBER", "NaN", "finite"}},
		"infinite": {document(oneRoad{elevation: `<elevation s="0" a="1e400"/>`}.String()),
			[]string{"X-NUMBER", "1e400"}},
		"far away": {
			document(
				oneRoad{
					plan: `<geometry s="0" x="-1e10" y="0" length="3"><line/></geometry>`}.String()),
			[]string{"X-NUMBER", `x="-1e10"`, "at most 1000000000"}},
		"endless": {document(oneRoad{length: 2e6}.String()),
			[]string{"X-NUMBER", "at most 1000000"}},
		"endless geometry": {document(oneRoad{plan: geometry(1e308, `<line/>`)}.String()),
			[]string{"X-NUMBER", "geometry with length"}},
		"dense spiral": {
			document(oneRoad{plan: geometry(100,
				`<spiral curvStart="0" curvEnd="2000"/>`)}.String()),
			[]string{"X-NUMBER", `curvEnd="2000"`, "at most 1000"}},
		"sky high": {document(oneRoad{elevation: `<elevation s="0" a="0" b="1e4"/>`}.String()),
			[]string{"X-NUMBER", "elevation of 500000 at s = 50 m", "at most 100000"}},
		"heights without end": {
			document(
				oneRoad{elevation: `<elevation s="0" a="1e308" b="1e308" d="-1e308"/>`}.String()),
			[]string{"X-NUMBER", "elevation of"}},
		"a lane as wide as the sky": {document(oneRoad{sections: `<laneSection s="0">` + center +
			`<right><lane id="-1" type="driving"><width sOffset="0" a="3" d="1e308"/></lane></right>` +
			`</laneSection>`}.String()), []string{"X-NUMBER", "width of", "at s = 50 m", "at most 100000"}},
		"a border without end": {document(oneRoad{sections: `<laneSection s="0">` + center +
			`<right><lane id="-1" type="driving"><border sOffset="0" b="-1e6"/></lane></right>` +
			`</laneSection>`}.String()), []string{"X-NUMBER", "border of -5e+07 at s = 50 m"}},
		"a section far beyond its road": {document(oneRoad{sections: twoLanes +
			`<laneSection s="1e9">` + left + center + right + `</laneSection>`}.String()),
			[]string{"X-NUMBER", `s="1e9"`, "at most 1000000"}},
		"thousands of lanes": {document(oneRoad{sections: `<laneSection s="0">` + center +
			`<right>` + strings.Repeat(`<lane id="-1" type="driving"><width sOffset="0" a="3"/></lane>`,
			256) + `</right></laneSection>`}.String()),
			[]string{"X-NUMBER", "one more lane in a section", "at most 256"}},
		"a lane as high as the sky": {document(oneRoad{sections: `<laneSection s="0">` + center +
			`<right><lane id="-1" type="driving"><width sOffset="0" a="3"/>` +
			`<height sOffset="0" inner="1e300" outer="0"/></lane></right></laneSection>`}.String()),
			[]string{"X-NUMBER", `inner="1e300"`, "at most 100000"}},
		"no length": {document(`<road id="1"><planView>` + straight + `</planView></road>`),
			[]string{"X-NUMBER", "road without length"}},
		"negative": {document(oneRoad{length: -5}.String()), []string{"X-NUMBER",
			"road 1 of -5 m"}},
		"no plan": {document(oneRoad{plan: " "}.String()), []string{"X-PLAN-EMPTY", "road 1"}},
		"no curve": {document(oneRoad{plan: `<geometry s="0" x="0" y="0" length="3"/>`}.String()),
			[]string{"X-PLAN-EMPTY", "line, arc"}},
		"no lanes": {document(oneRoad{sections: " "}.String()), []string{"X-SECTION-FIRST",
			"laneSection"}},
		"lane id": {
			document(
				oneRoad{
					sections: `<laneSection s="0"><left><lane/></left></laneSection>`}.String()),
			[]string{"X-LANE-IDS"}},
		"lane id 1.5": {
			document(
				oneRoad{
					sections: `<laneSection s="0"><left><lane id="1.5"/></left></laneSection>`}.String()), []string{"whole number"}},
		"twice": {document(oneRoad{}.String(), oneRoad{}.String()), []string{"X-ID",
			`a second road "1"`}},
		"deep": {document(strings.Repeat("<a>", 300)),
			[]string{"nested more than 200 deep"}},
		"unit": {
			document(oneRoad{rest: `<type s="0"><speed max="3" unit="knots"/></type>`}.String()),
			[]string{"knots", "mph"}},
	} {
		_, err := opendrive.Read("test.xodr", strings.NewReader(c.text))
		require.ErrorIs(t, err, opendrive.ErrMap, name)
		for _, part := range c.parts {
			require.ErrorContains(t, err, part, name)
		}
	}
	_, err := opendrive.ReadFile("there is no such file.xodr")
	require.ErrorIs(t, err, opendrive.ErrMap)
}

func TestRead_ErrorsNameTheLine(t *testing.T) {
	_, err := opendrive.Read("test.xodr",
		strings.NewReader(document(oneRoad{plan: "\n\n" + geometry(100,
			`<arc curvature="x"/>`)}.String())))
	var e *fault.Error
	require.True(t, errors.As(err, &e))
	require.Equal(t, fault.Place{File: "test.xodr", Line: 7}, e.Place)
}

func TestRead_DeclarationAfterACommentAndNamespaces(t *testing.T) {
	text := "<!-- first -->" + strings.Replace(document(oneRoad{}.String()), "<OpenDRIVE>",
		`<OpenDRIVE xmlns="http://example.org/x">`, 1)
	require.Len(t, read(t, text).Roads, 1)
}

func TestRead_Encodings(t *testing.T) {
	named := func(declaration, name string) string {
		text := document(strings.Replace(oneRoad{}.String(), `<road `, `<road name="`+name+`" `, 1))
		return strings.Replace(text, `<?xml version="1.0"?>`, declaration, 1)
	}
	wide := func(text string) string {
		var b []byte
		for _, unit := range utf16.Encode([]rune(text)) {
			b = binary.LittleEndian.AppendUint16(b, unit)
		}
		return string(b)
	}
	for name, text := range map[string]string{
		"UTF-8": named("\ufeff", "Allee nach Süden"),
		"UTF-16": wide(named("\ufeff"+`<?xml version="1.0" encoding="UTF-16"?>`,
			"Allee nach Süden")),
		"ISO-8859-1": named(`<?xml version="1.0" encoding="ISO-8859-1"?>`, "Allee nach S\xfcden"),
		"windows-1252": named(`<?xml version="1.0" encoding="windows-1252"?>`,
			"Allee nach S\xfcden"),
	} {
		require.Equal(t, "Allee nach Süden", read(t, text).Roads[0].Name, name)
	}
	for text, want := range map[string]string{
		named("<?xml version='1.0' encoding='EBCDIC'?>", ""): `test.xodr:1: unusable OpenDRIVE ` +
			`map: found the encoding "EBCDIC", ` +
			`expected UTF-8, UTF-16, ISO-8859-1, windows-1252 or US-ASCII; rule X-XML ` +
			`of gosmp check`,
		named("<?xml version='1.0' encoding='US-ASCII'?>", "\xfc"): `test.xodr:4: unusable ` +
			`OpenDRIVE map: found the encoding "US-ASCII", ` +
			`and byte 158 is not ASCII, expected a text in its encoding; rule X-XML of gosmp check`,
		named("", "\xfc"): "test.xodr:4: unusable OpenDRIVE map: found invalid UTF-8, expected " +
			"well-formed XML; rule X-XML of gosmp check",
	} {
		_, err := opendrive.Read("test.xodr", strings.NewReader(text))
		require.ErrorIs(t, err, opendrive.ErrMap)
		require.EqualError(t, err, want)
	}
}

func TestHeader_Projection(t *testing.T) {
	for reference, want := range map[string]string{
		"+proj=utm +zone=32 +datum=WGS84": "", "+proj=tmerc +lat_0=48.1 +lon_0=11.6 +k=1": "",
		"+lat_0=4.9e1 +lon_0=8": "", "+proj=ortho +lat_0=1": "",
		"+proj=utm +zone=61": "expected 1 to 60", "+proj=lcc": "+proj=utm", "": "+proj=utm",
		"+proj=tmerc +lat_0=x": "expected a number",
		"+proj=tmerc +k=0":     "scale above 0", "+proj=utm +zone=1 +ellps=flat": "GRS80",
	} {
		h := opendrive.Header{GeoReference: reference}
		_, err := h.Projection()
		if want == "" {
			require.NoError(t, err, reference)
			continue
		}
		require.ErrorIs(t, err, opendrive.ErrProjection)
		require.ErrorContains(t, err, want)
	}
}

// FuzzRead searches for maps that make the reader, the checks or the evaluation fail.
func FuzzRead(f *testing.F) {
	f.Add(document(oneRoad{}.String()))
	f.Add(document(oneRoad{plan: geometry(100, `<spiral curvStart="0.01" curvEnd="-0.2"/>`),
		elevation: `<elevation s="1" b="0.1"/>`}.String()))
	f.Add(document(oneRoad{plan: geometry(100,
		`<paramPoly3 bU="1" cV="0.001" pRange="arcLength"/>`)}.String(),
		`<junction id="7"><connection incomingRoad="1"
		connectingRoad="1"><laneLink from="1" to="-1"/></connection></junction>`))
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		m, err := opendrive.Read("fuzz.xodr", strings.NewReader(text))
		if err != nil {
			require.ErrorIs(t, err, opendrive.ErrMap)
			return
		}
		m.Check()
		for _, r := range m.Roads {
			st, err := r.Station(r.Length / 2)
			require.NoError(t, err)
			m.Locate(st.Point(1, 0))
			l := r.Sections[0].Lanes[0]
			_, _ = m.Route(l, l)
		}
	})
}

// TestRead_OnlyTinyGeometries checks that a road whose geometries have no length is a line, with a
// note, rather than a reason to refuse the map. Only the others are to be removed.
func TestRead_OnlyTinyGeometries(t *testing.T) {
	const tiny = `<geometry s="0" x="3" y="4" hdg="0" length="0"><line/></geometry>`
	for n := range 3 {
		m, err := opendrive.Read("tiny.xodr", strings.NewReader(document(oneRoad{
			plan: strings.Repeat(tiny, n+1)}.String())))
		require.NoError(t, err)
		st, err := m.Roads[0].Station(10)
		require.NoError(t, err)
		require.InDelta(t, 13, st.Origin.X, 1e-12)
		extended, ignored := 0, 0
		for _, f := range m.Check() {
			if f.ID == "X-PLAN-TINY" && strings.Contains(f.Message, "extended to a line") {
				extended++
			} else if f.ID == "X-PLAN-TINY" && strings.Contains(f.Message, "is ignored") {
				ignored++
			}
		}
		require.Equal(t, 1, extended, "%v", m.Check())
		require.Equal(t, n, ignored, "%v", m.Check())
	}
}
