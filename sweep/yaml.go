package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"gosmp/internal/fault"
)

// lineOf finds the line in an error of the YAML reader, or the line and the column in an error of
// the same form.
var lineOf = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:yaml: )?(?:unmarshal errors:\s+)?` +
		`line (\d+)(?:, column (\d+))?: (.*)`)
})

// fromZero finds the errors of the YAML reader that count lines from 0 and omit line 0, which are
// its parser errors.
var fromZero = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^did not find expected (key|'-' indicator|',' or '[]}]'|node content|<document ` +
			`start>)$|^found undefined tag handle$`)
})

// kindOf matches YAML reader errors about a different kind of value.
var kindOf = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("^cannot unmarshal !!(\\w+)(?: `(.*)`)? into (\\S+)$")
})

// unreadable converts an error of the YAML reader, with the first line that it names.
func unreadable(name string, err error) *Error {
	e := fault.Wrap(ErrPlan, fault.In(name), err)
	text := err.Error()
	if rest := strings.TrimPrefix(text, "yaml: "); fromZero().MatchString(rest) {
		text = "line 0: " + rest
	}
	m := lineOf().FindStringSubmatch(text)
	if m == nil {
		return e
	}
	e.Place.Line, _ = strconv.Atoi(m[1])   // the group matches digits only
	e.Place.Column, _ = strconv.Atoi(m[2]) // 0 if there is none
	if fromZero().MatchString(m[3]) {
		e.Place.Line++
	}
	e.Cause = errors.New(m[3])
	if k := kindOf().FindStringSubmatch(m[3]); k != nil {
		e.Cause, e.Found, e.Expected = nil, foundKind(k[1], k[2]), expectedKind(k[3])
	}
	return e
}

// columnIn returns the column of the first value in a line that begins as an error of the YAML
// reader quotes it, or of the first value in this line, or 0.
func columnIn(n *yaml.Node, line int, quoted string) int {
	quoted, _, _ = strings.Cut(strings.Trim(quoted, `"`), "...")
	first, found := 0, 0
	var visit func(n *yaml.Node)
	visit = func(n *yaml.Node) {
		if n.Line == line {
			first = cmp.Or(first, n.Column)
			if n.Kind == yaml.ScalarNode && quoted != "" && strings.HasPrefix(n.Value, quoted) {
				found = cmp.Or(found, n.Column)
			}
		}
		for _, child := range n.Content {
			visit(child)
		}
	}
	visit(n)
	return cmp.Or(found, first)
}

func foundKind(tag, text string) string {
	switch tag {
	case "seq":
		return "a list"
	case "map":
		return "keys"
	}
	return strconv.Quote(text)
}

// expectedKind describes a type of the plan.
func expectedKind(of string) string {
	switch {
	case strings.HasPrefix(of, "[]"):
		return "a list in brackets, or with a - before each line"
	case of == "string":
		return "a text"
	case strings.HasPrefix(of, "float"):
		return "a number"
	case strings.HasPrefix(of, "int"), strings.HasPrefix(of, "uint"):
		return "a whole number"
	}
	return "keys with values"
}

func keysOf(of reflect.Type) (keys []string, types []reflect.Type) {
	for _, f := range reflect.VisibleFields(of) {
		if key := f.Tag.Get("yaml"); key != "" && key != "-" {
			keys, types = append(keys, key), append(types, f.Type)
		}
	}
	return keys, types
}

// known refuses keys that do not exist in a struct or in a struct nested in it.
func known(n *yaml.Node, of any) error { return knownBy(n, reflect.TypeOf(of)) }

func knownBy(n *yaml.Node, of reflect.Type) error {
	n = meant(n)
	keys, types := keysOf(of)
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d, column %d: found %s, expected keys such as %s", n.Line,
			n.Column, shown(n), strings.Join(keys, ", "))
	}
	for k := 0; k < len(n.Content); k += 2 {
		key, value := n.Content[k], n.Content[k+1]
		number := slices.Index(keys, key.Value)
		if number < 0 {
			return fmt.Errorf("line %d, column %d: found the key %q, expected one of %s", key.Line,
				key.Column, key.Value, strings.Join(keys, ", "))
		}
		if err := cmp.Or(exact(key, value, types[number]), knownWithin(value,
			types[number])); err != nil {
			return err
		}
	}
	return nil
}

// meant returns the node that an alias refers to, or otherwise the node itself.
func meant(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// shown returns the text of a node for an error.
func shown(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Kind == yaml.MappingNode:
		return "keys"
	case n.ShortTag() == "!!null":
		return "nothing"
	}
	return strconv.Quote(n.Value)
}

// exact refuses values that would be decoded as different ones: for example a missing value as the
// default, 2.5 as 2, or a whole number that is too large as a nearby one.
func exact(key, n *yaml.Node, of reflect.Type) error {
	n = meant(n)
	if n.ShortTag() == "!!null" {
		return fmt.Errorf("line %d, column %d: found %s without a value, expected one", key.Line,
			key.Column, key.Value)
	}
	if of.Kind() == reflect.Int || of.Kind() == reflect.Uint64 {
		if x, err := strconv.ParseFloat(n.Value, 64); n.ShortTag() == "!!float" && (err != nil ||
			x != math.Trunc(x) || math.Abs(x) > largest) {
			return fmt.Errorf("line %d, column %d: found %s %s, expected a whole number", n.Line,
				n.Column, key.Value, n.Value)
		}
	}
	return nil
}

// knownWithin is like knownBy for a value that may be a struct or a list of structs. Values of
// other forms are refused when they are decoded.
func knownWithin(n *yaml.Node, of reflect.Type) error {
	switch {
	case of.Kind() == reflect.Pointer && of.Elem().Kind() == reflect.Struct:
		return knownBy(n, of.Elem())
	case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Struct &&
		meant(n).Kind == yaml.SequenceNode:
		for _, each := range meant(n).Content {
			if err := knownBy(each, of.Elem()); err != nil {
				return err
			}
		}
	}
	return nil
}
