package fmi

import "strings"

// The checks of names do not use regular expressions, because every FMU core checks the names of
// all its variables when it is loaded. Compiling and running a regular expression takes thirty
// times as long.

// IsStructuredName reports whether name follows the structured naming convention (FMI 2.0, 2.2.9;
// FMI 3.0, 2.4.7): identifiers or quoted names with optional indices, joined by dots. The whole
// name may be a derivative: der(name) or der(name,order).
func IsStructuredName(name string) bool {
	rest, derivative := strings.CutPrefix(name, "der(")
	if rest = cutPath(rest); !derivative {
		return rest == "" && name != ""
	}
	if order, is := strings.CutPrefix(rest, ","); is {
		digits := cutDigits(order)
		if digits == order {
			return false
		}
		rest = digits
	}
	return rest == ")"
}

// failed is the rest that the cut functions return if a part of a name is malformed. No valid name
// contains it.
const failed = "\x00"

// cutPath removes leading elements separated by dots.
func cutPath(s string) (rest string) {
	for {
		if s = cutElement(s); s == "" || s[0] != '.' {
			return s
		}
		s = s[1:]
	}
}

// cutElement removes a leading identifier or quoted name, and its indices.
func cutElement(s string) (rest string) {
	if strings.HasPrefix(s, "'") {
		rest = cutQuoted(s)
	} else {
		rest = cutIdentifier(s)
	}
	if rest == s {
		return failed
	}
	if indices, indexed := strings.CutPrefix(rest, "["); indexed {
		return cutIndices(indices)
	}
	return rest
}

// cutIndices removes numbers separated by commas, and the closing bracket.
func cutIndices(s string) (rest string) {
	for {
		rest = cutDigits(s)
		if rest == s || rest == "" {
			return failed
		}
		s = rest[1:]
		switch rest[0] {
		case ']':
			return s
		case ',':
		default:
			return failed
		}
	}
}

func cutDigits(s string) (rest string) { return strings.TrimLeft(s, "0123456789") }

// cutQuoted removes a text between two single quotes, which are part of the name.
func cutQuoted(s string) (rest string) {
	for k := 1; k < len(s); k++ {
		switch c := s[k]; {
		case c == '\'' && k > 1:
			return s[k+1:]
		case c == '\\' && k+1 < len(s) && strings.IndexByte(`'"?\abfnrtv`, s[k+1]) >= 0:
			k++
		case !isLetter(c) && !isDigit(c) && strings.IndexByte("!#$%&()*+,-./:;<>=?@[]^{}|~ ",
			c) < 0:
			return failed
		}
	}
	return failed
}

func cutIdentifier(s string) (rest string) {
	k := 0
	for k < len(s) && (isLetter(s[k]) || k > 0 && isDigit(s[k])) {
		k++
	}
	return s[k:]
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsIdentifier reports whether name is a C identifier, which a modelIdentifier must be.
func IsIdentifier(name string) bool { return name != "" && cutIdentifier(name) == "" }
