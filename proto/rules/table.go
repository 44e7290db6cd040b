package rules

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed osi-3.8.0-rules.csv
var table string

// Kinds of rules, spelled as in OSI.
const (
	isSet            = "is_set"
	refersTo         = "refers_to"
	isGloballyUnique = "is_globally_unique"
	isISOCountryCode = "is_iso_country_code"
)

var comparisons = map[string]func(value, limit float64) bool{
	"is_greater_than_or_equal_to": func(value, limit float64) bool { return value >= limit },
	"is_less_than_or_equal_to":    func(value, limit float64) bool { return value <= limit },
	"is_less_than":                func(value, limit float64) bool { return value < limit },
	"is_equal_to":                 func(value, limit float64) bool { return value == limit },
	"is_different_to":             func(value, limit float64) bool { return value != limit },
}

// rule is a row of the table, or several rows whose conditions apply together.
type rule struct {
	message, field string // "DetectedMovingObject.CandidateMovingObject", "head_pose"
	kind, argument string
	limit          float64 // argument as a number
	remark         string
	conditions     []condition
}

func (r *rule) name() string { return r.message + "." + r.field }

// id returns the [Rule.ID] of the rule.
func (r *rule) id() string { return "OSI " + r.name() + " " + r.kind }

// String returns the rule as written in the comments of the .proto files.
func (r *rule) String() string {
	text := r.kind
	if r.argument != "" {
		text += ": " + r.argument
	}
	for k, c := range r.conditions {
		text += [...]string{" if ", " and "}[min(k, 1)] + c.field + " " + c.kind + " " + c.argument
	}
	return text
}

// condition is a comparison with a field of the message that the rule is about.
type condition struct {
	field, kind, argument string
	limit                 float64
}

// byMessage returns the rules by full message name without "osi3.".
var byMessage = sync.OnceValue(func() map[string][]*rule {
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		panic(err) // the table is compiled into the program
	}
	all := map[string][]*rule{}
	for _, row := range rows[1:] {
		r := parse(row)
		list := all[r.message]
		if pair := len(list) > 0 && row[7] == "pair" && list[len(list)-1].name() == r.name(); pair {
			last := list[len(list)-1]
			last.conditions = append(last.conditions, r.conditions...)
			continue
		}
		all[r.message] = append(list, r)
	}
	return all
})

func parse(row []string) *rule {
	r := &rule{message: row[0], field: row[1], kind: row[2], argument: row[3], remark: row[7]}
	switch _, compares := comparisons[r.kind]; {
	case compares:
		r.limit = number(r.argument)
	case !slices.Contains([]string{isSet, refersTo, isGloballyUnique, isISOCountryCode}, r.kind):
		panic(fmt.Sprintf("%s: rule %q is not known", r.name(), r.kind))
	}
	if row[4] != "" {
		r.conditions = []condition{{row[4], row[5], row[6], number(row[6])}}
	}
	return r
}

// number converts an argument to a number; true becomes 1.
func number(text string) float64 {
	if text == "true" {
		return 1
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return x
}

// Count returns the number of rules that [Check] checks.
func Count() (n int) {
	for _, list := range byMessage() {
		n += len(list)
	}
	return n
}
