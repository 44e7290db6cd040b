package scenario

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed grammar.txt
var grammarText string

// grammars holds the grammar of each version, which is read on first use.
var grammars = func() map[Version]func() *grammar {
	list := map[Version]func() *grammar{}
	for _, v := range Versions {
		list[v] = sync.OnceValue(func() *grammar { return readGrammar(v) })
	}
	return list
}()

// grammar returns the grammar of a version. Later versions of 1, and documents that state no
// version, get the grammar of the last known version.
func (v Version) grammar() *grammar {
	if read := grammars[v]; read != nil {
		return read()
	}
	return grammars[Versions[len(Versions)-1]]()
}

// readGrammar finds the definitions of a version. A definition is read when it is first needed,
// because a document uses few of them.
func readGrammar(v Version) *grammar {
	g := &grammar{types: map[string]func() *elementType{}, enums: map[string]func() []mark{}}
	version := v.String()
	for text := grammarText; text != ""; {
		var line string
		line, text = cutDefinition(text)
		if line == "" || line[0] == '#' {
			continue
		}
		name, rest, _ := strings.Cut(line, " ")
		since, rest, _ := strings.Cut(rest, " ")
		if version >= since {
			g.define(name, rest)
		}
	}
	return g
}

// cutDefinition separates the first definition, with its indented lines, from the others.
func cutDefinition(text string) (first, others string) {
	for k := 0; ; k++ {
		end := strings.IndexByte(text[k:], '\n')
		if end < 0 {
			return text, ""
		}
		if k += end; !strings.HasPrefix(text[k+1:], "  ") {
			return text[:k], text[k+1:]
		}
	}
}

func (g *grammar) define(name, rest string) {
	if words, is := strings.CutPrefix(rest, "enum "); is {
		g.enums[name] = sync.OnceValue(func() []mark { return readEnum(words) })
		return
	}
	g.types[name] = sync.OnceValue(func() *elementType { return readType(name, rest) })
}

func readEnum(words string) (values []mark) {
	for _, w := range strings.Fields(words) {
		n, deprecated := strings.CutSuffix(w, "!")
		values = append(values, mark{n, deprecated})
	}
	return values
}

func readType(name, definition string) *elementType {
	t := &elementType{name: name}
	attributes, content, _ := strings.Cut(definition, "=")
	for _, w := range strings.Fields(attributes) {
		n, kind, _ := strings.Cut(w, ":")
		if n == "text" && kind == "Text" {
			t.text = true
			continue
		}
		a := attributeType{}
		a.kind, a.deprecated = strings.CutSuffix(kind, "!")
		a.name, a.optional = strings.CutSuffix(n, "?")
		t.attributes = append(t.attributes, a)
	}
	if words := strings.Fields(content); len(words) > 0 {
		p := &particleParser{words: words}
		t.content = p.sequence("")
	}
	return t
}

// particleParser reads the notation of grammar.txt.
type particleParser struct {
	words []string
	next  int
}

// sequence reads particles up to their closing word.
func (p *particleParser) sequence(end string) *particle {
	s := &particle{form: sequence, min: 1, max: 1}
	for p.next < len(p.words) {
		word := p.words[p.next]
		p.next++
		switch {
		case end != "" && strings.HasPrefix(word, end):
			s.min, s.max = occurs(word[len(end):])
			return s
		case word == "|":
			s.form = choice
		case word == "&":
			s.form = anyOrder
		case word == "(":
			s.parts = append(s.parts, p.sequence(")"))
		default:
			s.parts = append(s.parts, element(word))
		}
	}
	return s
}

func element(word string) *particle {
	e := &particle{form: single}
	word, e.deprecated = strings.CutSuffix(word, "!")
	k := strings.IndexAny(word, "?*+{")
	if k < 0 {
		k = len(word)
	}
	e.min, e.max = occurs(word[k:])
	var typed bool
	if e.name, e.kind, typed = strings.Cut(word[:k], ":"); !typed {
		e.kind = e.name
	}
	return e
}

func occurs(text string) (low, high int) {
	switch text {
	case "?":
		return 0, 1
	case "*":
		return 0, unbounded
	case "+":
		return 1, unbounded
	case "{2,}":
		return 2, unbounded
	case "{3,}":
		return 3, unbounded
	default:
		return 1, 1
	}
}
