package xmltext_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"gosmp/internal/xmltext"
)

// wide returns a text in UTF-16, without a mark.
func wide(text string, bigEndian bool) (b []byte) {
	for _, unit := range utf16.Encode([]rune(text)) {
		low, high := byte(unit), byte(unit>>8)
		if bigEndian {
			low, high = high, low
		}
		b = append(b, low, high)
	}
	return b
}

// declared returns a document that declares an encoding, with its attribute in bytes.
func declared(encoding, attribute string) []byte {
	return []byte(`<?xml version="1.0" encoding="` + encoding + `"?>` + "\n<a b=\"" + attribute +
		"\"/>")
}

// attribute reads a document with a decoder, and returns the attribute of its root.
func attribute(from io.Reader) (string, error) {
	d, value := xmltext.NewDecoder(from), ""
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return value, nil
		}
		if err != nil {
			return "", err
		}
		if start, is := token.(xml.StartElement); is {
			value = start.Attr[0].Value
		}
	}
}

// whole reads a document through UTF8, and returns the attribute of its root.
func whole(text []byte) (string, error) {
	text, err := xmltext.UTF8(text)
	if err != nil {
		return "", err
	}
	d := xml.NewDecoder(bytes.NewReader(text))
	d.CharsetReader = xmltext.AsDecoded
	var root struct {
		Value string `xml:"b,attr"`
	}
	err = d.Decode(&root)
	return root.Value, err
}

func TestNewDecoder_Encodings(t *testing.T) {
	for name, c := range map[string]struct {
		text []byte
		want string
	}{
		"no declaration": {[]byte(`<a b="ü€🚪"/>`), "ü€🚪"},
		"UTF-8":          {declared("UTF-8", "ü€🚪"), "ü€🚪"},
		"mark":           {append([]byte("\ufeff"), declared("utf-8", "ü€🚪")...), "ü€🚪"},
		"mark decides": {append([]byte("\ufeff"), declared("ISO-8859-1", "ü€🚪")...),
			"ü€🚪"},
		"UTF-16LE":              {wide("\ufeff"+string(declared("UTF-16", "ü€🚪")), false), "ü€🚪"},
		"UTF-16BE":              {wide("\ufeff"+string(declared("utf-16", "ü€🚪")), true), "ü€🚪"},
		"UTF-16LE without mark": {wide(string(declared("UTF-16LE", "ü€🚪")), false), "ü€🚪"},
		"UTF-16BE without mark": {wide(`<a b="ü€🚪"/>`, true), "ü€🚪"},
		"UTF-16 decides": {wide("\ufeff"+string(declared("ISO-8859-1", "ü€🚪")), false),
			"ü€🚪"},
		"ISO-8859-1": {declared("ISO-8859-1", "\xfc\x85\xff"), "ü\u0085ÿ"},
		"single quotes": {[]byte("<?xml version='1.0'\n encoding = 'iso8859-1' ?><a b='\xfc'/>"),
			"ü"},
		"after a comment": {
			[]byte("\n<!-- map -->\n<?xml version='1.0' encoding='latin1'?><a b='\xfc'/>"), "ü"},
		"windows-1252":        {declared("windows-1252", "\xfc\x80\x9f"), "ü€Ÿ"},
		"CP1252":              {declared("CP1252", "\x99\xa0"), "™\u00a0"},
		"US-ASCII":            {declared("US-ASCII", "u&#252;"), "uü"},
		"another declaration": {[]byte(`<?xml-model encoding="ebcdic"?><a b="ü"/>`), "ü"},
		"encoding of an element": {[]byte(`<?xml version="1.0"?><a b="encoding='ebcdic'"/>`),
			"encoding='ebcdic'"},
	} {
		t.Run(name, func(t *testing.T) {
			value, err := attribute(bytes.NewReader(c.text))
			require.NoError(t, err)
			require.Equal(t, c.want, value)
			value, err = attribute(iotest.DataErrReader(iotest.OneByteReader(bytes.NewReader(
				c.text))))
			require.NoError(t, err)
			require.Equal(t, c.want, value)
			value, err = whole(c.text)
			require.NoError(t, err)
			require.Equal(t, c.want, value)
			require.Equal(t, strings.HasPrefix(name, "UTF-16"), xmltext.IsUTF16(c.text))
		})
	}
}

