package xmltext

import (
	"encoding/xml"
	"io"
	"strings"
)

// Kind is the kind of a token that a [Scanner] has found.
type Kind uint8

// The kinds of tokens that a [Scanner] finds.
const (
	Start     Kind = iota + 1 // the beginning of an element
	End                       // the end of an element
	Text                      // characters between elements
	Directive                 // a document type
	Other                     // comments and processing instructions
)

// Scanner reads a document that is in memory as the decoder of encoding/xml reads it: the same
// tokens in the same order, with the same names, values and places, and the same errors. It takes a
// fraction of the time, because its texts are parts of the document instead of copies. These texts
// keep the document in memory, so a text that is to outlive the document must be cloned.
//
// Entities that the document type declares are replaced, which that decoder does not do; places
// after them refer to the text with the replacements.
//
// Anything unusual, such as errors, document types and names beyond ASCII, is left to that decoder,
// which then reads the document again from the beginning.
type Scanner struct {
	// Name is the name of the element that begins or ends, with its namespace, or with its prefix
	// if the scanner is raw.
	Name xml.Name
	// Attributes holds the attributes of an element that begins, until the next call.
	Attributes []xml.Attr
	// Text is the text, with its entities replaced; for a document type, it is the text between <!
	// and >.
	Text string

	text  string // in UTF-8, without a mark; unconverted if conversion fails
	at    int    // offset of the end of the last token
	found int    // number of tokens so far

	open   []opened       // elements
	scopes []binding      // of namespaces
	newest map[string]int // index of the last binding of a prefix
	closed bool           // the element was empty, and its end comes next

	line, begin, counted int // line number and beginning of the line at an offset

	failed error // why entities cannot be replaced
	raw    bool
	slow   *xml.Decoder // continues in place of the scanner
}

// opened is an element that has not ended.
type opened struct {
	name   xml.Name // with the prefix
	scopes int      // number that were valid before it
}

// binding gives a prefix its namespace.
type binding struct {
	prefix, space string
	before        int // index of the binding that it hides, or -1
}

// NewScanner returns a scanner of a document in any supported encoding.
func NewScanner(text string) *Scanner {
	s := &Scanner{text: text, line: 1}
	mark, e, err := detect([]byte(text[:min(len(text), headSize)]))
	switch {
	case err == nil && e == nil:
		s.text = text[mark:]
	case err == nil:
		var decoded []byte
		if decoded, err = UTF8([]byte(text)); err == nil {
			s.text = string(decoded)
		}
	}
	if err != nil { // the decoder returns it at its place
		s.slow = NewDecoder(strings.NewReader(text))
		return s
	}
	s.text, s.at, s.failed = expanded(asVersion10(s.text))
	return s
}

// NewRawScanner returns a scanner that reads as RawToken of encoding/xml does: it neither matches
// end tags with start tags nor replaces prefixes by namespaces.
func NewRawScanner(text string) *Scanner {
	s := NewScanner(text)
	s.raw = true
	return s
}

// asVersion10 declares XML 1.0 in place of another 1.x, because XML 1.0 (section 2.8) has
// processors treat such documents as 1.0: they differ only in characters that rarely occur.
func asVersion10(text string) string {
	const begin = "<?xml version="
	at := len(begin) + len("'1.")
	if !strings.HasPrefix(text, begin) || len(text) <= at+1 || text[at-2:at] != "1." ||
		text[at] < '1' || text[at] > '9' || text[at+1] != text[at-3] {
		return text
	}
	return text[:at] + "0" + text[at+1:]
}

// InputPos returns the line and the column of the end of the last token; both count from 1, columns
// in bytes.
func (s *Scanner) InputPos() (line, column int) {
	if s.slow != nil {
		return s.slow.InputPos()
	}
	passed := s.text[s.counted:s.at]
	if n := strings.Count(passed, "\n"); n > 0 {
		s.line += n
		s.begin = s.counted + strings.LastIndexByte(passed, '\n') + 1
	}
	s.counted = s.at
	return s.line, s.at - s.begin + 1
}

// InputOffset returns the offset of the end of the last token, in bytes.
func (s *Scanner) InputOffset() int {
	if s.slow != nil {
		return int(s.slow.InputOffset())
	}
	return s.at
}

// Next finds the next token. The error is [io.EOF] at the end of the document, and otherwise an
// error of the decoder of encoding/xml.
func (s *Scanner) Next() (Kind, error) {
	if s.failed != nil {
		return 0, s.failed
	}
	if s.slow == nil {
		if s.at == len(s.text) && len(s.open) == 0 {
			return 0, io.EOF
		}
		before := s.at
		if kind := s.quick(); kind != 0 {
			s.found++
			return kind, nil
		}
		s.at = before
		s.giveUp()
	}
	token, err := s.slowly()
	if err != nil {
		return 0, err
	}
	return s.take(token), nil
}

// giveUp has the decoder of encoding/xml continue.
func (s *Scanner) giveUp() {
	s.slow = xml.NewDecoder(strings.NewReader(s.text))
	s.slow.CharsetReader = AsDecoded
	for range s.found {
		if _, err := s.slowly(); err != nil {
			return // the next call returns the error again
		}
	}
}

