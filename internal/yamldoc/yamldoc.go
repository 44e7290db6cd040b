// Package yamldoc holds rules for all YAML files that people write.
package yamldoc

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v3"

	"gosmp/internal/charset"
)

// Encoded returns an error if a document is in an encoding that this reader does not understand:
// UTF-32, or UTF-16 without a byte order mark.
func Encoded(text []byte) error {
	if bytes.HasPrefix(text, []byte("\xff\xfe")) || bytes.HasPrefix(text, []byte("\xfe\xff")) {
		if charset.Of(text) == "UTF-16" {
			return nil
		}
	}
	return charset.Check(text)
}

// The decimal numbers: whole numbers have no leading zero, because 010 is 8.
var (
	whole = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`)
	float = regexp.MustCompile(`^[-+]?(([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|` +
		`\.(inf|Inf|INF))$|^\.(nan|NaN|NAN)$`)
)

// Decimal returns an error for the first number that is not in decimal notation, except below some
// keys. YAML reads 0x10 as 16, 010 as 8, and 1_0 as 10, which is rarely what was meant.
func Decimal(n *yaml.Node, except ...string) error {
	switch n.Kind {
	case yaml.ScalarNode:
		tag := n.ShortTag()
		if tag == "!!int" && !whole.MatchString(n.Value) ||
			tag == "!!float" && !float.MatchString(n.Value) {
			return fmt.Errorf("line %d, column %d: found %s, expected a decimal number such as "+
				"10, or a text in quotes", n.Line, n.Column, n.Value)
		}
	case yaml.MappingNode:
		for k := 0; k+1 < len(n.Content); k += 2 {
			if slices.Contains(except, n.Content[k].Value) {
				continue
			}
			if err := Decimal(n.Content[k+1], except...); err != nil {
				return err
			}
		}
	default: // an alias has no content; its anchor is elsewhere in the document
		for _, part := range n.Content {
			if err := Decimal(part, except...); err != nil {
				return err
			}
		}
	}
	return nil
}
