package main

import (
	"cmp"
	"slices"

	"google.golang.org/protobuf/proto"

	"gosmp/proto/osi3"
)

// associate pairs the objects of two lists and returns the merged pairs and, as they are, the objects without a
// partner.
func associate(a, b []object, gate2 float64) (objects []object, matched int) {
	partners := assign(len(a), len(b), gate2, func(i, j int) float64 { return a[i].Position.distance2(&b[j].Position, gate2) })
	merged := make([]bool, len(b))
	for i, j := range partners {
		if j < 0 {
			objects = append(objects, a[i])
			continue
		}
		objects = append(objects, merge(&a[i], &b[j]))
		merged[j] = true
		matched++
	}
	for j := range b {
		if !merged[j] {
			objects = append(objects, b[j])
		}
	}
	slices.SortStableFunc(objects, byPlace)
	return objects, matched
}

// merge makes one object of what two sensors have seen of it.
func merge(a, b *object) object {
	if b.surer(a) {
		a, b = b, a
	}
	o := *a
	o.Position, o.Velocity = a.Position.merged(b.Position), a.Velocity.merged(b.Velocity)
	o.Acceleration, o.Dimension = a.Acceleration.merged(b.Acceleration), a.Dimension.merged(b.Dimension)
	o.Orientation, o.Rate = mergeAngles(a.Orientation, b.Orientation), a.Rate.merged(b.Rate)
	o.existence = either(a.existence, b.existence)
	o.predicted = a.predicted && b.predicted
	o.truth, o.by = union(a.truth, b.truth), union(a.by, b.by)
	for k := range o.sources {
		if b.sources[k].Known {
			o.sources[k] = b.sources[k]
		}
	}
	o.classify(b)
	return o
}

// surer says whether the existence of o is more probable than that of the other one or, if that is equal, its place
// known better.
func (o *object) surer(other *object) bool {
	probability := func(o *object) float64 {
		if o.existence == nil {
			return 0
		}
		return *o.existence
	}
	return cmp.Or(cmp.Compare(probability(o), probability(other)),
		cmp.Compare(other.Position.Cov.trace(), o.Position.Cov.trace())) > 0
}

// mergeAngles merges angles the short way round.
func mergeAngles(a, b estimate) estimate {
	if !a.Known || !b.Known {
		return a.merged(b)
	}
	b.Value = a.Value.Add(wrapped(b.Value.Sub(a.Value)))
	a = a.merged(b)
	a.Value = wrapped(a.Value)
	return a
}

// either is the probability that one or the other of two independent detections is right.
func either(p, q *float64) *float64 {
	switch {
	case q == nil:
		return p
	case p == nil:
		return q
	}
	return proto.Float64(1 - (1-*p)*(1-*q))
}

func union(a, b []uint64) []uint64 {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// classify mixes the candidates, and takes from b what o does not have.
func (o *object) classify(b *object) {
	if m, other := o.moving, b.moving; m != nil {
		m.Candidate = mix(m.Candidate, other.Candidate, func(c *osi3.DetectedMovingObject_CandidateMovingObject) hypothesis {
			return hypothesis{&c.Probability, int32(c.GetType()), int32(c.GetVehicleClassification().GetType())}
		})
		complete(m, other)
		return
	}
	s, other := o.stationary, b.stationary
	s.Candidate = mix(s.Candidate, other.Candidate, func(c *osi3.DetectedStationaryObject_CandidateStationaryObject) hypothesis {
		return hypothesis{&c.Probability, int32(c.GetClassification().GetType()), 0}
	})
	complete(s, other)
}

// hypothesis is what a candidate says, and where its probability is.
type hypothesis struct {
	probability **float64
	kind, part  int32
}

// mix is the list of all hypotheses of two lists, each list counting half, the most probable one first.
func mix[C any](a, b []C, read func(C) hypothesis) (mixed []C) {
	if len(a) == 0 || len(b) == 0 {
		return slices.Concat(a, b)
	}
	for _, list := range [][]C{a, b} {
		for _, c := range list {
			h, p := read(c), 1/float64(len(list))
			if told := *h.probability; told != nil {
				p = *told
			}
			p /= 2
			k := slices.IndexFunc(mixed, func(m C) bool { g := read(m); return g.kind == h.kind && g.part == h.part })
			if k < 0 {
				mixed, *h.probability = append(mixed, c), &p
				continue
			}
			sum := **read(mixed[k]).probability + p
			*read(mixed[k]).probability = &sum
		}
	}
	slices.SortStableFunc(mixed, func(c, d C) int {
		g, h := read(c), read(d)
		return cmp.Or(cmp.Compare(**h.probability, **g.probability), cmp.Compare(g.kind, h.kind), cmp.Compare(g.part, h.part))
	})
	return mixed
}

// complete sets the fields of m that it does not have to those of other.
func complete(m, other proto.Message) {
	from, to := other.ProtoReflect(), m.ProtoReflect()
	for f, v := range from.Range {
		if !to.Has(f) {
			to.Set(f, v)
		}
	}
}
