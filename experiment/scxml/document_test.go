package scxml_test

import (
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"gosmp/experiment/scxml"
)

const umlauts = `<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" name="Tür 🚪">` +
	`<state id="geöffnet"/></scxml>`

// inUTF16 returns a text in UTF-16 with a byte-order mark.
func inUTF16(text string, bigEndian bool) (b []byte) {
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		low, high := byte(unit), byte(unit>>8)
		if bigEndian {
			low, high = high, low
		}
		b = append(b, low, high)
	}
	return b
}

func inLatin1(text string) (b []byte) {
	for _, r := range text {
		b = append(b, byte(r))
	}
	return b
}

// TestParse_Encodings: every XML processor reads UTF-8 and UTF-16, and very old editors write
// ISO-8859-1.
func TestParse_Encodings(t *testing.T) {
	latin := `<?xml version="1.0" encoding='ISO-8859-1'?>` + strings.ReplaceAll(umlauts, " 🚪", "")
	for name, c := range map[string]struct {
		text []byte
		name string
	}{
		"UTF-8": {[]byte(umlauts), "Tür 🚪"},
		"UTF-8 with a mark": {[]byte("\ufeff" + `<?xml version="1.0" encoding="utf-8"?>` +
			umlauts), "Tür 🚪"},
		"UTF-16LE": {inUTF16(`<?xml version="1.0" encoding="UTF-16"?>`+umlauts,
			false), "Tür 🚪"},
		"UTF-16BE":               {inUTF16(umlauts, true), "Tür 🚪"},
		"UTF-16 without a mark":  {inUTF16(umlauts, false)[2:], "Tür 🚪"},
		"UTF-16BE without marks": {inUTF16(umlauts, true)[2:], "Tür 🚪"},
		"ISO-8859-1":             {inLatin1(latin), "Tür"},
		"windows-1252": {inLatin1(strings.Replace(latin, "ISO-8859-1", "windows-1252",
			1)), "Tür"},
	} {
		c2, err := scxml.Parse("m", c.text, scxml.Config{})
		require.NoError(t, err, name)
		require.Equal(t, c.name, c2.Name, name)
		require.NotNil(t, c2.State("geöffnet"), name)
	}
}

// TestParse_NamesWhatCannotBeRead: well-formed but unsupported documents are not reported as
// malformed.
func TestParse_NamesWhatCannotBeRead(t *testing.T) {
	declared := func(encoding string) string {
		return `<?xml version="1.0" encoding="` + encoding + `"?>` + umlauts
	}
	for name, c := range map[string]struct {
		text []byte
		want string
	}{
		"empty": {nil,
			`m:1:1: error: the document is not well-formed: it has no element [SX01]; ` +
				`correct the XML`},
		"another encoding": {[]byte(declared("EBCDIC")),
			`m:1:1: error: the document cannot be read: the encoding is "EBCDIC", expected ` +
				`UTF-8, UTF-16, ISO-8859-1, windows-1252 or US-ASCII [SX01]; save it as UTF-8`},
		"not in UTF-16": {[]byte(declared("UTF-16")),
			`declared as "UTF-16", and the text is not in UTF-16`},
		"not ASCII": {[]byte(declared("us-ascii")),
			`the encoding is "us-ascii", and byte 110 is not ASCII`},
		"not UTF-8": {inLatin1(strings.ReplaceAll(umlauts, " 🚪", "")),
			`the document is not well-formed: invalid UTF-8`},
		"half a character": {inUTF16(umlauts, false)[:5], `the last character is not complete`},
		"half of a pair": {append(inUTF16("<a>", false), 0x3d, 0xd8),
			`byte 7 begins an unpaired surrogate`},
		"an entity": {[]byte("<!DOCTYPE scxml [<!ENTITY limit \"13.9\">]>\n" +
			strings.ReplaceAll(umlauts, "🚪", "&limit;")),
			`m:2:79: error: the document cannot be read: the entity &limit; is not one of &lt; ` +
				`&gt; &amp; &quot; and &apos;, and others are not supported [SX01]; write ` +
				`its text instead`},
		"a default": {[]byte(`<!DOCTYPE scxml [<!ATTLIST state id CDATA "x" y CDATA #IMPLIED>]>` +
			`<scxml/>`), `m:1:1: error: the document cannot be read: its document type declares ` +
			`a default of the attribute id of <state>, which is not supported [SX01]; write ` +
			`the attribute in each element`},
		"an entity in text": {[]byte("<a>&nbsp;</a>"),
			`the document cannot be read: the entity &nbsp; is not one of`},
		"a bare ampersand": {[]byte("<a>x & y</a>"),
			`the document is not well-formed: invalid character entity & (no semicolon)`},
		"a bad character": {[]byte("<a>&#xzz;</a>"),
			`the document is not well-formed: invalid character entity &#x`},
		"depth": {[]byte(strings.Repeat("<a>", 201)),
			`m:1:601: error: the document cannot be read: elements are nested deeper than 200 ` +
				`levels [SX01]; divide the document`},
	} {
		_, err := scxml.Parse("m", c.text, scxml.Config{})
		require.ErrorContains(t, err, c.want, name)
	}
}
