package expect

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"gosmp/internal/fault"
	"gosmp/internal/yamldoc"
	"gosmp/trace/metrics"
)

// ErrConditions reports an unusable file of conditions.
var ErrConditions = errors.New("unusable conditions")

// Conditions are the requirements on a trace.
type Conditions struct {
	List []Condition `yaml:"conditions"`
}

// Condition is one entry of the file.
type Condition struct {
	Name     string   `yaml:"name"`
	Channel  string   `yaml:"channel"`
	From     *float64 `yaml:"from"`
	Until    *float64 `yaml:"until"`
	Messages *Bounds  `yaml:"messages"`
	Gap      *Bounds  `yaml:"gap"`

	Field   string  `yaml:"field"`
	Value   *Bounds `yaml:"value"`
	Count   *Bounds `yaml:"count"`
	Present bool    `yaml:"present"`

	Rules  bool     `yaml:"rules"`
	Except []string `yaml:"except"`

	Metric   string  `yaml:"metric"`
	Mean     *Bounds `yaml:"mean"`
	Least    *Bounds `yaml:"least"`
	Greatest *Bounds `yaml:"greatest"`

	line int
}

// UnmarshalYAML decodes a condition and records its line.
func (c *Condition) UnmarshalYAML(n *yaml.Node) error {
	type plain Condition // without this method
	if err := known(n, plain{}); err != nil {
		return err
	}
	if err := n.Decode((*plain)(c)); err != nil {
		return err
	}
	c.line = n.Line
	return nil
}

// known refuses keys that a struct does not have. The YAML decoder does not check keys inside a
// method like the one above.
func known(n *yaml.Node, of any) error {
	var keys []string
	for _, f := range reflect.VisibleFields(reflect.TypeOf(of)) {
		if key := f.Tag.Get("yaml"); key != "" {
			keys = append(keys, key)
		}
	}
	if n.Kind != yaml.MappingNode {
		found := "a list"
		if n.Kind == yaml.ScalarNode {
			found = strconv.Quote(n.Value)
		}
		return fmt.Errorf("line %d: found %s, expected keys such as %s", n.Line, found,
			strings.Join(keys, ", "))
	}
	for k := 0; k < len(n.Content); k += 2 {
		if key := n.Content[k]; !slices.Contains(keys, key.Value) {
			return fmt.Errorf("line %d: found the key %q, expected one of %s", key.Line, key.Value,
				strings.Join(keys, ", "))
		}
		if value := n.Content[k+1]; value.Tag == "!!null" {
			return fmt.Errorf("line %d: found no value for the key %q, expected one, or no such "+
				"key", value.Line, n.Content[k].Value)
		}
	}
	return nil
}

// Bounds limit a number, both ends included. Nil means no limit.
type Bounds struct{ Min, Max *float64 }

// UnmarshalYAML reads a number or a mapping.
func (b *Bounds) UnmarshalYAML(n *yaml.Node) error {
	type mapping struct {
		Min *float64 `yaml:"min"`
		Max *float64 `yaml:"max"`
	}
	var m mapping
	if n.Kind == yaml.ScalarNode {
		var x float64
		if err := n.Decode(&x); err != nil {
			return fmt.Errorf("line %d: found %q, expected a number or {min: A, max: B}", n.Line,
				n.Value)
		}
		m = mapping{&x, &x}
	} else {
		if err := known(n, m); err != nil {
			return err
		}
		if err := n.Decode(&m); err != nil {
			return err
		}
	}
	if m.Min == nil && m.Max == nil || m.Min != nil && m.Max != nil && *m.Min > *m.Max ||
		!finite(m.Min) || !finite(m.Max) {
		return fmt.Errorf(
			"line %d: found bounds that nothing can break or keep, expected {min: A, max: "+
				"B} with A <= B", n.Line)
	}
	*b = Bounds(m)
	return nil
}

func isNaN(x *float64) bool { return x != nil && math.IsNaN(*x) }

// finite reports whether a bound, if there is one, is a number that values may exceed.
func finite(x *float64) bool { return x == nil || !math.IsNaN(*x) && !math.IsInf(*x, 0) }

// holds reports whether a number is within the bounds. NaN never is.
func (b *Bounds) holds(x float64) bool {
	return !math.IsNaN(x) && (b.Min == nil || x >= *b.Min) && (b.Max == nil || x <= *b.Max)
}

