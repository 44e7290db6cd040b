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
	case len(c.Except) > 0 && !c.Rules:
		return errors.New("found except without rules: true")
	case c.Metric == "" && c.Field == "" && !c.Rules && c.Messages == nil && c.Gap == nil:
		return errors.New("found no check, expected messages, gap, field, rules or metric")
	case isNaN(c.From) || isNaN(c.Until) || c.From != nil && c.Until != nil && *c.From >= *c.Until:
		return errors.New("found an empty time, expected from < until")
	}
	return c.pointless()
}

// pointless returns an error for bounds that hold whatever happens, or never.
func (c *Condition) pointless() error {
	least, greatest := metrics.Metric{Name: c.Metric}.Range()
	for _, x := range []struct {
		key             string
		bounds          *Bounds
		least, greatest float64
		whole           bool
	}{
		{"count", c.Count, 0, math.Inf(1), true}, {"messages", c.Messages, 0, math.Inf(1), true},
		{"gap", c.Gap, 0, math.Inf(1), false}, {"mean", c.Mean, least, greatest, false},
		{"least", c.Least, least, greatest, c.Metric == metrics.FalseDetections},
		{"greatest", c.Greatest, least, greatest, c.Metric == metrics.FalseDetections},
	} {
		if err := x.bounds.pointless(x.key, x.least, x.greatest, x.whole); err != nil {
			return err
		}
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
