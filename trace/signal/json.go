package signal

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// mostListed is the number of list elements whose paths [EachOfJSON] visits.
const mostListed = 16

// NumbersOfJSON calls take for the numbers of a path in decoded JSON, as [Path.Numbers] does for a
// message. The path is not bound to a type, so a path that does not fit just has no numbers.
func (p *Path) NumbersOfJSON(value any, take func(label string, number float64)) {
	numbersOfJSON(value, p.steps, "", take)
}

func numbersOfJSON(value any, steps []step, label string, take func(string, float64)) {
	if len(steps) == 0 {
		if x, is := numberOfJSON(value); is {
			take(label, x)
		}
		return
	}
	s, rest := steps[0], steps[1:]
	object, _ := value.(map[string]any)
	field, has := object[s.name]
	if !has {
		return
	}
	if s.which == single {
		numbersOfJSON(field, rest, label, take)
		return
	}
	list, _ := field.([]any)
	for k, element := range list {
		id := uint64(k)
		if own, ok := idOfJSON(element); ok {
			id = own
		} else if s.which == byID {
			continue
		}
		switch {
		case s.which == all:
			numbersOfJSON(element, rest, strings.TrimPrefix(label+"."+strconv.FormatUint(id, 10),
				"."), take)
		case s.which == byID && id == s.n, s.which == byIndex && uint64(k) == s.n:
			numbersOfJSON(element, rest, label, take)
		}
	}
}

// numberOfJSON returns a number, or a Boolean as 0 or 1.
func numberOfJSON(value any) (x float64, is bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// idOfJSON returns the whole number in the member id of an object.
func idOfJSON(value any) (id uint64, ok bool) {
	object, _ := value.(map[string]any)
	x, is := object["id"].(float64)
	if !is || x != float64(uint64(x)) {
		return 0, false
	}
	return uint64(x), true
}

// EachOfJSON calls visit with the path of every number in decoded JSON, in the order of the names,
// and of the first elements of each list.
func EachOfJSON(value any, visit func(path string)) { eachOfJSON(value, "", visit) }

func eachOfJSON(value any, path string, visit func(string)) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			eachOfJSON(v[name], strings.TrimPrefix(path+"."+name, "."), visit)
		}
	case []any:
		for k := range min(len(v), mostListed) {
			eachOfJSON(v[k], fmt.Sprintf("%s[%d]", path, k), visit)
		}
	default:
		if _, is := numberOfJSON(v); is && path != "" {
			visit(path)
		}
	}
}