func TestNewDecoder_Errors(t *testing.T) {
	const supported = "UTF-8, UTF-16, ISO-8859-1, windows-1252 or US-ASCII"
	begun := wide("\ufeff<a>\n", false)
	for name, c := range map[string]struct {
		text         []byte
		line, column int
		encoding     string
		problem      string // "" for an encoding that is not supported
	}{
		"unknown": {declared("Shift_JIS", ""), 1, 43, `"Shift_JIS"`, ""},
		"in line 3": {append([]byte("<!--\n-->\n"), declared("KOI8-R", "")...), 3, 40,
			`"KOI8-R"`, ""},
		"UTF-32": {[]byte("\xff\xfe\x00\x00<\x00\x00\x00"), 1, 1, "UTF-32", ""},
		"not UTF-16": {declared("UTF-16", ""), 1, 40, `declared as "UTF-16"`,
			"the text is not in UTF-16"},
		"not ASCII": {declared("us-ascii", "u\n\xc3\xbc"), 3, 1, `"us-ascii"`,
			"byte 51 is not ASCII"},
		"unassigned": {declared("windows-1252", "\x81"), 2, 7, `"windows-1252"`,
			"byte 53 is not assigned"},
		"half of a pair": {append(slices.Clone(begun), 0x3d, 0xd8, '<', 0), 2, 1, "UTF-16",
			"byte 9 begins an unpaired surrogate"},
		"half at an end": {append(slices.Clone(begun), 0x3d, 0xd8), 2, 1, "UTF-16",
			"byte 9 begins an unpaired surrogate"},
		"second half": {append(slices.Clone(begun), 0x3d, 0xdc), 2, 1, "UTF-16",
			"byte 9 begins an unpaired surrogate"},
		"odd": {append(slices.Clone(begun), '<'), 2, 1, "UTF-16",
			"its odd number of bytes shows that the last character is not complete"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, from := range []io.Reader{bytes.NewReader(c.text),
				iotest.OneByteReader(bytes.NewReader(c.text))} {
				d := xmltext.NewDecoder(from)
				err := error(nil)
				for err == nil {
					_, err = d.Token()
				}
				var e *xmltext.Error
				require.ErrorAs(t, err, &e)
				line, column := d.InputPos()
				require.Equal(t, []int{c.line, c.column}, []int{line, column})
				if c.problem == "" {
					require.EqualError(t, e, "the encoding is "+c.encoding+", expected "+supported)
					require.Equal(t, []string{"the encoding " + c.encoding, supported},
						[]string{e.Found(), e.Expected()})
					continue
				}
				require.EqualError(t, e, "the encoding is "+c.encoding+", and "+c.problem)
				require.Equal(t, []string{"the encoding " + c.encoding + ", and " + c.problem,
					"a text in its encoding"}, []string{e.Found(), e.Expected()})
			}
			var e *xmltext.Error
			_, err := xmltext.UTF8(c.text)
			require.ErrorAs(t, err, &e)
		})
	}
}

// encoding/xml ignores anything that it does not know in an XML declaration. Here, this is an
// error, regardless of the encoding and of how the document is read.
func TestNewDecoder_Declarations(t *testing.T) {
	for text, found := range map[string]string{
		`<?xml version="1.0"?>`: "",
		`<?xml version = '1.0' encoding='UTF-8' standalone = "no" ?>`: "",
		"<?xml\nversion=\"1.0\"\tstandalone=\"yes\"?>":                "",
		`<?xml-stylesheet href="a"?>`:                                 "",
		`<?xml versiaon="1.0"?>`:                                      `versiaon="1.0"`,
		`<?xml version="1.0" encodig="UTF-8"?>`:                       `encodig="UTF-8"`,
		`<?xml version="1.0" encoding=""?>`:                           `encoding=""`,
		`<?xml version="1.0" standalone="maybe"?>`:                    `standalone="maybe"`,
		`<?xml version="1.0" version="1.0"?>`:                         `version="1.0"`,
		`<?xml version="1.0" encoding=UTF-8?>`:                        `"encoding=UTF-8"`,
		`<?xml version="1.0" and more?>`:                              `"and more"`,
		`<?xml version="1.0?>`:                                        `version="1.0"`,
		`<?xml encoding="UTF-8"?>`:                                    "no version",
		`<?xml ?>`:                                                    "no version",
	} {
		for _, document := range [][]byte{[]byte(text + "<a/>"), []byte("\ufeff" + text + "<a/>"),
			wide("\ufeff"+strings.ReplaceAll(text, "UTF-8", "UTF-16")+"<a/>", true)} {
			_, err := xmltext.UTF8(document)
			scanner := xmltext.NewScanner(string(document))
			var scanned, decoded error
			for scanned == nil {
				_, scanned = scanner.Next()
			}
			for d := xmltext.NewDecoder(bytes.NewReader(document)); decoded == nil; {
				_, decoded = d.Token()
			}
			if found == "" {
				require.NoError(t, err, text)
				require.ErrorIs(t, scanned, io.EOF, text)
				require.ErrorIs(t, decoded, io.EOF, text)
				continue
			}
			for _, err := range []error{err, scanned, decoded} {
				var e *xmltext.Error
				require.ErrorAs(t, err, &e, text)
				require.True(t, e.Misdeclared())
				require.Equal(t, "an XML declaration with "+found, strings.ReplaceAll(e.Found(),
					"UTF-16", "UTF-8"))
				require.ErrorContains(t, err, `, expected version="1.0"`)
			}
		}
	}
}

