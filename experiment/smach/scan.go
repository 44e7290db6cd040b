package smach

import (
	"strings"
	"unicode/utf8"
)

// kind is the kind of a Python token.
type kind uint8

const (
	end    kind = iota
	name        // also keywords
	number      // as written
	text        // Text is its content
	mark        // operators and brackets
	line        // the end of a logical line
)

// token is a piece of a script.
type token struct {
	kind   kind
	text   string
	line   int
	column int // for the first token of a line, its indentation
}

// marks holds the marks of more than one character, longest first.
var marks = []string{"**=", "//=", "==", "!=", "<=", ">=", "**", "//", "+=", "-=", "*=", "/=", "->"}

// maxTokens bounds the length of a script.
const maxTokens = 500_000

// scan splits a script into tokens. It joins lines within brackets and drops comments. Text that is
// not Python yields unexpected marks.
func scan(script string) (list []token) {
	s := scanner{script: script, line: 1}
	for s.at < len(s.script) && len(s.list) < maxTokens {
		s.next()
	}
	s.add(line, "\n", s.line)
	return append(s.list, token{kind: end, line: s.line})
}

type scanner struct {
	script          string
	at, line, start int // start is the offset at which the line begins
	depth           int // of brackets
	list            []token
}

func (s *scanner) add(k kind, value string, at int) {
	s.list = append(s.list, token{k, value, at, s.at - s.start})
}

func (s *scanner) next() {
	c := s.script[s.at]
	rest := s.script[s.at:]
	switch {
	case c == '\n':
		if s.depth == 0 && len(s.list) > 0 && s.list[len(s.list)-1].kind != line {
			s.add(line, "\n", s.line)
		}
		s.at++
		s.line, s.start = s.line+1, s.at
	case c == '\\' && strings.HasPrefix(rest, "\\\n"):
		s.at += 2
		s.line++
	case c == ' ' || c == '\t' || c == '\r' || c == '\f':
		s.at++
	case c == '#':
		if k := strings.IndexByte(rest, '\n'); k >= 0 {
			s.at += k
		} else {
			s.at = len(s.script)
		}
	case c == '"' || c == '\'':
		s.quoted(0)
	case letter(c):
		s.word()
	case digit(c) || c == '.' && len(rest) > 1 && digit(rest[1]):
		n := 1
		for n < len(rest) && (letter(rest[n]) || digit(rest[n]) || rest[n] == '.' ||
			(rest[n] == '-' || rest[n] == '+') && (rest[n-1] == 'e' || rest[n-1] == 'E')) {
			n++
		}
		s.take(number, n)
	default:
		s.mark(rest)
	}
}

func (s *scanner) take(k kind, n int) {
	s.add(k, s.script[s.at:s.at+n], s.line)
	s.at += n
}

func (s *scanner) word() {
	rest := s.script[s.at:]
	n := 1
	for n < len(rest) && (letter(rest[n]) || digit(rest[n])) {
		n++
	}
	if n < len(rest) && n <= 2 && (rest[n] == '"' || rest[n] == '\'') &&
		strings.Trim(strings.ToLower(rest[:n]), "rbu") == "" {
		s.quoted(n)
		return
	}
	s.take(name, n)
}

func (s *scanner) mark(rest string) {
	for _, m := range marks {
		if strings.HasPrefix(rest, m) {
			s.take(mark, len(m))
			return
		}
	}
	switch rest[0] {
	case '(', '[', '{':
		s.depth++
	case ')', ']', '}':
		s.depth = max(0, s.depth-1)
	}
	_, n := utf8.DecodeRuneInString(rest)
	s.take(mark, n)
}

// escapes holds the escapes that stand for one character.
var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', '\\': '\\', '\'': '\'', '"': '"',
	'0': 0}

// quoted scans a quoted text after a prefix of n letters. A text without an end extends to the end
// of its line, or of the script.
func (s *scanner) quoted(n int) {
	raw := strings.ContainsAny(s.script[s.at:s.at+n], "rR")
	first, begin := s.at, s.line
	quote := s.script[s.at+n : s.at+n+1]
	if strings.HasPrefix(s.script[s.at+n:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	k := s.at + n + len(quote)
	var b strings.Builder
	for k < len(s.script) && !strings.HasPrefix(s.script[k:], quote) {
		c := s.script[k]
		if c == '\n' {
			if len(quote) == 1 {
				break
			}
			s.line++
		}
		if c == '\\' && k+1 < len(s.script) {
			k++
			if plain, known := escapes[s.script[k]]; known && !raw {
				c = plain
			} else if s.script[k] == '\n' {
				s.line++
				k++
				continue
			} else {
				b.WriteByte('\\')
				c = s.script[k]
			}
		}
		b.WriteByte(c)
		k++
	}
	s.list = append(s.list, token{text, b.String(), begin, first - s.start})
	if s.at = k; strings.HasPrefix(s.script[min(k, len(s.script)):], quote) {
		s.at += len(quote)
	}
}

func letter(c byte) bool { return c == '_' || c|32 >= 'a' && c|32 <= 'z' || c >= utf8.RuneSelf }
func digit(c byte) bool  { return c >= '0' && c <= '9' }
