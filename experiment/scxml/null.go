package scxml

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const nullName = "null"

// nullLanguage is the data model null of appendix B.1: its only expression is In('id').
type nullLanguage struct{}

type nullModel struct{ environment Environment }

var errNoData = errors.New(`the data model "null" has no data`)

// Null is the data model null.
var Null Language = nullLanguage{}

func (nullLanguage) Name() string { return nullName }

// Compile turns In('id'), In("id") or In(id) into the id.
func (nullLanguage) Compile(role Role, text string) (Code, error) {
	if role != Condition {
		return nil, &CompileError{Position{1, 1}, errNoData.Error()}
	}
	inner, ok := strings.CutPrefix(strings.TrimSpace(text), "In")
	inner = strings.TrimSpace(inner)
	if !ok || len(inner) < 2 || inner[0] != '(' || inner[len(inner)-1] != ')' {
		return nil, &CompileError{Position{1, 1},
			fmt.Sprintf(`the data model "null" supports only In('id'), found %s`, quoteShort(text))}
	}
	id := strings.TrimSpace(inner[1 : len(inner)-1])
	if n := len(id); n > 1 && (id[0] == '\'' || id[0] == '"') && id[n-1] == id[0] {
		id = id[1 : n-1]
	}
	if id == "" || strings.ContainsAny(id, "'\"() \t\r\n") {
		return nil, &CompileError{Position{1, 1}, fmt.Sprintf("In() takes one id, found %s",
			quoteShort(text))}
	}
	return id, nil
}

// Facts implements Analyzer.
func (nullLanguage) Facts(c Code) Facts { return Facts{States: []string{c.(string)}} }

func (nullLanguage) New(e Environment) Model { return nullModel{e} }

func (m nullModel) Bool(cond Code) (bool, error) { return m.environment.In(cond.(string)), nil }

func (nullModel) Declare(Code) error                         { return errNoData }
func (nullModel) Value(Code) (Value, error)                  { return Value{}, errNoData }
func (nullModel) Text(Code) (string, error)                  { return "", errNoData }
func (nullModel) Assign(Code, Code) error                    { return errNoData }
func (nullModel) Set(Code, Value) error                      { return errNoData }
func (nullModel) ForEach(_, _, _ Code, _ func() error) error { return errNoData }
func (nullModel) Run(Code) error                             { return errNoData }
func (nullModel) EventChanged()                              {}
func (nullModel) Ready()                                     {}
func (nullModel) Save() ([]byte, error)                      { return nil, nil }
func (nullModel) Restore([]byte) error                       { return nil }
func sortedKeys[V any](m map[string]V) []string              { return slices.Sorted(maps.Keys(m)) }
