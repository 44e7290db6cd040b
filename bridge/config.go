package bridge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/internal/fault"
)

// ErrConfig is the kind of errors about configurations.
var ErrConfig = errors.New("bad bridge configuration")

// Direction says where a message goes.
type Direction string

// Down is to the system under test, up is from it.
const (
	Down Direction = "down"
	Up   Direction = "up"
)

// Topic is a topic with the event that it stands for.
type Topic struct {
	Name      string
	Message   *Message
	Direction Direction
	Vehicle   string // sut or traffic
	Event     string
}

// Config is a bridge: what goes over which topic.
type Config struct {
	System      System
	Topics      []*Topic
	Definitions *Definitions
	Transport   Transport
}

// Transport is how bytes travel.
type Transport struct {
	Kind string // mcap or loopback
	Path string // of an MCAP file
}

// ReadConfig reads a configuration file. Folders of definitions are relative to it.
func ReadConfig(file string) (*Config, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return ParseConfig(file, b)
}

// ParseConfig reads the text of a configuration.
func ParseConfig(file string, text []byte) (*Config, error) {
	if len(text) > largestFile {
		return nil, &Error{Place: fault.Place{File: file}, Kind: ErrConfig, Found: fmt.Sprintf("%d bytes", len(text)), Expected: "at most 1 MiB"}
	}
	p := &parser{file: file, text: text, d: json.NewDecoder(bytes.NewReader(text))}
	root, err := p.value(0)
	if err == nil {
		if _, extra := p.d.Token(); !errors.Is(extra, io.EOF) {
			err = p.bad(p.d.InputOffset(), "more text", "nothing behind the configuration", "")
		}
	}
	if err != nil {
		return nil, err
	}
	return p.config(root)
}

// node is a JSON value with its place.
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

// bad is an error at an offset.
func (p *parser) bad(offset int64, found, expected, hint string) error {
	e := p.at(offset)
	e.Found, e.Expected, e.Hint = found, expected, hint
	return e
}

// because is an error with another one behind it.
func (p *parser) because(offset int64, found, expected string, cause error) error {
	e := p.at(offset)
	e.Found, e.Expected, e.Cause = found, expected, cause
	return e
}

