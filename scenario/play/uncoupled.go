package play

import (
	"slices"

	"gosmp/scenario/storyboard"
)

// parting decides when an entity and others count as a pair although they are parts of one train at
// some time. While they are coupled, they do not. A trailer that is uncoupled touches its vehicle,
// and does not count until the two are apart and no longer move away from each other. If they
// approach each other, they count immediately, so that no collision is hidden.
type parting struct {
	world  towing
	entity storyboard.Entity
	pairs  []parted
}

// parted is a pair that may be coupled.
type parted struct {
	other      storyboard.Entity
	ever       bool // the two are coupled at some time
	leaves     bool // they were coupled, and have not counted since then
	way        float64
	gap, apart storyboard.Measure // between their boxes, and between their reference points
}

// newParting prepares the measures for the pairs that are coupled at some time.
func (p *Player) newParting(w towing, entity int, others []int) (*parting, error) {
	x := &parting{world: w, entity: storyboard.Entity(entity)}
	for _, k := range others {
		pair := parted{other: storyboard.Entity(k)}
		pair.ever = slices.Contains(w.Trailers(x.entity), pair.other) ||
			slices.Contains(w.Trailers(pair.other), x.entity)
		for freespace, to := range map[string]*storyboard.Measure{"true": &pair.gap,
			"false": &pair.apart} {
			if !pair.ever {
				continue
			}
			m, err := p.measure(condition("RelativeDistanceCondition", "freespace", freespace,
				"coordinateSystem", "entity", "rule", "lessThan", "value", "0", "entityRef",
				p.names[k], "relativeDistanceType", "euclidianDistance"), entity)
			if err != nil {
				return nil, err
			}
			*to = m
		}
		x.pairs = append(x.pairs, pair)
	}
	return x, nil
}

// counts reports whether the entity and one of the others count as a pair at this time.
func (x *parting) counts(k int) bool {
	pair := &x.pairs[k]
	if !pair.ever {
		return !x.world.Coupled(x.entity, pair.other)
	}
	before := pair.way
	way, exist := pair.apart.Value()
	if pair.way = way; x.world.Coupled(x.entity, pair.other) {
		pair.leaves = true
		return false
	}
	if !pair.leaves || !exist {
		pair.leaves = false
		return true
	}
	const rounding = 1e-9 // m
	gap, _ := pair.gap.Value()
	pair.leaves = way > before+rounding || gap <= 0 && way >= before-rounding
	return !pair.leaves
}