// slowly returns the decoder's next token.
func (s *Scanner) slowly() (xml.Token, error) {
	if s.raw {
		return s.slow.RawToken()
	}
	return s.slow.Token()
}

// take makes a token of the decoder the scanner's current token.
func (s *Scanner) take(token xml.Token) Kind {
	switch t := token.(type) {
	case xml.StartElement:
		s.Name, s.Attributes = t.Name, t.Attr
		return Start
	case xml.EndElement:
		s.Name = t.Name
		return End
	case xml.CharData:
		s.Text = string(t)
		return Text
	case xml.Directive:
		s.Text = string(t)
		return Directive
	}
	return Other
}

// quick finds the next token; it returns 0 at the end and for anything unusual.
func (s *Scanner) quick() Kind {
	if s.closed {
		s.closed = false
		return s.end(s.open[len(s.open)-1].name)
	}
	rest := s.text[s.at:]
	switch {
	case rest == "":
		return 0
	case rest[0] != '<':
		return s.characters(rest)
	case len(rest) == 1:
		return 0
	case rest[1] == '/':
		return s.endTag()
	case rest[1] == '?':
		return s.instruction(rest)
	case strings.HasPrefix(rest, "<!--"):
		inside, after, found := strings.Cut(rest[4:], "--")
		if !found || !strings.HasPrefix(after, ">") {
			return 0
		}
		s.at += len("<!--") + len(inside) + len("-->")
		return Other
	case strings.HasPrefix(rest, "<![CDATA["):
		inside, _, found := strings.Cut(rest[9:], "]]>")
		value, usual := plainText(inside, true)
		if !found || !usual {
			return 0
		}
		s.Text = value
		s.at += len("<![CDATA[") + len(inside) + len("]]>")
		return Text
	case rest[1] == '!':
		return 0
	}
	return s.startTag()
}

func (s *Scanner) characters(rest string) Kind {
	if end := strings.IndexByte(rest, '<'); end >= 0 {
		rest = rest[:end]
	}
	value, usual := plainText(rest, false)
	if !usual || strings.Contains(rest, "]]>") {
		return 0
	}
	s.Text = value
	s.at += len(rest)
	return Text
}

// instruction skips a processing instruction. XML 1.0 is the only version.
func (s *Scanner) instruction(rest string) Kind {
	target, after := cutName(rest[2:])
	after = skipBlanks(after)
	end := strings.Index(after, "?>")
	if target == "" || end < 0 {
		return 0
	}
	if inside := after[:end]; target == "xml" && !strings.HasPrefix(inside, `version="1.0"`) &&
		!strings.HasPrefix(inside, `version='1.0'`) {
		return 0
	}
	s.at += len(rest) - len(after) + end + len("?>")
	return Other
}

func (s *Scanner) endTag() Kind {
	local, rest := cutName(s.text[s.at+2:])
	name, ok := divided(local)
	rest = skipBlanks(rest)
	if !ok || !strings.HasPrefix(rest, ">") || len(s.open) == 0 ||
		s.open[len(s.open)-1].name != name {
		return 0
	}
	s.at = len(s.text) - len(rest) + 1
	return s.end(name)
}

// end closes the last element.
func (s *Scanner) end(name xml.Name) Kind {
	s.Name = s.translated(name, true)
	last := len(s.open) - 1
	s.unbind(s.open[last].scopes)
	s.open = s.open[:last]
	return End
}

func (s *Scanner) startTag() Kind {
	word, rest := cutName(s.text[s.at+1:])
	name, ok := divided(word)
	if !ok {
		return 0
	}
	s.Attributes = s.Attributes[:0]
	empty := false
	for {
		rest = skipBlanks(rest)
		if strings.HasPrefix(rest, ">") {
			rest = rest[1:]
			break
		}
		if empty = strings.HasPrefix(rest, "/>"); empty {
			rest = rest[2:]
			break
		}
		if rest, ok = s.attribute(rest); !ok {
			return 0
		}
	}
	s.open = append(s.open, opened{name, len(s.scopes)})
	s.bind()
	s.Name = s.translated(name, true)
	for k := range s.Attributes {
		s.Attributes[k].Name = s.translated(s.Attributes[k].Name, false)
	}
	s.at = len(s.text) - len(rest)
	s.closed = empty
	return Start
}

// attribute reads an attribute at the beginning of a text, and returns the text after it.
func (s *Scanner) attribute(text string) (rest string, ok bool) {
	word, rest := cutName(text)
	name, ok := divided(word)
	if !ok {
		return "", false
	}
	rest = skipBlanks(rest)
	if !strings.HasPrefix(rest, "=") {
		return "", false
	}
	rest = skipBlanks(rest[1:])
	if rest == "" || rest[0] != '"' && rest[0] != '\'' {
		return "", false
	}
	end := strings.IndexByte(rest[1:], rest[0])
	if end < 0 {
		return "", false
	}
	value, usual := plainText(rest[1:1+end], false)
	s.Attributes = append(s.Attributes, xml.Attr{Name: name, Value: value})
	return rest[end+2:], usual
}

// The names of namespaces that XML itself defines.
const (
	xmlnsPrefix = "xmlns"
	xmlPrefix   = "xml"
	xmlSpace    = "http://www.w3.org/XML/1998/namespace"
)
