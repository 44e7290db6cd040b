package storyboard

import (
	"maps"
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

// initialActions prepares Init: first global actions, then entities in document order, except that
// an entity comes after the entities it refers to. Global actions that place an entity are ordered
// in the same way.
func (b *builder) initialActions(actions *scenario.Element) {
	if actions == nil {
		return
	}
	parts := slices.Clone(actions.Children)
	slices.SortStableFunc(parts, func(p, q *scenario.Element) int {
		return rank(p) - rank(q)
	})
	for _, p := range ordered(parts) {
		if p.Type == "Private" {
			b.privateInit(p)
		} else {
			b.globalInit(p)
		}
	}
}

// rank sorts global actions before the actions of entities.
func rank(part *scenario.Element) int {
	if part.Type == "Private" {
		return 1
	}
	return 0
}

func (b *builder) globalInit(c *scenario.Element) {
	n := b.initial(c.Name, c)
	for _, leaf := range leaves(&scenario.Element{Children: []*scenario.Element{c}}) {
		n.rename("Init " + leaf.Name)
		b.bind(n, leaf, b.actorOf(leaf), false)
	}
	b.init = append(b.init, entry{NoEntity, []*Element{n}})
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

// initial returns an element for an action of Init, to which no condition can refer.
func (b *builder) initial(name string, e *scenario.Element) *Element {
	n := &Element{Kind: ActionElement, Name: name, Path: name, Place: e.Place(), index: -1,
		limit: 1, init: true}
	b.actions = append(b.actions, n)
	return n
}

// rename names an action of Init after what it does, because it has no name in the document.
func (e *Element) rename(name string) { e.Name, e.Path = name, name }

// placed returns the name of the entity that a part of Init places, or "" if it places none.
func placed(part *scenario.Element) string {
	if part.Type == "Private" {
		return part.Value("entityRef")
	}
	if e := part.Child("EntityAction"); e.Child("AddEntityAction") != nil {
		return e.Value("entityRef")
	}
	return ""
}

// ordered sorts the parts of Init so that an entity is placed before the entities that are placed
// relative to it. In a cycle, the entity that is first in the document is placed last.
func ordered(parts []*scenario.Element) (list []*scenario.Element) {
	of := map[string][]int{} // parts by the entity that they place
	for k, p := range parts {
		if name := placed(p); name != "" {
			of[name] = append(of[name], k)
		}
	}
	begun := make([]bool, len(parts)) // in the list, or around the present one
	all := map[string]bool{}          // entities all of whose parts have begun
	var place func(k int)
	place = func(k int) {
		if begun[k] {
			return
		}
		begun[k] = true
		var before []int
		names := references(parts[k])
		for _, name := range names {
			if name != placed(parts[k]) && !all[name] {
				before = append(before, of[name]...)
			}
		}
		slices.Sort(before)
		for _, other := range slices.Compact(before) {
			place(other)
		}
		for _, name := range names {
			all[name] = all[name] || name != placed(parts[k])
		}
		list = append(list, parts[k])
	}
	for k := range parts {
		place(k)
	}
	return list
}

// references returns the entities that must be placed before a part of Init, each once.
func references(p *scenario.Element) []string {
	names := map[string]bool{}
	for _, c := range p.Children {
		c.Walk(func(e *scenario.Element) bool {
			for _, attribute := range []string{"entityRef", "masterEntityRef"} {
				if name := e.Value(attribute); name != "" {
					names[name] = true
				}
			}
			return true
		})
	}
	return slices.Sorted(maps.Keys(names))
}