// pointless reports whether all numbers of things are within the bounds, or none.
func (b *Bounds) pointless() bool {
	if b == nil {
		return false
	}
	least := 0.0
	if b.Min != nil {
		least = max(least, math.Ceil(*b.Min))
	}
	return b.Max == nil && least == 0 || b.Max != nil && math.Floor(*b.Max) < least
}

// String returns the bounds in words: "1 to 20", "at least 1", "at most 20" or "20".
func (b *Bounds) String() string {
	number := func(x *float64) string { return strconv.FormatFloat(*x, 'g', -1, 64) }
	switch {
	case b.Min == nil:
		return "at most " + number(b.Max)
	case b.Max == nil:
		return "at least " + number(b.Min)
	case *b.Min == *b.Max:
		return number(b.Min)
	}
	return number(b.Min) + " to " + number(b.Max)
}

// largest bounds the size of a file of conditions.
const largest = 1 << 20

// Read reads a file of conditions.
func Read(name string, from io.Reader) (*Conditions, error) {
	refuse := func(line int, cause error) error {
		return fault.Wrap(ErrConditions, fault.Line(name, line), cause)
	}
	content, err := io.ReadAll(io.LimitReader(from, largest+1))
	if err != nil {
		return nil, err
	}
	if len(content) > largest {
		return nil, refuse(0, fmt.Errorf("found more than %d bytes", largest))
	}
	if err := yamldoc.Encoded(content); err != nil {
		return nil, refuse(1, err)
	}
	c, err := decode(content)
	if err != nil {
		return nil, refuse(located(err))
	}
	if len(c.List) == 0 {
		return nil, refuse(0, errors.New("found no condition, expected conditions: and a list"))
	}
	lines := map[string]int{}
	for k := range c.List {
		x := &c.List[k]
		err := x.check()
		if before := lines[x.Name]; err == nil && x.Name != "" && before > 0 {
			err = fmt.Errorf("found the name %q, which the condition in line %d already has, "+
				"expected another one", x.Name, before)
		}
		if err != nil {
			return nil, refuse(x.line, err)
		}
		lines[x.Name] = x.line
	}
	return c, nil
}

// decode decodes the only document of a file.
func decode(content []byte) (*Conditions, error) {
	var c Conditions
	d := yaml.NewDecoder(bytes.NewReader(content))
	var whole, more yaml.Node
	if err := d.Decode(&whole); errors.Is(err, io.EOF) {
		return &c, nil
	} else if err != nil {
		return nil, err
	}
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, cmp.Or(err, fmt.Errorf("line %d: found a second document, expected one",
			more.Line))
	}
	if err := cmp.Or(unique(&whole), yamldoc.Decimal(&whole)); err != nil {
		return nil, err
	}
	if top := whole.Content[0]; top.Tag != "!!null" {
		if err := known(top, c); err != nil {
			return nil, err
		}
		for k := 1; k < len(top.Content); k += 2 {
			if list := top.Content[k]; list.Kind == yaml.MappingNode {
				return nil, fmt.Errorf("line %d: found a condition without a \"-\" before it, "+
					"expected a list", list.Line)
			}
		}
	}
	return &c, whole.Decode(&c)
}

// unique returns an error for a key that occurs twice. The decoder would compare each key with all
// others, and list every pair of equal ones.
func unique(n *yaml.Node) error {
	if n.Kind == yaml.MappingNode {
		lines := map[string]int{}
		for k := 0; k < len(n.Content); k += 2 {
			key := n.Content[k]
			if before, twice := lines[key.Value]; twice && key.Kind == yaml.ScalarNode {
				return fmt.Errorf("line %d: found the key %.40q, which line %d already has, "+
					"expected it once", key.Line, key.Value, before)
			}
			lines[key.Value] = key.Line
		}
	}
	for _, part := range n.Content {
		if err := unique(part); err != nil {
			return err
		}
	}
	return nil
}

var (
	lineOf = regexp.MustCompile(`(?s)^(?:yaml: )?(?:unmarshal errors:\s*)?` +
		`line (\d+)(?:, column \d+)?: (.*)$`)
	wrongFor = regexp.MustCompile("^cannot unmarshal (?:!!\\w+ )?`(.*)` into (?:.*\\.)?(.+)$")
)

