package main

import (
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// quick parses the usual command lines of one command: its files, and flags by their full names. It
// leaves all others to kong, including command lines with errors. kong resets and visits all flags
// and looks for their hooks, which takes longer than a short run of a small FMU; quick only touches
// the flags that are given, and each value is still parsed by kong.
type quick struct {
	command *kong.Context // with the command selected
	node    *kong.Node
	flags   map[string]*kong.Flag
	grammar reflect.Value
	clean   reflect.Value // the grammar without a command line, with its defaults
}

// newQuick returns the quick parser of a command, or nil if the command has none.
func newQuick(parser *kong.Kong, grammar reflect.Value, name string) *quick {
	trace, err := kong.Trace(parser, []string{name})
	if err != nil {
		return nil
	}
	node := trace.Selected()
	if node == nil || node.Parent != parser.Model.Node || len(node.Children) > 0 ||
		trace.Reset() != nil {
		return nil
	}
	q := &quick{node: node, flags: map[string]*kong.Flag{}, grammar: grammar,
		clean: reflect.New(grammar.Type()).Elem()}
	q.clean.Set(grammar)
	for _, f := range node.Flags {
		if len(f.Xor)+len(f.And)+len(f.Aliases) == 0 && f.Tag.Negatable == "" {
			q.flags[f.Name] = f
		}
	}
	q.command = &kong.Context{Kong: parser, Path: []*kong.Path{
		{App: parser.Model, Flags: parser.Model.Flags},
		{Parent: parser.Model.Node, Command: node, Flags: node.Flags},
	}}
	return q
}

// parse fills in the grammar, and reports whether it could.
func (q *quick) parse(words []string) bool {
	q.grammar.Set(q.clean)
	given := map[string]bool{}
	var files []string
	ended := false // no more files may follow
	for k := 1; k < len(words); k++ {
		word := words[k]
		if !strings.HasPrefix(word, "-") {
			if ended {
				return false
			}
			files = append(files, word)
			continue
		}
		ended = len(files) > 0
		name, value, has := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		flag := q.flags[name]
		if flag == nil || !strings.HasPrefix(word, "--") {
			return false
		}
		if !has && !flag.IsBool() {
			if k++; k == len(words) || strings.HasPrefix(words[k], "-") {
				return false
			}
			value, has = words[k], true
		}
		if !q.set(flag, value, has, given[name]) {
			return false
		}
		given[name] = true
	}
	for _, f := range q.node.Flags {
		if f.Required && !given[f.Name] {
			return false
		}
	}
	return q.setFiles(files)
}

// set gives a flag a value. again means that the same command line has already set the flag.
func (q *quick) set(flag *kong.Flag, value string, has, again bool) bool {
	if !again {
		flag.Target.SetZero()
		if flag.Target.Kind() == reflect.Slice {
			// as in kong, it is given, although it may stay empty
			flag.Target.Set(reflect.MakeSlice(flag.Target.Type(), 0, 0))
		}
	}
	var tokens []kong.Token
	if has {
		tokens = []kong.Token{{Value: value, Type: kong.FlagValueToken}}
	}
	flag.Active, flag.Set = true, again // so that kong checks whether files exist
	if flag.Parse(kong.ScanFromTokens(tokens...), flag.Target) != nil {
		return false
	}
	return flag.Enum == "" || slices.Contains(flag.EnumSlice(), value)
}

// setFiles gives the only argument of the command its values.
func (q *quick) setFiles(files []string) bool {
	if len(q.node.Positional) != 1 || len(files) == 0 {
		return false
	}
	argument := q.node.Positional[0]
	if len(files) > 1 && !argument.IsCumulative() || argument.Enum != "" {
		return false
	}
	tokens := make([]kong.Token, len(files))
	for k, name := range files {
		tokens[k] = kong.Token{Value: name, Type: kong.PositionalArgumentToken}
	}
	argument.Active, argument.Set = true, false
	return argument.Parse(kong.ScanFromTokens(tokens...), argument.Target) == nil
}
