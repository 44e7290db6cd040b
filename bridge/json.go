package bridge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gosmp/internal/fault"
)

// node is a JSON value with its position.
type node struct {
	at    int64
	value any // string, json.Number, bool, nil, []*node or members
}

type member struct {
	name string
	at   int64
	node *node
}

type parser struct {
	file string
	text []byte
	d    *json.Decoder
}

// bad returns an error at an offset.
func (p *parser) bad(offset int64, found, expected, hint string) error {
	e := p.at(offset)
	e.Found, e.Expected, e.Hint = found, expected, hint
	return e
}

// because returns an error with another error as its cause.
func (p *parser) because(offset int64, found, expected string, cause error) error {
	e := p.at(offset)
	e.Found, e.Expected, e.Cause = found, expected, cause
	return e
}

func (p *parser) at(offset int64) *Error {
	before := p.text[:min(max(int(offset), 0), len(p.text))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return fault.New(ErrConfig, fault.Place{File: p.file, Line: line, Column: column}, "", "")
}

// start returns the start of the next token.
func (p *parser) start() int64 {
	at := p.d.InputOffset()
	for at < int64(len(p.text)) && strings.IndexByte(" \t\r\n,:", p.text[at]) >= 0 {
		at++
	}
	return at
}

// value reads any JSON value.
func (p *parser) value(depth int) (*node, error) {
	n := &node{at: p.start()}
	token, err := p.d.Token()
	if err != nil || depth > deepest {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, p.bad(syntax.Offset-1, syntax.Error(), "JSON", "")
		}
		return nil, p.bad(n.at, "the end of the file, or too many brackets", "JSON", "")
	}
	delim, is := token.(json.Delim)
	if !is {
		n.value = token
		return n, nil
	}
	if delim == '[' {
		list := []*node{}
		for p.d.More() {
			one, err := p.value(depth + 1)
			if err != nil {
				return nil, err
			}
			list = append(list, one)
		}
		n.value = list
	} else if n.value, err = p.members(depth); err != nil {
		return nil, err
	}
	if _, err := p.d.Token(); err != nil {
		return nil, p.bad(p.start(), "the end of the file", "a closing bracket", "")
	}
	return n, nil
}

func (p *parser) members(depth int) ([]member, error) {
	list, seen := []member{}, map[string]bool{}
	for p.d.More() {
		at := p.start()
		token, err := p.d.Token()
		name, is := token.(string)
		if err != nil || !is {
			return nil, p.bad(at, "something else", "a key in quotes", "")
		}
		if seen[name] {
			return nil, p.bad(at, fmt.Sprintf("a second %q", name), "each key once", "")
		}
		seen[name] = true
		one, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, member{name, at, one})
	}
	return list, nil
}

// object checks that a node is an object with known keys, and returns them.
func (p *parser) object(n *node, what string, keys ...string) (map[string]*node, error) {
	list, is := n.value.([]member)
	if !is {
		return nil, p.bad(n.at, "something else", what+", an object", "")
	}
	found := map[string]*node{}
	for _, m := range list {
		if !slices.Contains(keys, m.name) {
			hint := ""
			if m.name == "services" || m.name == "service" || m.name == "actions" ||
				m.name == "action" {
				hint = "services and actions are not supported, only topics"
			}
			return nil, p.bad(m.at, fmt.Sprintf("key %q", m.name), "one of "+strings.Join(keys,
				", "), hint)
		}
		found[m.name] = m.node
	}
	return found, nil
}

// choice reads a string that is one of several.
func (p *parser) choice(n *node, at int64, what string, words ...string) (string, error) {
	if n == nil {
		return "", p.bad(at, "no "+what, what+": one of "+strings.Join(words, ", "), "")
	}
	text, is := n.value.(string)
	if !is || !slices.Contains(words, text) {
		return "", p.bad(n.at, fmt.Sprintf("%v", shown(n)), what+": one of "+strings.Join(words,
			", "), "")
	}
	return text, nil
}

func shown(n *node) string {
	switch v := n.value.(type) {
	case string:
		return fmt.Sprintf("%q", v)
	case []*node:
		return "a list"
	case []member:
		return "an object"
	default:
		return fmt.Sprint(v)
	}
}

// string reads a string that is not empty.
func (p *parser) string(n *node, at int64, what string) (string, error) {
	if n == nil {
		return "", p.bad(at, "no "+what, what, "")
	}
	text, is := n.value.(string)
	if !is || text == "" {
		return "", p.bad(n.at, shown(n), what+", a text", "")
	}
	return text, nil
}

// list reads an array.
func (p *parser) list(n *node, what string) ([]*node, error) {
	if n == nil {
		return nil, nil
	}
	list, is := n.value.([]*node)
	if !is {
		return nil, p.bad(n.at, shown(n), what+", a list", "")
	}
	return list, nil
}