// TestNewDecoder_ReadErrors: read errors come after the text that was read before them, within the
// head of a document and after it.
func TestNewDecoder_ReadErrors(t *testing.T) {
	broken := errors.New("broken")
	for _, length := range []int{100, 10_000} {
		for _, encoding := range []string{"UTF-8", "ISO-8859-1"} {
			text := declared(encoding, "\"/>"+strings.Repeat("\n", length))
			text = text[:bytes.LastIndexByte(text, '\n')+1]
			d := xmltext.NewDecoder(io.MultiReader(bytes.NewReader(text), iotest.ErrReader(broken)))
			err := error(nil)
			for err == nil {
				_, err = d.Token()
			}
			line, _ := d.InputPos()
			require.ErrorIs(t, err, broken)
			require.Equal(t, length+2, line, encoding)
		}
	}
}

// Documents of any length are the same in all encodings, regardless of the pieces in which they are
// read.
func TestNewDecoder_AnyPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("az \u00fc\u20ac\u0416\U0001F6AA")), 0, 200,
			-1).Draw(t, "text")
		text = strings.Repeat(text, rapid.IntRange(1, 60).Draw(t, "repeated"))
		size := rapid.IntRange(1, 5000).Draw(t, "size")
		bigEndian, mark := rapid.Bool().Draw(t, "big endian"), rapid.SampledFrom([]string{"",
			"\ufeff"}).Draw(t, "mark")
		value, err := attribute(pieces{bytes.NewReader(wide(mark+`<a b="`+text+`"/>`, bigEndian)),
			size})
		require.NoError(t, err)
		require.Equal(t, text, value)

		var latin []byte
		for _, r := range text {
			latin = append(latin, byte(r|0xa0)) // from the upper half
		}
		value, err = attribute(pieces{bytes.NewReader(declared("ISO-8859-1", string(latin))), size})
		require.NoError(t, err)
		require.Equal(t, string(latin), string(inLatin1(value)))
	})
}

// pieces returns a text in pieces of at most size bytes.
type pieces struct {
	from io.Reader
	size int
}

func (p pieces) Read(b []byte) (int, error) { return p.from.Read(b[:min(len(b), p.size)]) }

// inLatin1 returns a text in ISO-8859-1.
func inLatin1(text string) (b []byte) {
	for _, r := range text {
		b = append(b, byte(r))
	}
	return b
}

// TestUTF8_KeepsTheText: a document in UTF-8 is not copied, and text that is not XML is left
// unchanged.
func TestUTF8_KeepsTheText(t *testing.T) {
	for text, want := range map[string]string{"": "", "a: b": "a: b", "\ufeffa: \xff": "a: \xff",
		`<a b="ü"/>`: `<a b="ü"/>`, "<?xml ": "<?xml ", "<!--": "<!--"} {
		in := []byte(text)
		out, err := xmltext.UTF8(in)
		require.NoError(t, err)
		require.Equal(t, want, string(out))
		if len(out) > 0 {
			require.Same(t, &in[len(in)-1], &out[len(out)-1])
		}
	}
}

// FuzzNewDecoder: a document yields the same text or error whether it is read as a whole or in
// pieces.
func FuzzNewDecoder(f *testing.F) {
	f.Add(declared("ISO-8859-1", "\xfc"), uint16(1))
	f.Add(declared("windows-1252", "\x81"), uint16(7))
	f.Add(wide("\ufeff<a b='\U0001F6AA'/>", true), uint16(3))
	f.Add([]byte("<!-- --><?xml encoding='x'?>"), uint16(2))
	f.Fuzz(func(t *testing.T, text []byte, size uint16) {
		asWhole, err := xmltext.UTF8(text)
		d := xml.NewDecoder(bytes.NewReader(asWhole))
		d.CharsetReader = xmltext.AsDecoded
		inPieces := xmltext.NewDecoder(pieces{bytes.NewReader(text), int(size) + 1})
		var other *xmltext.Error
		if err != nil { // the text before it may be malformed
			require.ErrorAs(t, err, &other)
			for err = nil; err == nil; {
				_, err = inPieces.Token()
			}
			require.NotErrorIs(t, err, io.EOF)
			return
		}
		for {
			a, errA := d.Token()
			b, errB := inPieces.Token()
			require.Equal(t, a, b)
			require.Equal(t, errA, errB)
			require.Equal(t, d.InputOffset(), inPieces.InputOffset())
			if errA != nil {
				return
			}
		}
	})
}
