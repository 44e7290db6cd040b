package main

import (
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"gosmp/importer"
)

// newParser returns a parser for all commands.
func newParser() *kong.Kong { return parserOf(&line{}) }

// parserFor returns a parser for a command line. If the line starts with the name of a command, the
// parser does not know the other commands, because building their parsers takes longer than many
// commands.
func parserFor(words []string) *kong.Kong { return parserOf(grammarFor(words)) }

// grammarFor returns a pointer to a struct with the fields of line that a command line needs.
func grammarFor(words []string) any {
	all := reflect.TypeFor[line]()
	if len(words) == 0 {
		return &line{}
	}
	fields := []reflect.StructField{all.Field(0)} // the flags of all commands
	if words[0] != "--version" {
		f, found := all.FieldByNameFunc(func(name string) bool {
			f, _ := all.FieldByName(name)
			command := nameOfCommand(f)
			return command != "" && command == words[0] // an empty word is no command
		})
		if !found {
			return &line{}
		}
		fields = append(fields, f)
	}
	for k := range fields {
		fields[k].Index, fields[k].Offset = nil, 0
	}
	return reflect.New(reflect.StructOf(fields)).Interface()
}

// nameOfCommand returns the parser's name for a command, or "" for any other field.
func nameOfCommand(f reflect.StructField) string {
	if _, is := f.Tag.Lookup("cmd"); !is {
		return ""
	}
	if name := f.Tag.Get("name"); name != "" {
		return name
	}
	return strings.ToLower(f.Name)
}

func parserOf(grammar any, more ...kong.Option) *kong.Kong {
	t := texts{vars: variables()}
	k := kong.Must(grammar, slices.Concat([]kong.Option{
		kong.Name("gosmp"),
		kong.Description("Recordings, OSI messages and OSMP FMUs."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Help(helpPrinter),
		kong.PostBuild(func(k *kong.Kong) error { return t.fill(k.Model.Node) }),
	}, numbers(), more)...)
	t.restore()
	k.FatalIfErrorf(t.vars.Apply(k)) // for --version
	return k
}

// parsers maps the first word of a command line to the parser for it. A session keeps parsers,
// because building one takes longer than a short run.
type parsers map[string]*parser

type parser struct {
	*kong.Kong
	grammar reflect.Value
	quick   *quick // nil without
}

// exited ends a command line that only prints help or versions.
type exited struct{ code int }

// execute executes a command line and returns its exit code.
func (all parsers) execute(words []string, r *importer.Reserve) (code int) {
	defer func() {
		ended := recover()
		if e, is := ended.(exited); is {
			code = e.code
		} else if ended != nil {
			panic(ended)
		}
	}()
	words = inFull(words)
	p := all[words[0]]
	if p == nil {
		grammar := grammarFor(words)
		p = &parser{Kong: parserOf(grammar, kong.Exit(func(code int) { panic(exited{code}) })),
			grammar: reflect.ValueOf(grammar).Elem()}
		if _, every := grammar.(*line); !every { // otherwise the first word need not be a command
			all[words[0]] = p
			p.quick = newQuick(p.Kong, p.grammar, words[0])
		}
	}
	if p.quick != nil && p.quick.parse(words) {
		return executeCommand(p.quick.command, nil, r)
	}
	p.grammar.SetZero() // the parser sets the defaults
	return executeLine(p.Kong, words, r)
}
