package main

import (
	"strings"

	"github.com/alecthomas/kong"
)

// texts are the texts of a parser that may contain variables: ${name}, in a flag's help also
// ${default} and ${enum}. kong examines each text several times with a regular expression, which
// takes longer than many commands. Texts therefore fill in the variables and keep the results while
// kong looks for variables.
type texts struct {
	kept []text
	vars kong.Vars
}

// text is where a text belongs, and the text.
type text struct {
	to   *string
	full string
}

// fill keeps the texts of all commands and flags, with all variables filled in.
func (t *texts) fill(root *kong.Node) error {
	return kong.Visit(root, func(v kong.Visitable, next kong.Next) error {
		switch v := v.(type) {
		case *kong.Node:
			t.keep(&v.Help, t.vars)
		case *kong.Value:
			t.fillValue(v)
		}
		return next(nil)
	})
}

func (t *texts) fillValue(v *kong.Value) {
	own := t.keep(&v.Default, t.vars)
	enum := t.keep(&v.Enum, t.vars)
	vars := kong.Vars{}
	if strings.Contains(v.Help, "${") {
		vars = t.vars.CloneWith(kong.Vars{"default": own, "enum": enum})
	}
	if v.Flag != nil {
		t.keep(&v.Flag.PlaceHolder, vars)
	}
	t.keep(&v.Help, vars)
}

// keep fills in the variables of a text, keeps the result, and empties the text for kong.
func (t *texts) keep(to *string, vars kong.Vars) string {
	full := *to
	if full == "" {
		return ""
	}
	if strings.Contains(full, "${") {
		full = filled(full, vars)
	}
	t.kept = append(t.kept, text{to, full})
	*to = ""
	return full
}

// filled replaces ${name} by the variable of that name. An unknown name stays, so that the test
// that reads all helps finds it.
func filled(full string, vars kong.Vars) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(full, "${")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, rest, closed := strings.Cut(after, "}")
		if value, known := vars[name]; known && closed {
			b.WriteString(value)
		} else {
			b.WriteString("${")
			rest = after
		}
		full = rest
	}
}

// restore puts the texts back.
func (t *texts) restore() {
	for _, k := range t.kept {
		*k.to = k.full
	}
}
