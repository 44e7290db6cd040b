package xmltext

import (
	"maps"
	"slices"
	"strings"
)

// A document may declare entities in its own document type (XML 1.0, section 4.2). libxml2, on
// which most hosts of FMUs rely, replaces them. The text of an entity may refer to others, so a few
// declarations can expand to gigabytes; the bounds are taken from libxml2. Entities in other files
// are not read. All of this also applies to the defaults of attributes that the document type
// declares (section 3.3.2).
const (
	freeExpansion = 1 << 20 // bytes that entities may add to any document
	mostExpansion = 5       // times the size of a larger document that they may add
	referenceCost = 20      // bytes that are counted for each reference, even to an empty entity
	deepest       = 40      // depth of nested entities
)

// EntityError states why the entities of a document cannot be replaced.
type EntityError struct{ Found, Expected string }

// Error returns the whole error as a sentence.
func (e *EntityError) Error() string { return e.Found + ", expected " + e.Expected }

// expansion replaces the entities of a document.
type expansion struct {
	declared map[string]string
	defaults map[string][]attribute // of each element
	out      strings.Builder
	used     int // number of added bytes so far
	bound    int
}

// expanded returns a text in which the entities that its document type declares are replaced, and
// elements have the attributes for which it declares a default. If that is not possible, it also
// returns where in the text the reference or the element is.
func expanded(text string) (result string, at int, err error) {
	if !declares(text) {
		return text, 0, nil
	}
	x := &expansion{bound: max(freeExpansion, mostExpansion*len(text))}
	var end int
	x.declared, x.defaults, end = documentType(text)
	if len(x.declared) == 0 && len(x.defaults) == 0 {
		return text, 0, nil
	}
	x.out.WriteString(text[:end])
	if at, err = x.content(text[end:], 0); err != nil {
		return text, end + at, err
	}
	return x.out.String(), 0, nil
}

// Expanded returns a document in UTF-8 with everything in it that its document type declares: the
// texts of entities, and attributes with defaults. The result is text itself if it declares none.
// The error is an [*EntityError].
func Expanded(text []byte) ([]byte, error) {
	document := string(text)
	if !declares(document) {
		return text, nil
	}
	result, _, err := expanded(document)
	return []byte(result), err
}

// DefaultAttribute returns the first element, in alphabetical order, and its first attribute for
// which the document type of a document in UTF-8 declares a default. Without such a declaration, it
// returns empty names.
func DefaultAttribute(text []byte) (element, attribute string) {
	if document := string(text); declares(document) {
		_, defaults, _ := documentType(document)
		if elements := slices.Sorted(maps.Keys(defaults)); len(elements) > 0 {
			return elements[0], defaults[elements[0]][0].name
		}
	}
	return "", ""
}

func declares(text string) bool {
	return strings.Contains(text, "<!ENTITY") || strings.Contains(text, "<!ATTLIST")
}

// content replaces the entities in text and elements. With an error it also returns its offset.
func (x *expansion) content(text string, depth int) (at int, err error) {
	for at < len(text) {
		n := strings.IndexAny(text[at:], "<&")
		if n < 0 {
			n = len(text) - at
		}
		x.out.WriteString(text[at : at+n])
		if at += n; at == len(text) {
			break
		}
		if text[at] == '&' {
			n, err = x.reference(text[at:], depth, false)
		} else if n = literal(text[at:]); n > 0 {
			x.out.WriteString(text[at : at+n])
		} else {
			n, err = x.tag(text[at:], depth)
		}
		if at += n; err != nil {
			return at, err
		}
	}
	return at, nil
}

// literal returns the length of a comment, a processing instruction or a CDATA section.
func literal(text string) int {
	for _, kind := range [...]struct{ begin, end string }{{"<!--", "-->"}, {"<?", "?>"},
		{"<![CDATA[", "]]>"}} {
		if !strings.HasPrefix(text, kind.begin) {
			continue
		}
		if n := strings.Index(text[len(kind.begin):], kind.end); n >= 0 {
			return len(kind.begin) + n + len(kind.end)
		}
		return len(text)
	}
	return 0
}

// tag replaces the entities in the attributes of a tag, adds attributes with defaults, and returns
// its length.
func (x *expansion) tag(text string, depth int) (at int, err error) {
	for quote := byte(0); at < len(text); {
		c := text[at]
		if c == '&' && quote != 0 {
			n, err := x.reference(text[at:], depth, true)
			if at += n; err != nil {
				return at, err
			}
			continue
		}
		if quote == 0 && (strings.HasPrefix(text[at:], "/>") || c == '>' && text[at-1] != '/') {
			if err := x.addDefaults(text[:at], depth); err != nil {
				return at, err
			}
		}
		x.out.WriteByte(c)
		at++
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"', c == '\'':
			quote = c
		case c == '>':
			return at, nil
		}
	}
	return at, nil
}

