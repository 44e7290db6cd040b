package check

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"gosmp/fmi"
)

// The grammars describe which elements and attributes a document may have. A line has the form
//
//	element attributes > elements in it
//
// An attribute is a name, followed by ! if it is required, :type if it is not a text, and * for a
// list. Elements are listed in order, with ?, * or + for the number of occurrences, and with |
// between alternatives. Tag=Definition means that an element with this tag is defined on the line
// of Definition. "any" allows any content, "text" a text, "foreign" attributes of other namespaces.
// A line that begins with @ lists attributes that several elements share.
//
//go:embed grammar/*.txt
var grammarFiles embed.FS

// grammar describes the documents of a version: its elements, keyed by the names of their
// definitions.
type grammar map[string]*element

// element describes the content of an element.
type element struct {
	attributes map[string]attribute
	particles  []particle
	any, text  bool     // any content; text
	foreign    bool     // whether attributes of other namespaces are allowed
	needed     []string // required attributes, sorted by name
}

// attribute describes the required spelling of an attribute value.
type attribute struct {
	required bool
	list     bool
	kind     string   // "" for a text
	words    []string // allowed values
}

// particle is a part of a sequence: its definitions by tag.
type particle struct {
	tags     []string
	defined  map[string]string
	required bool // at least once
	repeated bool // more than once
}

// grammars are read once per version.
var grammars = [...]func() grammar{
	fmi.FMI1: sync.OnceValue(func() grammar { return readGrammar("grammar/fmi1.txt") }),
	fmi.FMI2: sync.OnceValue(func() grammar { return readGrammar("grammar/fmi2.txt") }),
	fmi.FMI3: sync.OnceValue(func() grammar { return readGrammar("grammar/fmi3.txt") }),
}

// readGrammar reads one of the embedded grammars.
func readGrammar(name string) grammar {
	text, err := grammarFiles.ReadFile(name)
	if err != nil {
		panic(fmt.Sprintf("grammar %s: %v", name, err)) // it is embedded
	}
	g, groups := grammar{}, map[string][]string{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if strings.HasPrefix(words[0], "@") {
			groups[words[0]] = words[1:]
			continue
		}
		g[words[0]] = readElement(words[1:], groups)
	}
	return g
}

func readElement(words []string, groups map[string][]string) *element {
	e := &element{attributes: map[string]attribute{}}
	end := slices.Index(words, ">")
	for _, word := range words[:end] {
		for _, one := range append(groups[word], word) {
			if one == "foreign" {
				e.foreign = true
			} else if !strings.HasPrefix(one, "@") {
				name, a := readAttribute(one)
				e.attributes[name] = a
			}
		}
	}
	for _, name := range e.names() {
		if e.attributes[name].required {
			e.needed = append(e.needed, name)
		}
	}
	for _, word := range words[end+1:] {
		switch word {
		case "any":
			e.any = true
		case "text":
			e.text = true
		default:
			e.particles = append(e.particles, readParticle(word))
		}
	}
	return e
}

func readAttribute(text string) (string, attribute) {
	name, kind, _ := strings.Cut(text, ":")
	name, required := strings.CutSuffix(name, "!")
	kind, list := strings.CutSuffix(kind, "*")
	a := attribute{required: required, list: list, kind: kind}
	if strings.Contains(kind, "|") {
		a.words, a.kind = strings.Split(kind, "|"), ""
	}
	return name, a
}

func readParticle(text string) particle {
	p := particle{required: !strings.ContainsAny(text[len(text)-1:], "?*"),
		repeated: strings.ContainsAny(text[len(text)-1:], "*+"), defined: map[string]string{}}
	for one := range strings.SplitSeq(strings.TrimRight(text, "?*+"), "|") {
		tag, definition, other := strings.Cut(one, "=")
		if !other {
			definition = tag
		}
		p.tags, p.defined[tag] = append(p.tags, tag), definition
	}
	return p
}

// find returns the first particle, starting at a position in the sequence, that allows the given
// tag, or -1.
func (e *element) find(tag string, from int) int {
	for k := from; k < len(e.particles); k++ {
		if _, is := e.particles[k].defined[tag]; is {
			return k
		}
	}
	return -1
}

// tags returns the tags of all elements that the element may contain.
func (e *element) tags() (list []string) {
	for _, p := range e.particles {
		list = append(list, p.tags...)
	}
	return list
}

// names returns the names of all attributes that the element may have.
func (e *element) names() []string { return slices.Sorted(maps.Keys(e.attributes)) }

// kinds are the types of attributes whose values are spelled like variable values.
var kinds = map[string]fmi.Type{
	"boolean": fmi.Boolean, "float32": fmi.Float32, "float64": fmi.Float64, "int8": fmi.Int8,
	"uint8": fmi.UInt8, "int16": fmi.Int16, "uint16": fmi.UInt16, "int32": fmi.Int32,
	"uint32": fmi.UInt32, "int64": fmi.Int64, "uint64": fmi.UInt64, "binary": fmi.Binary,
}
