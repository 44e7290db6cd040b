package storyboard

// Options configure a storyboard.
type Options struct {
	Observe func(Occurrence) // called for every occurrence; may be nil
}

// Occurrence is something that happened: a transition of an element, or a note of the world.
type Occurrence struct {
	Time       float64 // s
	Element    *Element
	Transition Transition
	Status     Status // after it
	Cause      string // readable reason for the start, stop or skip
	Note       *Note  // instead of an element
}

// change sets the state of an element and reports the transition.
func (b *Board) change(e *Element, t Transition, s Status, cause string) {
	e.status = s
	if t != NoTransition {
		b.number++
		e.happened[t] = moment{pass: b.pass, number: b.number, cursor: b.cursor}
	}
	if b.options.Observe != nil && (t != NoTransition || s == Standby) {
		b.options.Observe(Occurrence{Time: b.now, Element: e, Transition: t, Status: s,
			Cause: cause})
	}
}

// note passes on what the world, or an action of the storyboard itself, reports.
func (b *Board) note(n Note) {
	if b.options.Observe != nil {
		b.options.Observe(Occurrence{Time: n.Time, Note: &n})
	}
}
