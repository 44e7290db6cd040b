package storyboard

import (
	"slices"

	"gosmp/scenario"
)

// entry is a part of Init: a global action, or the actions of one entity.
type entry struct {
	entity  Entity // NoEntity for global actions
	actions []*Element
}

// initialize performs Init, which takes no time.
func (b *Board) initialize() error {
	entered := make(map[Entity]bool, len(b.init))
	for _, part := range b.init {
		if part.entity != NoEntity && !entered[part.entity] {
			entered[part.entity] = true
			b.world.Enter(part.entity)
		}
		for _, a := range part.actions {
			if err := b.launchAction(a, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// initialActions prepares Init: global actions first, then entities in the order of the document,
// but after those that they refer to.
func (b *builder) initialActions(actions *scenario.Element) {
	if actions == nil {
		return
	}
	var privates []*scenario.Element
	for _, c := range actions.Children {
		if c.Type == "Private" {
			privates = append(privates, c)
			continue
		}
		n := b.initial(c.Name, c)
		for _, leaf := range leaves(&scenario.Element{Children: []*scenario.Element{c}}) {
			n.rename("Init " + leaf.Name)
			b.bind(n, leaf, b.actorOf(leaf), false)
		}
		b.init = append(b.init, entry{NoEntity, []*Element{n}})
	}
	for _, p := range ordered(privates) {
		b.privateInit(p)
	}
}

func (b *builder) privateInit(p *scenario.Element) {
	for _, x := range b.entity(p) {
		part := entry{entity: x}
		for _, action := range p.Children {
			n := b.initial("", action)
			for _, leaf := range leaves(action) {
				n.rename("Init " + b.names[x] + " " + leaf.Name)
				b.bind(n, leaf, x, false)
			}
			part.actions = append(part.actions, n)
		}
		b.init = append(b.init, part)
	}
}

// initial is an action of Init as an element, which no condition can refer to.
func (b *builder) initial(name string, e *scenario.Element) *Element {
	n := &Element{Kind: ActionElement, Name: name, Path: name, Place: e.Place(), index: -1,
		limit: 1, init: true}
	b.actions = append(b.actions, n)
	return n
}

// rename gives an action of Init the name of what it does, since it has none in the document.
func (e *Element) rename(name string) { e.Name, e.Path = name, name }

// ordered sorts the parts of Init so that entities are placed before others that are placed
// relative to them. In a circle the order of the document is kept.
func ordered(privates []*scenario.Element) (list []*scenario.Element) {
	var place func(p *scenario.Element, around []*scenario.Element)
	place = func(p *scenario.Element, around []*scenario.Element) {
		if slices.Contains(list, p) || slices.Contains(around, p) {
			return
		}
		around = append(around, p)
		for _, q := range privates {
			if q != p && refersTo(p, q.Value("entityRef")) {
				place(q, around)
			}
		}
		list = append(list, p)
	}
	for _, p := range privates {
		place(p, nil)
	}
	return list
}

// refersTo reports whether actions of Init need another entity in its place.
func refersTo(p *scenario.Element, name string) (found bool) {
	for _, c := range p.Children {
		c.Walk(func(e *scenario.Element) bool {
			found = found || e.Value("entityRef") == name || e.Value("masterEntityRef") == name
			return !found
		})
	}
	return found
}
