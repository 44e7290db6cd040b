package scenario

import "strings"

// scan reads the next token: a name, with its $, a number, or one character.
func (e *evaluator) scan() {
	for e.next < len(e.text) && strings.IndexByte(" \t\r\n", e.text[e.next]) >= 0 {
		e.next++
	}
	e.at = e.next
	rest := e.text[e.next:]
	n := 0
	switch c := first(rest); {
	case rest == "":
	case c == '$' || c == '_' || isLetter(rune(c)):
		n = 1
		for n < len(rest) && (rest[n] == '_' || isLetter(rune(rest[n])) || isDigit(rest[n])) {
			n++
		}
	case isDigit(c) || c == '.':
		n = numberLength(rest)
	default:
		n = 1
	}
	e.token = rest[:n]
	e.next += n
}

func first(text string) byte {
	if text == "" {
		return 0
	}
	return text[0]
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// numberLength returns the length of the number at the start of a text: digits, a decimal point, an
// exponent.
func numberLength(text string) int {
	n := 0
	for n < len(text) && (isDigit(text[n]) || text[n] == '.') {
		n++
	}
	if n < len(text) && (text[n] == 'e' || text[n] == 'E') {
		k := n + 1
		if k < len(text) && (text[k] == '+' || text[k] == '-') {
			k++
		}
		if k < len(text) && isDigit(text[k]) {
			for n = k; n < len(text) && isDigit(text[n]); n++ {
			}
		}
	}
	return n
}

func isWord(token string) bool {
	c := first(token)
	return c == '_' || isLetter(rune(c))
}
