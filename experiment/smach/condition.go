package smach

import (
	"strconv"
	"strings"
)

// source maps the parts of a callback's parameter to the expressions for them in the data of an
// event.
type source map[string]string

// pose returns the source for callbacks that receive a robot's pose.
func pose(robot string) source {
	at := "_event.data.actors[" + quote(robot) + "]."
	return source{"position.x": at + "x", "position.y": at + "y"}
}

// topic is the source for callbacks that receive a message.
var topic = source{"data": "_event.data.value"}

// condition translates the body of a callback to ECMAScript. The second parameter is the datum. It
// returns false if a part has no counterpart.
func (s *script) condition(callback *expression, from source) (string, bool) {
	if callback = s.constant(callback); callback == nil {
		return "", false
	}
	if callback.form == nameOf {
		callback = s.functions[callback.value]
	}
	if callback == nil || callback.form != lambdaOf || len(callback.names) < 2 ||
		len(callback.args) != 1 {
		return "", false
	}
	c := conditions{script: s, datum: callback.names[1], from: from, whole: true}
	text := c.text(callback.args[0])
	return text, c.whole && len(text) <= maxCondition
}

// maxCondition bounds the length to which chains of comparisons may grow.
const maxCondition = 10_000

type conditions struct {
	*script
	datum string
	from  source
	whole bool // everything was translated
	size  int
}

// operators that ECMAScript writes differently.
var operators = map[string]string{"and": "&&", "or": "||", "==": "===", "!=": "!=="}

func operator(python string) string {
	if other := operators[python]; other != "" {
		return other
	}
	return python
}

func (c *conditions) fail() string {
	c.whole = false
	return ""
}

func (c *conditions) text(e *expression) string {
	c.budget--
	if c.size += 1 + len(e.value); c.size > maxCondition || c.budget < 0 || !c.whole {
		return c.fail()
	}
	switch e.form {
	case numberOf, nameOf, attributeOf:
		return c.value(e)
	case textOf:
		return quote(e.value)
	case notOf:
		return "!(" + c.text(e.args[0]) + ")"
	case negative:
		return "-(" + c.text(e.args[0]) + ")"
	case binary:
		if e.value == "//" || e.value == "%" { // Python rounds down, so the sign may differ
			return c.fail()
		}
		return "(" + c.text(e.args[0]) + " " + operator(e.value) + " " + c.text(e.args[1]) + ")"
	case chain:
		var parts []string
		for k, o := range e.names {
			if o == "in" || o == "is" {
				return c.fail()
			}
			parts = append(parts, c.text(e.args[k])+" "+operator(o)+" "+c.text(e.args[k+1]))
		}
		return "(" + strings.Join(parts, " && ") + ")"
	case callOf:
		if name := e.called(); name == "abs" && len(e.args) == 2 {
			return "Math.abs(" + c.text(e.args[1]) + ")"
		}
	}
	return c.fail()
}

// value translates a name, a number, or a part of the datum.
func (c *conditions) value(e *expression) string {
	if e.form == nameOf {
		switch e.value {
		case "True":
			return "true"
		case "False":
			return "false"
		}
	}
	if v, ok := c.number(e, 0); ok {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	path := ""
	for ; e.form == attributeOf; e = e.args[0] {
		if path = strings.TrimSuffix(e.value+"."+path, "."); len(path) > maxCondition {
			return c.fail()
		}
	}
	if text := c.from[path]; e.form == nameOf && e.value == c.datum && text != "" {
		return text
	}
	return c.fail()
}