// reference replaces a reference to a declared entity, and returns its length. Other references are
// left to the scanner.
func (x *expansion) reference(text string, depth int, quoted bool) (length int, err error) {
	name, rest := cutName(text[1:])
	value, is := x.declared[name]
	if !is || !strings.HasPrefix(rest, ";") {
		x.out.WriteByte('&')
		return 1, nil
	}
	x.used += len(value) + referenceCost
	switch {
	case depth == deepest:
		return 0, &EntityError{"the entity " + name + " in entities that refer to each other",
			"entities that end"}
	case x.used > x.bound:
		return 0, &EntityError{"the entity " + name + " in entities that stand for too much",
			"at most 1 MB, or 5 times the document"}
	case quoted:
		err = x.quoted(value, depth+1)
	default:
		_, err = x.content(value, depth+1)
	}
	if err != nil {
		return 0, err
	}
	return len(text) - len(rest) + len(";"), nil
}

// quoted replaces the entities in the value of an attribute, which no quotation mark of an entity
// ends (section 4.4.5).
func (x *expansion) quoted(value string, depth int) error {
	for at := 0; at < len(value); {
		switch c := value[at]; c {
		case '"':
			x.out.WriteString("&#34;")
		case '\'':
			x.out.WriteString("&#39;")
		case '&':
			n, err := x.reference(value[at:], depth, true)
			if err != nil {
				return err
			}
			at += n
			continue
		default:
			x.out.WriteByte(c)
		}
		at++
	}
	return nil
}

// documentType returns the entities and the attributes that the document type of a document
// declares, and the position at which it ends.
func documentType(text string) (declared map[string]string,
	defaults map[string][]attribute, end int) {
	rest := skipBlanks(text)
	for n := literal(rest); n > 0; n = literal(rest) {
		rest = skipBlanks(rest[n:])
	}
	inside, is := strings.CutPrefix(rest, "<!DOCTYPE")
	if !is {
		return nil, nil, 0
	}
	for inside != "" && inside[0] != '[' {
		if inside[0] == '>' {
			return nil, nil, 0
		}
		inside = afterQuoted(inside)
	}
	declared = map[string]string{}
	lists := attributes{map[[2]string]bool{}, map[string][]attribute{}}
	for inside = inside[min(1, len(inside)):]; inside != "" && inside[0] != ']'; {
		if n := literal(inside); n > 0 {
			inside = inside[n:]
			continue
		}
		if name, value, is := entityDeclared(inside); is {
			if _, before := declared[name]; !before { // the first one counts (section 4.2)
				declared[name] = value
			}
		}
		lists.declare(inside)
		inside = afterDeclaration(inside)
	}
	_, inside, _ = strings.Cut(inside, ">")
	return declared, lists.defaults, len(text) - len(inside)
}

// entityDeclared reads an entity declaration that contains the entity's text.
func entityDeclared(text string) (name, value string, is bool) {
	text, is = strings.CutPrefix(text, "<!ENTITY")
	if !is {
		return "", "", false
	}
	name, text = cutName(skipBlanks(text))
	text = skipBlanks(text)
	if name == "" || predefined[name] != 0 || text == "" || text[0] != '"' && text[0] != '\'' {
		return "", "", false
	}
	value, _, is = strings.Cut(text[1:], text[:1])
	return name, withCharacters(value), is
}

// withCharacters replaces character references, as XML requires for the text of an entity when it
// is declared. References to entities stay (section 4.4).
func withCharacters(text string) string {
	var b strings.Builder
	for text != "" {
		if strings.HasPrefix(text, "&#") {
			if c, n := entity(text); n > 0 {
				b.WriteRune(c)
				text = text[n:]
				continue
			}
		}
		b.WriteByte(text[0])
		text = text[1:]
	}
	return b.String()
}

// afterDeclaration returns the text after a declaration, or after a byte that does not begin one.
func afterDeclaration(text string) string {
	if text[0] != '<' {
		return text[1:]
	}
	for text != "" && text[0] != '>' {
		text = afterQuoted(text)
	}
	return text[min(1, len(text)):]
}

// afterQuoted returns the text after a quoted text, or after a byte that does not begin one.
func afterQuoted(text string) string {
	if text[0] == '"' || text[0] == '\'' {
		_, rest, _ := strings.Cut(text[1:], text[:1])
		return rest
	}
	return text[1:]
}
