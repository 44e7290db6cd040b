package xmltext_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/internal/xmltext"
)

// decoded lists the tokens that the decoder of encoding/xml finds in a document, with their places.
func decoded(text string, raw bool) (list []string) {
	d := xmltext.NewDecoder(strings.NewReader(text))
	next := d.Token
	if raw {
		next = d.RawToken
	}
	for {
		token, err := next()
		line, column := d.InputPos()
		found := fmt.Sprintf("%d:%d ", line, column)
		switch t := token.(type) {
		case xml.StartElement:
			found += fmt.Sprintf("start %q %q", t.Name, t.Attr)
		case xml.EndElement:
			found += fmt.Sprintf("end %q", t.Name)
		case xml.CharData:
			found += fmt.Sprintf("text %q", string(t))
		case nil:
			return append(list, found+err.Error())
		}
		list = append(list, found)
	}
}

// scanned lists the tokens like [decoded], but uses the scanner.
func scanned(text string, raw bool) (list []string) {
	s := xmltext.NewScanner(text)
	if raw {
		s = xmltext.NewRawScanner(text)
	}
	for {
		kind, err := s.Next()
		line, column := s.InputPos()
		found := fmt.Sprintf("%d:%d ", line, column)
		switch kind {
		case xmltext.Start:
			found += fmt.Sprintf("start %q %q", s.Name, s.Attributes)
		case xmltext.End:
			found += fmt.Sprintf("end %q", s.Name)
		case xmltext.Text:
			found += fmt.Sprintf("text %q", s.Text)
		}
		if err != nil {
			return append(list, found+err.Error())
		}
		list = append(list, found)
	}
}

// fragments holds pieces that form well-formed documents surprisingly often.
var fragments = []string{"<a>", "</a>", "<b x='1'>", "</b>", "<c/>", `<a b="&lt;&#65;&#x42;"/>`,
	" ", "\n", "\r\n", "\r", "text", "&amp;", "&lt", "&#0;", "&#xD800;", "&#65;", "&unknown;",
	"&#x41;\n", "]]>", "]]&gt;", "<![CDATA[<x>&amp;]]>", "<![CDATA[\r\n]] >]]>", "<!-- - -->",
	"<!-- -- -->", "<!---->", "<!--->", "<?pi a?>", "<?xml version='1.0'?>",
	"<?xml version='2.0'?>", "<?a", `<?xml version="1.0" encoding="latin1"?>`, "<!DOCTYPE a>",
	"<!DOCTYPE a [<!ENTITY b 'c'>]>", "<p:a xmlns:p='urn:p' p:b='1'>", "</p:a>",
	"<a xmlns='urn:d'>", "<a xmlns=''>", "<xml:a xml:lang='de'/>", "<q:a q:b=''/>", "<a:b:c/>",
	"<:a/>", "<a:/>", "<ü ä='ö'/>", "ü€🚪", "\xff", "\x01", "\ufffe", "<a b='<'/>", "<a b=c/>",
	"<a b/>", "<a b='1'c='2'/>", "<a / >", "<a\n b = '\t1\n2\r\n3'\n/>", "< a>", "</ a>", "</a >",
	"<a b='ü'/>", "<a b=\"'\" c='\"'/>", "<1/>", "<a b='1' b='2'/>", "<xmlns/>", "<xmlns:a/>",
	"\x00", "<", "&", "\ufeff", "<a xmlns:p='1' xmlns:p='2'><p:x/>",
	"<a p:x='1' xmlns:p='urn:late'/>"}

func TestScanner_FindsWhatTheDecoderFinds(t *testing.T) {
	for _, text := range fragments {
		requireSame(t, text)
		requireSame(t, "<root>\n"+text+"\n</root>")
	}
	rapid.Check(t, func(t *rapid.T) {
		requireSame(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 12).Draw(t,
			"text"), ""))
	})
}

// requireSame compares scanner and decoder, in raw mode and otherwise.
func requireSame(t require.TestingT, text string) {
	for _, raw := range []bool{false, true} {
		require.Equal(t, decoded(text, raw), scanned(text, raw), "%q, raw: %v", text, raw)
	}
}

