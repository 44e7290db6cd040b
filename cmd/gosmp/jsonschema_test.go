package main

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// jsonSchema has the keywords of JSON Schema that docs/check.schema.json uses.
type jsonSchema struct {
	Schema     string                 `json:"$schema"`
	Title      string                 `json:"title"`
	About      string                 `json:"description"`
	Ref        string                 `json:"$ref"`
	Type       string                 `json:"type"`
	Const      any                    `json:"const"`
	Enum       []any                  `json:"enum"`
	AnyOf      []*jsonSchema          `json:"anyOf"`
	Minimum    *float64               `json:"minimum"`
	MinLength  int                    `json:"minLength"`
	Items      *jsonSchema            `json:"items"`
	Required   []string               `json:"required"`
	Properties map[string]*jsonSchema `json:"properties"`
	Defs       map[string]*jsonSchema `json:"$defs"`
}

// problem describes why a value is not valid; it is empty if the value is valid.
func (s *jsonSchema) problem(root *jsonSchema, value any) string {
	if name, is := strings.CutPrefix(s.Ref, "#/$defs/"); is {
		return root.Defs[name].problem(root, value)
	}
	if len(s.AnyOf) > 0 && !slices.ContainsFunc(s.AnyOf, func(one *jsonSchema) bool {
		return one.problem(root, value) == ""
	}) {
		return s.AnyOf[len(s.AnyOf)-1].problem(root, value)
	}
	switch {
	case s.Type != "" && s.Type != typeOf(value) && (s.Type != "number" || typeOf(value) != "integer"):
		return fmt.Sprintf("found %v, expected the type %s", value, s.Type)
	case s.Const != nil && !reflect.DeepEqual(s.Const, value):
		return fmt.Sprintf("found %v, expected %v", value, s.Const)
	case s.Enum != nil && !slices.Contains(s.Enum, value):
		return fmt.Sprintf("found %v, expected one of %v", value, s.Enum)
	}
	switch x := value.(type) {
	case float64:
		if s.Minimum != nil && x < *s.Minimum {
			return fmt.Sprintf("found %v, expected at least %v", x, *s.Minimum)
		}
	case string:
		if len(x) < s.MinLength {
			return fmt.Sprintf("found %q, expected a longer text", x)
		}
	case []any:
		if s.Items == nil {
			return "found an array whose elements the schema does not describe"
		}
		for k, element := range x {
			if text := s.Items.problem(root, element); text != "" {
				return fmt.Sprintf("[%d]: %s", k, text)
			}
		}
	case map[string]any:
		return s.member(root, x)
	}
	return ""
}

// member describes the first member of an object that is missing or wrong.
func (s *jsonSchema) member(root *jsonSchema, object map[string]any) string {
	for _, name := range s.Required {
		if _, has := object[name]; !has {
			return "found no member " + name
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		of, known := s.Properties[name]
		switch {
		case known:
			if text := of.problem(root, object[name]); text != "" {
				return name + ": " + text
			}
		case s.Properties != nil: // later releases may add members; this one describes all of its own
			return "found the unknown member " + name
		}
	}
	return ""
}

// typeOf returns the name of a value's type in JSON Schema.
func typeOf(value any) string {
	switch x := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case float64:
		if x == float64(int64(x)) {
			return "integer"
		}
		return "number"
	}
	return "object"
}

// TestIsCheck_Documents checks that at least one document is expected.
func TestIsCheck_Documents(t *testing.T) {
	require.Error(t, isCheck(""))
}

// TestIsCheck_Refuses checks that documents that the schema does not describe are noticed.
func TestIsCheck_Refuses(t *testing.T) {
	const good = `{"formatVersion":1,"file":"a.fmu","kind":"fmu","passed":true,"recording":null,` +
		`"findings":[{"id":"FMI2-X1","severity":"note","place":{"line":3},"message":"m","count":1}]}`
	require.NoError(t, isCheck(good))
	for old, changed := range map[string]string{
		`"formatVersion":1`: `"formatVersion":2`, `"kind":"fmu"`: `"kind":"zip"`, `"line":3`: `"line":0`,
		`"passed":true,`: ``, `"count":1`: `"count":1.5`, `"note"`: `"error"`, `"m"`: `""`,
		`"recording":null`: `"recording":{}`, `"findings":`: `"examination":{},"findings":`,
		`"file"`: `"more":1,"file"`,
	} {
		require.Contains(t, good, old)
		require.Error(t, isCheck(strings.Replace(good, old, changed, 1)), changed)
	}
}