func (p *parser) at(offset int64) *Error {
	before := p.text[:min(max(int(offset), 0), len(p.text))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n')
	return &Error{Place: fault.Place{File: p.file, Line: line, Column: column}, Kind: ErrConfig}
}

// start is where the next token begins.
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
	list := []member{}
	for p.d.More() {
		at := p.start()
		token, err := p.d.Token()
		name, is := token.(string)
		if err != nil || !is {
			return nil, p.bad(at, "something else", "a key in quotes", "")
		}
		if slices.ContainsFunc(list, func(m member) bool { return m.name == name }) {
			return nil, p.bad(at, fmt.Sprintf("a second %q", name), "each key once", "")
		}
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
			if m.name == "services" || m.name == "service" || m.name == "actions" || m.name == "action" {
				hint = "services and actions are not supported, only topics"
			}
			return nil, p.bad(m.at, fmt.Sprintf("key %q", m.name), "one of "+strings.Join(keys, ", "), hint)
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
		return "", p.bad(n.at, fmt.Sprintf("%v", shown(n)), what+": one of "+strings.Join(words, ", "), "")
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

// config reads the whole.
func (p *parser) config(root *node) (*Config, error) {
	keys, err := p.object(root, "a bridge configuration", "bridge", "system", "definitions", "messages", "transport")
	if err != nil {
		return nil, err
	}
	if version := keys["bridge"]; version == nil || version.value != any(float64(1)) {
		at := root.at
		if version != nil {
			at = version.at
		}
		return nil, p.bad(at, "another version", `"bridge": 1`, "")
	}
	system, err := p.choice(keys["system"], root.at, "system", string(ROS2), string(ROS1), string(DDS))
	if err != nil {
		return nil, err
	}
	c := &Config{System: System(system)}
	if c.Definitions, err = NewDefinitions(c.System); err != nil {
		return nil, err
	}
	folders, err := p.list(keys["definitions"], "definitions")
	if err != nil {
		return nil, err
	}
	for _, n := range folders {
		dir, err := p.string(n, n.at, "a folder")
		if err != nil {
			return nil, err
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(p.file), dir)
		}
		if err := c.Definitions.AddFolder(dir); err != nil {
			return nil, err
		}
	}
	if err := p.rest(c, keys); err != nil {
		return nil, err
	}
	return c, nil
}

// rest reads messages and transport.
func (p *parser) rest(c *Config, keys map[string]*node) error {
	messages, err := p.list(keys["messages"], "messages")
	if err != nil {
		return err
	}
	for _, n := range messages {
		if err := p.topic(c, n); err != nil {
			return err
		}
	}
	c.Transport.Kind = "loopback"
	if n := keys["transport"]; n != nil {
		return p.transport(&c.Transport, n)
	}
	return nil
}

func (p *parser) topic(c *Config, n *node) (err error) {
	keys, err := p.object(n, "a message", "topic", "type", "direction", "vehicle", "event")
	if err != nil {
		return err
	}
	t := &Topic{}
	if t.Name, err = p.string(keys["topic"], n.at, "topic"); err != nil {
		return err
	}
	name, err := p.string(keys["type"], n.at, "type")
	if err != nil {
		return err
	}
	if strings.Contains(name, "/srv/") || strings.Contains(name, "/action/") {
		return p.bad(keys["type"].at, fmt.Sprintf("%q", name), "a message type", "services and actions are not supported, only topics")
	}
	if t.Message, err = c.Definitions.Message(name); err != nil {
		return p.because(keys["type"].at, fmt.Sprintf("%q", name), "a type that can be carried", err)
	}
	direction, err := p.choice(keys["direction"], n.at, "direction", string(Down), string(Up))
	if err != nil {
		return err
	}
	t.Direction = Direction(direction)
	if t.Vehicle, err = p.choice(keys["vehicle"], n.at, "vehicle", "sut", "traffic"); err != nil {
		return err
	}
	if t.Event, err = p.string(keys["event"], n.at, "event"); err != nil {
		return err
	}
	if !wordPattern.MatchString(t.Event) {
		return p.bad(keys["event"].at, fmt.Sprintf("%q", t.Event), "a name of letters, digits and underscores", "")
	}
	for _, other := range c.Topics {
		switch {
		case other.Name == t.Name && other.Message != t.Message:
			return p.bad(keys["type"].at, fmt.Sprintf("topic %q with type %s", t.Name, t.Message.Name), other.Message.Name+", which it has above", "")
		case other.Name == t.Name && other.Direction == t.Direction, other.Event == t.Event:
			return p.bad(n.at, fmt.Sprintf("topic %q, event %q", t.Name, t.Event), "each topic once for each direction, and each event once", "")
		}
	}
	c.Topics = append(c.Topics, t)
	return nil
}

func (p *parser) transport(t *Transport, n *node) (err error) {
	keys, err := p.object(n, "a transport", "kind", "path")
	if err != nil {
		return err
	}
	if t.Kind, err = p.choice(keys["kind"], n.at, "kind", "loopback", "mcap"); err != nil {
		return err
	}
	switch {
	case t.Kind == "mcap":
		t.Path, err = p.string(keys["path"], n.at, "path")
		return err
	case keys["path"] != nil:
		return p.bad(keys["path"].at, "path", "no path for transport "+t.Kind, "")
	}
	return nil
}

// Topic finds a topic by its name and direction.
func (c *Config) Topic(name string, d Direction) *Topic {
	for _, t := range c.Topics {
		if t.Name == name && t.Direction == d {
			return t
		}
	}
	return nil
}
