package play

import (
	"slices"

	"gosmp/scenario/storyboard"
)

// partings decides when an entity and others count as pairs although they are parts of one train at
// some time. While they are coupled, they do not. A trailer that is uncoupled touches its vehicle,
// or is one drawbar away, and does not count as long as the distance grows, or stays as it was when
// they were uncoupled. If they approach each other, they count immediately, so that no collision is
// hidden.
type partings struct {
	world  towing
	entity storyboard.Entity
	list   []parting
}

// parting is a pair that may be coupled.
type parting struct {
	other      storyboard.Entity
	ever       bool // the two are coupled at some time
	coupled    bool // at the time before
	leaves     bool // they were coupled, and have not counted since then
	way        float64
	space      float64            // between their boxes when they were uncoupled
	gap, apart storyboard.Measure // between their boxes, and between their reference points
}

// newPartings prepares the measures for the pairs that are coupled at some time.
func (p *Player) newPartings(w towing, entity int, others []int) (*partings, error) {
	x := &partings{world: w, entity: storyboard.Entity(entity)}
	for _, k := range others {
		pair := parting{other: storyboard.Entity(k)}
		pair.ever = slices.Contains(w.Trailers(x.entity), pair.other) ||
			slices.Contains(w.Trailers(pair.other), x.entity)
		if pair.ever {
			var err error
			if pair.gap, err = p.euclidean("true", entity, k); err != nil {
				return nil, err
			}
			if pair.apart, err = p.euclidean("false", entity, k); err != nil {
				return nil, err
			}
		}
		x.list = append(x.list, pair)
	}
	return x, nil
}

// euclidean returns the distance between the boxes, or the reference points, of two entities.
func (p *Player) euclidean(freespace string, entity, other int) (storyboard.Measure, error) {
	return p.measure(condition("RelativeDistanceCondition", "freespace", freespace,
		"coordinateSystem", "entity", "rule", "lessThan", "value", "0", "entityRef",
		p.names[other], "relativeDistanceType", "euclidianDistance"), entity)
}

// counts reports whether the entity and one of the others count as a pair at this time.
func (x *partings) counts(k int) bool {
	pair := &x.list[k]
	now := x.world.Coupled(x.entity, pair.other)
	if !pair.ever || now {
		pair.coupled = now
		return !now
	}
	before := pair.way
	way, exist := pair.apart.Value()
	gap, _ := pair.gap.Value()
	pair.way = way
	switch {
	case !exist:
		pair.leaves = false
	case pair.coupled: // they moved as a train until now, which may bring them closer in bends
		pair.leaves, pair.space = true, gap
	case pair.leaves:
		const rounding = 1e-9 // m
		pair.leaves = way > before+rounding ||
			way >= before-rounding && gap <= pair.space+rounding
	}
	pair.coupled = false
	return !pair.leaves
}