// TestScanner_NestedNamespaces: a declaration hides another one until its element ends.
func TestScanner_NestedNamespaces(t *testing.T) {
	requireSame(t, "<p:a xmlns:p='1' xmlns='x'><p:b xmlns:p='2' xmlns:p='3'><p:c/><c xmlns=''><d/>"+
		"</c><q:e xmlns:q='4'/><q:e/></p:b><p:f/><g/></p:a>")
}

// TestScanner_ManyNamespaces: the time for a document with many namespaces and elements does not
// grow with their product, which would be minutes here.
func TestScanner_ManyNamespaces(t *testing.T) {
	const many = 300_000
	text := []byte("<a")
	for k := range many {
		text = fmt.Appendf(text, " xmlns:n%d='u'", k)
	}
	text = append(append(text, '>'), strings.Repeat("<n0:b/>", many)+"</a>"...)
	s := xmltext.NewScanner(string(text))
	elements := 0
	for {
		kind, err := s.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if kind == xmltext.Start && s.Name == (xml.Name{Space: "u", Local: "b"}) {
			elements++
		}
	}
	require.Equal(t, many, elements)
}

func TestScanner_ReadsAllEncodings(t *testing.T) {
	document := "<?xml version=\"1.0\" encoding=\"UTF-16\"?>\n<a b=\"ü€\">\r\n\tß</a>"
	for _, text := range []string{"\ufeff" + document, string(wide("\ufeff"+document, true)),
		string(wide(document, false)), "<?xml version='1.0' encoding='latin1'?>\n<a b='\xfc'/>",
		"<?xml version='1.0' encoding='EBCDIC'?><a/>", "<?xml version='1.0' encoding='ascii'?>\xfc",
		string(wide("\ufeff<a>", true)) + "\xd8", "", "\ufeff"} {
		requireSame(t, text)
	}
}

func TestScanner_ReadsXML11AsXML10(t *testing.T) {
	const declaration, rest = "<?xml version='1.0' encoding='UTF-8'?>", "<a>\n&#65;<!DOCTYPE a></a>"
	want := decoded(declaration+rest, false)
	for _, version := range []string{"1.1", "1.9"} {
		require.Equal(t, want, scanned(strings.Replace(declaration, "1.0", version, 1)+rest,
			false))
	}
	require.Contains(t, scanned("<?xml version='2.0'?>", false)[0], "unsupported version")
}

func TestScanner_GoesOnAfterTheUnusual(t *testing.T) {
	s := xmltext.NewScanner("<a p='1'><!DOCTYPE x><b q='2'/></a>")
	var names []string
	for {
		kind, err := s.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if kind == xmltext.Start {
			names = append(names, s.Name.Local+s.Attributes[0].Value)
		}
	}
	require.Equal(t, []string{"a1", "b2"}, names)
}

// FuzzScanner compares the scanner with the decoder of encoding/xml.
func FuzzScanner(f *testing.F) {
	for _, text := range fragments {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, after, _ := strings.Cut(text, "<?xml version="); len(after) > 2 && after[1] == '1' {
			t.Skip("XML 1.1 and later are read, too")
		}
		if strings.Contains(text, "<!ENTITY") {
			t.Skip("entities are replaced here alone")
		}
		for _, raw := range []bool{false, true} {
			if want, got := decoded(text, raw), scanned(text, raw); !slices.Equal(want, got) {
				t.Fatalf("%q, raw: %v:\n%q\nexpected\n%q", text, raw, got, want)
			}
		}
	})
}

// BenchmarkScanner reads a document of 1.5 MB like a model description.
func BenchmarkScanner(b *testing.B) {
	text := "<list>" + strings.Repeat("  <ScalarVariable name=\"plant.body[1].r\" "+
		"valueReference=\"17\" description=\"A &quot;signal&quot;\" causality=\"output\">\n"+
		"    <Real unit=\"m\"/>\n  </ScalarVariable>\n", 10000) + "</list>"
	b.Run("scanner", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			s := xmltext.NewScanner(text)
			for {
				if _, err := s.Next(); err != nil {
					break
				}
			}
		}
	})
	b.Run("decoder", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			d := xmltext.NewDecoder(strings.NewReader(text))
			for {
				if _, err := d.Token(); err != nil {
					break
				}
			}
		}
	})
}
