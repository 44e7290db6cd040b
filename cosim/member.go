package cosim

import "gosmp/timebase"

// member is a participant in an engine, or a source.
type member struct {
	name        string
	number      int // in the order of Add
	participant Participant
	source      Source
	variables   []Variable
	traits      Traits
	byName      map[string]int
	inputs      []int
	outputs     []int
	in, out     *Frame
	// out as other participants see it: out itself, or a copy that holds until the step has ended
	shown   *Frame
	shownAt timebase.Time // the time of the values in shown
	links   []*link       // links into it
	feeders []*member     // the sources of these links
	lines   []*link       // the links with linear extrapolation
	batch   *batch        // the batch that begins with it, or nil
	course  Course        // the course in which it can go ahead, or nil

	step  Grid  // as requested; zero for the base step
	every int64 // number of base steps in one of its own steps

	entered bool
	asked   bool // its outputs have been read during initialization
	failed  bool
	now     timebase.Time
	fedAt   timebase.Time // when the inputs were last provided
	grid    int64         // how many of its own steps have begun
	shrink  int           // how often its current step has been halved, if not the base step
	kept    snapshot

	end     timebase.Time // of its current step
	due     bool          // it takes part in the current step
	begun   bool          // the participant began this step before its turn
	outcome outcome

	// time that its steps took of the clock of the run, all and when the run was last in time
	spent, spentBefore timebase.Duration
}

// outcome is the result of a participant's current step.
type outcome struct {
	advance Advance
	moved   bool // it has moved from the beginning of the step
	ended   bool
	events  int64
	err     error
}

// snapshot is the engine's own state for a participant, to which it can return.
type snapshot struct {
	now, fedAt timebase.Time
	grid       int64
	shrink     int
	shownAt    timebase.Time
	out, shown values
}

// values is a copy of the values of a frame.
type values struct {
	cells  []uint64
	blobs  [][]byte
	slopes []float64
}

// take copies the values of a frame, including the bytes of its messages.
func (v *values) take(f *Frame) {
	v.cells = append(v.cells[:0], f.Cells...)
	v.slopes = append(v.slopes[:0], f.Slopes...)
	if v.blobs == nil {
		v.blobs = make([][]byte, len(f.Blobs))
	}
	for k, b := range f.Blobs {
		v.blobs[k] = append(v.blobs[k][:0], b...)
	}
}

// give copies the values back to the frame.
func (v *values) give(f *Frame) {
	copy(f.Cells, v.cells)
	copy(f.Blobs, v.blobs)
	copy(f.Slopes, v.slopes)
}

// keep records the position of the participant.
func (m *member) keep() {
	m.kept.now, m.kept.grid, m.kept.shrink, m.kept.shownAt = m.now, m.grid, m.shrink, m.shownAt
	m.kept.fedAt = m.fedAt
	for _, l := range m.lines {
		l.keptLine.set(l.line)
	}
	m.kept.out.take(m.out)
	if m.shown != m.out {
		m.kept.shown.take(m.shown)
	}
}

// back returns the participant to its recorded position.
func (m *member) back() {
	m.now, m.grid, m.shrink, m.shownAt = m.kept.now, m.kept.grid, m.kept.shrink, m.kept.shownAt
	m.fedAt = m.kept.fedAt
	for _, l := range m.lines {
		l.line.set(l.keptLine)
	}
	m.kept.out.give(m.out)
	if m.shown != m.out {
		m.kept.shown.give(m.shown)
	}
}

// show makes the outputs visible to others.
func (m *member) show() {
	m.shownAt = m.now
	if m.shown != m.out {
		copy(m.shown.Cells, m.out.Cells)
		copy(m.shown.Blobs, m.out.Blobs)
		copy(m.shown.Slopes, m.out.Slopes)
	}
}

// fetch copies the connected values to the inputs.
func (m *member) fetch() error {
	for _, l := range m.links {
		if err := l.copy(); err != nil {
			return err
		}
	}
	m.provided()
	return nil
}

// provide makes the outputs visible and copies the connected values to the inputs, unless the step
// has already begun with these values or the participant is ahead.
func (m *member) provide() error {
	if m.begun {
		return nil
	}
	m.show()
	if m.isAhead() {
		return nil
	}
	return m.fetch()
}

// Signal is a variable that observers read at each row.
type Signal struct {
	Participant string
	Variable    Variable
	label       string
	owner       *member
	number      int
	frame       *Frame
	port        Port
}

// Name returns participant.variable.
func (s *Signal) Name() string { return s.Participant + "." + s.Variable.Name }

// Label returns the name of the signal for observers: the one set by SetLabel, otherwise
// participant.variable.
func (s *Signal) Label() string {
	if s.label != "" {
		return s.label
	}
	return s.Name()
}

// SetLabel gives the signal another name for observers and returns it.
func (s *Signal) SetLabel(label string) *Signal {
	s.label = label
	return s
}

// Cells returns the elements of a signal of a plain kind; see [Frame].
func (s *Signal) Cells() []uint64 {
	return s.frame.Cells[s.port.Offset : s.port.Offset+s.port.Size]
}

// First returns the first element: its cell, or its bytes. For an array of size 0, it returns 0 and
// nil.
func (s *Signal) First() (cell uint64, blob []byte) {
	switch {
	case s.port.Size == 0:
		return 0, nil
	case s.port.Kind.IsBlob():
		return 0, s.Blobs()[0]
	}
	return s.Cells()[0], nil
}

// Blobs returns the elements of a text or binary signal.
func (s *Signal) Blobs() [][]byte {
	return s.frame.Blobs[s.port.Offset : s.port.Offset+s.port.Size]
}