// located extracts the line from a YAML error, and rewords errors about the type of a value.
func located(err error) (line int, cause error) {
	parts := lineOf.FindStringSubmatch(err.Error())
	if parts == nil {
		return 0, err
	}
	line, _ = strconv.Atoi(parts[1]) // digits
	text, _, _ := strings.Cut(parts[2], "\n")
	if m := wrongFor.FindStringSubmatch(text); m != nil {
		wanted := map[string]string{"float64": "a number", "bool": "true or false",
			"string": "a text"}[m[2]]
		text = fmt.Sprintf("found %q, expected %s", m[1], cmp.Or(wanted, "a list"))
	}
	return line, errors.New(text)
}

// check returns an error if a condition checks nothing, or combines incompatible keys.
func (c *Condition) check() error {
	ofField, ofMetric := c.Value != nil || c.Present, c.Mean != nil || c.Least != nil ||
		c.Greatest != nil
	switch {
	case c.Metric != "" && (c.Field != "" || c.Rules || c.Messages != nil || c.Gap != nil ||
		c.Channel != ""):
		return fmt.Errorf("metric %s: found other checks in it, expected a condition for each",
			c.Metric)
	case c.Metric != "" && !isMetric(c.Metric):
		return fmt.Errorf("found the metric %q, expected one of %s", c.Metric,
			strings.Join(metricNames(), ", "))
	case c.Metric != "" && !ofMetric && c.Count == nil:
		return fmt.Errorf("metric %s: found no bounds, expected mean, least, greatest or count",
			c.Metric)
	case c.Metric == "" && ofMetric:
		return errors.New("found mean, least or greatest without a metric")
	case c.Field == "" && ofField, c.Field == "" && c.Metric == "" && c.Count != nil:
		return errors.New("found value, count or present without a field")
	case c.Field != "" && !ofField && c.Count == nil:
		return fmt.Errorf("field %s: found no check, expected value, count or present", c.Field)
	case c.Count.pointless() || c.Messages.pointless():
		return errors.New("found bounds that nothing can break or keep, expected {min: A, max: " +
			"B} with an integer of at least 0 from A to B and, without B, A of at least 1")
	case c.Gap != nil && c.Gap.Max != nil && *c.Gap.Max < 0:
		return errors.New("found a gap whose max is negative, which nothing can keep, expected " +
			"seconds of at least 0")
	case len(c.Except) > 0 && !c.Rules:
		return errors.New("found except without rules: true")
	case c.Metric == "" && c.Field == "" && !c.Rules && c.Messages == nil && c.Gap == nil:
		return errors.New("found no check, expected messages, gap, field, rules or metric")
	case isNaN(c.From) || isNaN(c.Until) || c.From != nil && c.Until != nil && *c.From >= *c.Until:
		return errors.New("found an empty time, expected from < until")
	}
	return nil
}

func metricNames() (names []string) {
	for _, m := range metrics.Metrics() {
		names = append(names, m.Name)
	}
	return names
}

func isMetric(name string) bool { return slices.Contains(metricNames(), name) }

// title returns the name of a condition in reports.
func (c *Condition) title() string {
	parts := []string{}
	for _, p := range []struct {
		is   bool
		text string
	}{
		{c.Channel != "", c.Channel}, {c.Messages != nil, fmt.Sprintf("messages %v", c.Messages)},
		{c.Gap != nil, fmt.Sprintf("gap %v s", c.Gap)},
		{c.Field != "", c.Field}, {c.Metric != "", c.Metric}, {c.Value != nil,
			fmt.Sprintf("value %v", c.Value)},
		{c.Count != nil, fmt.Sprintf("count %v", c.Count)}, {c.Present, "present"},
		{c.Rules, "rules of OSI"}, {c.Mean != nil, fmt.Sprintf("mean %v", c.Mean)},
		{c.Least != nil, fmt.Sprintf("least %v", c.Least)}, {c.Greatest != nil,
			fmt.Sprintf("greatest %v", c.Greatest)},
	} {
		if p.is {
			parts = append(parts, p.text)
		}
	}
	if c.Name != "" {
		return c.Name
	}
	return strings.Join(parts, ", ")
}
