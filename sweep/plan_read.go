package sweep

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"gosmp/internal/fault"
)

func (p *Plan) read(n *yaml.Node) error {
	type plain Plan // without methods
	keys, types := keysOf(reflect.TypeFor[plain]())
	keys, types = append(keys, "parameters", "set", "seeds"), append(types, reflect.TypeFor[any](),
		reflect.TypeFor[any](), reflect.TypeFor[int]())
	rest := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: n.Line}
	for k := 0; k < len(n.Content); k += 2 {
		key, value := n.Content[k], meant(n.Content[k+1])
		if err := p.note(key, key.Value, keys); err != nil {
			return err
		}
		err := exact(key, value, types[slices.Index(keys, key.Value)])
		if err != nil {
			return err
		}
		switch key.Value {
		case "parameters":
			err = p.readParameters(value)
		case "set":
			err = p.readSet(value)
		case "seeds":
			err = p.readSeeds(value)
		case "sampling":
			err = known(value, Sampling{})
		case "stop":
			err = known(value, Stop{})
		case "boundary":
			err = known(value, Boundary{})
		}
		if err != nil {
			return err
		}
		if !slices.Contains([]string{"parameters", "set", "seeds"}, key.Value) {
			rest.Content = append(rest.Content, key, value)
		}
	}
	return rest.Decode((*plain)(p))
}

// note records the line of a key and refuses unknown and repeated keys.
func (p *Plan) note(key *yaml.Node, path string, keys []string) error {
	if p.lines[path] != 0 {
		return fault.New(ErrPlan, p.place(path), fmt.Sprintf("the same key again in line %d",
			key.Line), "it once")
	}
	p.lines[path], p.columns[path] = key.Line, key.Column
	if keys != nil && !slices.Contains(keys, key.Value) {
		return fault.New(ErrPlan, p.place(path), fmt.Sprintf("the key %q", key.Value),
			"one of "+strings.Join(keys, ", "))
	}
	return nil
}

func (p *Plan) readParameters(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fault.New(ErrPlan, p.place("parameters"), shown(n), "NAME: and what it can be")
	}
	if len(n.Content) > 2*mostParameters {
		return fault.New(ErrPlan, p.place("parameters"),
			fmt.Sprintf("%d parameters", len(n.Content)/2),
			fmt.Sprintf("at most %d", mostParameters))
	}
	for k := 0; k < len(n.Content); k += 2 {
		key, value := n.Content[k], meant(n.Content[k+1])
		path := "parameters." + key.Value
		if err := p.note(key, path, nil); err != nil {
			return err
		}
		x := Parameter{Name: key.Value}
		if err := x.read(value); err != nil {
			e := unreadable(p.File, err)
			e.Place.Object = path
			switch {
			case e.Place.Line < key.Line:
				e.Place.Line, e.Place.Column = key.Line, key.Column
			case e.Place.Column == 0:
				e.Place.Column = columnIn(value, e.Place.Line, e.Found)
			}
			return e
		}
		if err := p.add(x); err != nil {
			return err
		}
	}
	return nil
}

// add adds a parameter.
func (p *Plan) add(x Parameter) error {
	p.Parameters = append(p.Parameters, x)
	if p.points += len(x.points); p.points > mostValues {
		return fault.New(ErrPlan, p.place("parameters."+x.Name),
			fmt.Sprintf("more than %d values of all parameters", mostValues),
			"fewer values, or a distribution with sampling")
	}
	return nil
}

func (p *Plan) readSet(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fault.New(ErrPlan, p.place("set"), shown(n), "NAME: EXPRESSION")
	}
	for k := 0; k < len(n.Content); k += 2 {
		key, value := n.Content[k], meant(n.Content[k+1])
		path := "set." + key.Value
		if err := p.note(key, path, nil); err != nil {
			return err
		}
		if value.Kind != yaml.ScalarNode || value.Value == "" {
			return fault.New(ErrPlan, p.place(path), "no expression",
				"an expression such as 60 + gap")
		}
		p.Set = append(p.Set, Target{key.Value, value.Value})
	}
	return nil
}

// readSeeds reads a number of seeds or a list of seeds.
func (p *Plan) readSeeds(n *yaml.Node) error {
	var count int
	if n.Kind == yaml.ScalarNode && n.Decode(&count) == nil && count >= 1 && count <= mostCases {
		for seed := range uint64(count) {
			p.Seeds = append(p.Seeds, seed+1)
		}
		return nil
	}
	for _, seed := range n.Content {
		if err := exact(n, seed, reflect.TypeFor[uint64]()); err != nil {
			return fault.New(ErrPlan, p.place("seeds"), shown(seed), "positive whole numbers")
		}
	}
	if n.Kind == yaml.SequenceNode && n.Decode(&p.Seeds) == nil && len(p.Seeds) > 0 &&
		!slices.Contains(p.Seeds, 0) {
		seen := map[uint64]bool{}
		for _, s := range p.Seeds {
			if seen[s] {
				return fault.New(ErrPlan, p.place("seeds"), fmt.Sprintf("%d twice", s),
					"different seeds")
			}
			seen[s] = true
		}
		return nil
	}
	found := shown(n)
	for _, seed := range n.Content {
		if x, err := strconv.ParseUint(seed.Value, 10, 64); err != nil || x == 0 {
			found = shown(seed)
		}
	}
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		found = "an empty list"
	}
	return fault.New(ErrPlan, p.place("seeds"), found,
		"how many seeds there are, or a list of positive whole numbers")
}
