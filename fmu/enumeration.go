package fmu

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gosmp/fmi"
)

// Enumeration is a type whose values have names. All variables that use the same type name share
// it.
type Enumeration struct {
	Name  string
	Items []Item
}

// Item is a value of an enumeration.
type Item struct {
	Name  string
	Value int32
}

// check rejects an enumeration that XML cannot represent.
func (e *Enumeration) check() error {
	if !fmi.IsIdentifier(e.Name) {
		return fmt.Errorf("enumeration %q has no identifier as its name", e.Name)
	}
	if len(e.Items) == 0 {
		return fmt.Errorf("enumeration %s has no items", e.Name)
	}
	for k, item := range e.Items {
		same := func(other Item) bool {
			return other.Name == item.Name || other.Value == item.Value
		}
		if strings.TrimSpace(item.Name) == "" || slices.ContainsFunc(e.Items[:k], same) {
			return fmt.Errorf("enumeration %s: item %q = %d is declared twice, or has no name",
				e.Name, item.Name, item.Value)
		}
	}
	return nil
}

// checkItem rejects a value that is not an item of the variable's enumeration, if it has one.
func (v *Variable) checkItem(x int64) error {
	if v.Enumeration == nil {
		return nil
	}
	var known []string
	for _, item := range v.Enumeration.Items {
		if int64(item.Value) == x {
			return nil
		}
		known = append(known, fmt.Sprintf("%d (%s)", item.Value, item.Name))
	}
	return fmt.Errorf("%d is not one of %s", x, strings.Join(known, ", "))
}

// parseItem parses a value of an enumeration: the name of an item, or a number.
func (v *Variable) parseItem(text string) (any, error) {
	x, err := v.Type.ParseValue(text)
	for _, item := range v.Enumeration.Items {
		if item.Name == text {
			x, err = int64(item.Value), nil
		}
	}
	n, _ := x.(int64)
	switch {
	case err != nil:
		return nil, err
	case v.stored == fmi.Int64:
		return n, nil
	case int64(int32(n)) != n:
		return nil, fmt.Errorf("%d is not between %d and %d", n, math.MinInt32, math.MaxInt32)
	}
	return int32(n), nil
}

// Enumerations lists the enumeration types of the variables, each once.
func (t *Variables) Enumerations() (list []*Enumeration) {
	for _, v := range t.list {
		e := v.Enumeration
		if e != nil && !slices.ContainsFunc(list, func(o *Enumeration) bool {
			return o.Name == e.Name
		}) {
			list = append(list, e)
		}
	}
	return list
}

// checkEnumeration checks the enumeration type of a variable.
func (t *Variables) checkEnumeration(v *Variable) error {
	if (v.Type == fmi.Enumeration) != (v.Enumeration != nil) {
		return fmt.Errorf("type %v with enumeration %v: one needs the other", v.Type, v.Enumeration)
	}
	if v.Enumeration == nil {
		return nil
	}
	for _, e := range t.Enumerations() {
		if e.Name == v.Enumeration.Name && !slices.Equal(e.Items, v.Enumeration.Items) {
			return fmt.Errorf("enumeration %s has other items elsewhere", e.Name)
		}
	}
	return v.Enumeration.check()
}
