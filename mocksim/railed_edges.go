package mocksim

// nextEdge returns the place where an actor reaches a joint or the end of its course, or infinity
// beyond the end of the path. For an actor that is not in the middle of its lane, it includes all
// places where the curvature can change, because the straight direction differs before and after
// them.
func (d *controlled) nextEdge() float64 { return d.edgeFrom(d.u) }

// edgeFrom returns the next edge beyond u.
func (d *controlled) edgeFrom(u float64) float64 {
	c := d.course()
	length := c.rail.length
	if lead := d.offset.lead; d.offset.active() {
		if u < lead-passedEdge {
			return lead
		}
		u = max(u, lead)
	}
	if edge := c.rail.edgeAfter(u, c.forwards, d.offset.active()); edge < length {
		return edge
	}
	if d.last() && (!d.offset.active() || u > length) {
		return inf
	}
	return length
}

// edge returns the start of a joint or a piece.
func (r *rail) edge(k int, pieces bool) float64 {
	if pieces {
		return r.pieces[k].u0
	}
	return r.joints[k].u
}

// edgeAfter returns the next joint beyond u of a course, or the next end of a piece, or the length
// of the rail if there is none.
func (r *rail) edgeAfter(u float64, forwards, pieces bool) float64 {
	n := len(r.joints)
	if pieces {
		n = len(r.pieces)
	}
	at := func(k int) float64 {
		if !forwards {
			k = n - 1 - k
		}
		edge := r.edge(k, pieces)
		if !forwards {
			return r.length - edge
		}
		return edge
	}
	for k := range n {
		if edge := at(k); edge > u+edgeWidth {
			return edge
		}
	}
	return r.length
}

// edgeBefore returns the last end of a piece before u of a course, or 0 if there is none.
func (r *rail) edgeBefore(u float64, forwards bool) float64 {
	edge := 0.0
	for k := range r.pieces {
		at := r.pieces[k].u0
		if !forwards {
			at = r.length - at
		}
		if at <= u && at > edge {
			edge = at
		}
	}
	return edge
}

// edgeWidth is the distance, in m, from a joint at which an actor counts as having passed it.
const edgeWidth = 2e-9

// passedEdge is the distance, in m, before the end of an extended rail at which an actor counts as
// having passed it.
const passedEdge = 4 * edgeWidth

// crossEdge moves the actor across a joint of its course, or to the next course.
func (w *World) crossEdge(a *actor, edge float64) {
	d := &a.driver
	c := d.course()
	var p railPoint
	changes := d.offset.changes
	switch {
	case d.offset.active() && edge == d.offset.lead:
		c.rail.at(edge, c.forwards, &p)
		p.continued(0)
		s := w.stanceAt(a, edge, &p)
		w.settleOn(a, &s, edge, edge)
		d.u = max(d.u, edge-edgeWidth) // it has passed this place in any case
	case edge < c.rail.length || d.last():
		c.at(edge-2*edgeWidth, d.offset.lead, &p)
		p.position = p.position.Add(p.d1.Scale(2 * edgeWidth))
		s := w.stanceAt(a, edge, &p)
		w.settleOn(a, &s, edge, edge+2*edgeWidth)
		if !d.offset.active() {
			// The pieces overlap by the rounding of coordinates, and the projection may be before
			// the joint, which would be crossed again and again.
			d.u = max(d.u, edge-edgeWidth)
		}
	default:
		at := max(edge, d.u)
		c.rail.at(at, c.forwards, &p)
		s := w.stanceAt(a, at, &p)
		d.index++
		w.settleOn(a, &s, 0, 0)
	}
	d.offset.changes = changes && d.offset.active()
}
