package examinationpage_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/importer/examine"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/internal/plaintext"
	"gosmp/report/examinationpage"
)

// hostile are texts with which an FMU could try to change the page or its reader's mind.
var hostile = []string{
	`<script>alert(1)</script>`, `</title></style></pre></table><img src=x onerror=alert(1)>`,
	`" onmouseover="alert(1)" x="`, `' onclick='alert(1)'`, `javascript:alert(1)`, `{{.SHA256}}`,
	`<!-- `, `--> ]]> <![CDATA[`, `&lt;b&gt; &#60;b&#62; &quot;`, "\u202e\u2066gpj.exe\u2069\u200f",
	"\x1b[31mred\x1b[0m\x00\x07\x7f\u0085", "a\u2028b\u2029c", "\xff\xfe<b>", "<\x00script>",
	strings.Repeat("long <b> ", 2_000), strings.Repeat("x", 20_000),
}

// fill sets all texts in a value to a text.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() && v.String() == "text" {
			v.SetString(text)
		}
	case reflect.Struct:
		for k := range v.NumField() {
			fill(v.Field(k), text)
		}
	case reflect.Slice:
		for k := range v.Len() {
			fill(v.Index(k), text)
		}
	case reflect.Pointer:
		fill(v.Elem(), text)
	default:
	}
}

// report returns a report in which each text is "text".
func report() *examine.Report {
	r := &examine.Report{File: "text", SHA256: "text", Model: "text", Tool: "text", Version: "text",
		Platform: "text"}
	rule := examine.Rule{ID: "text", Says: "text", Clause: "text", Suffers: "text"}
	for _, v := range []examine.Verdict{
		{Outcome: examine.Proved, Why: "text"}, {Outcome: examine.NotTested, Why: "text"},
		{Outcome: examine.Refuted, Found: "text", Expected: "text", Calls: []string{"text", "text"},
			Program: "text"}} {
		for _, severity := range []finding.Severity{finding.Error, finding.Note} {
			v.Rule = rule
			v.Severity = severity
			r.Verdicts = append(r.Verdicts, v)
		}
	}
	return r
}

// parsed returns the elements and attributes of a page, without the values of identifiers and
// links, and its texts, without those of style sheets.
func parsed(t *testing.T, page []byte) (tags, texts []string) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	style := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return tags, texts
		}
		require.NoError(t, err)
		switch x := token.(type) {
		case xml.StartElement:
			style = x.Name.Local == "style"
			line := "<" + x.Name.Local
			for _, a := range x.Attr {
				line += " " + a.Name.Local
				if a.Name.Local == "href" {
					require.True(t, strings.HasPrefix(a.Value, "#"), a.Value)
				} else if a.Name.Local != "id" {
					line += "=" + a.Value
				}
			}
			tags = append(tags, line)
		case xml.EndElement:
			style = false
			tags = append(tags, "</"+x.Name.Local)
		case xml.CharData:
			if !style {
				texts = append(texts, string(x))
			}
		default:
			tags = append(tags, fmt.Sprintf("%T", x))
		}
	}
}

// requireSame checks that a page with hostile texts has the elements of the page without them, and
// shows these texts as they are, but for characters that are not safe to show.
func requireSame(t *testing.T, text string, write func(io.Writer, string) error) {
	t.Helper()
	var plain, page bytes.Buffer
	require.NoError(t, write(&plain, "text"))
	require.NoError(t, write(&page, text))
	want, before := parsed(t, plain.Bytes())
	got, after := parsed(t, page.Bytes())
	name := plaintext.Clean(text[:min(len(text), 40)])
	require.True(t, reflect.DeepEqual(want, got), name)
	require.Len(t, after, len(before), name)
	shown := plaintext.Clean(strings.ReplaceAll(text, "\x00", "\ufffd"))
	for k := range before {
		line := strings.ReplaceAll(strings.ReplaceAll(before[k], "texts", "\x01"), "text", shown)
		line = strings.ReplaceAll(line, "\x01", "texts")
		require.True(t, line == after[k], "%s: %.100q, not %.100q", name, after[k], line)
	}
	require.NotContains(t, page.String(), "\u202e")
	require.NotContains(t, page.String(), "\x1b")
}

// TestWrite_HostileTexts: whatever texts an FMU and its file have, the page of its examination has
// the same elements, and shows the texts.
func TestWrite_HostileTexts(t *testing.T) {
	for _, text := range hostile {
		requireSame(t, text, func(to io.Writer, text string) error {
			r := report()
			fill(reflect.ValueOf(r), text)
			return examinationpage.Write(to, r)
		})
		requireSame(t, text, func(to io.Writer, text string) error {
			s := &examinationpage.System{File: "text",
				Findings: finding.List{{ID: "text", Message: "text", Remedy: "text",
					Place: fault.Place{File: "text", Entry: "text"}}},
				Parts: []examinationpage.Part{{Name: "text", Report: report()},
					{Name: "text", Connection: true, Report: report()}}}
			fill(reflect.ValueOf(s), text)
			return examinationpage.WriteSystem(to, s)
		})
	}
}
