package activity

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"gosmp/internal/fault"
	"gosmp/timebase"
)

// NodeSpec configures a [Node]. The zero value is a node with one manager, ticks of 1 ms and no
// receiver of diagnostics.
type NodeSpec struct {
	// Granule is the length of a tick; 0 means DefaultGranule.
	Granule timebase.Granule
	// Managers is the number of activity managers, with priorities 0 (lowest) to Managers-1; 0
	// means 1.
	Managers int
	// Parallel runs the managers of a virtual clock concurrently, each in its own goroutine. The
	// trace is the same as without Parallel. Callbacks of different managers must then share
	// nothing but channels.
	Parallel bool
	// MaxRounds limits the rounds at one instant, so that activities that trigger each other end in
	// ErrNoProgress instead of a hang; 0 means 100 000.
	MaxRounds int
	// History is how long an [And] keeps the spans of a part while another part is missing; 0 means
	// DefaultHistory.
	History timebase.Duration
	// Trace keeps a hash of every activation and every datum, for TraceHash. Every payload must
	// then have a byte form, see Codec.
	Trace bool
	// Timing is the time source for measuring callbacks for Activity.Stats; nil means that
	// callbacks are not measured. A wall clock always measures them.
	Timing timebase.TimeSource
	// OnDiagnostic receives every diagnostic, in the goroutine that drives the clock; nil means
	// that they are only counted.
	OnDiagnostic func(Diagnostic)
}

// Node is one program on one clock: its channels, alarms, triggers, activities and managers.
//
// First, modules build the node by opening channels and creating tokens and activities. Mistakes do
// not interrupt building: they are collected, [Node.Err] reports them together, and a clock cannot
// be created for a node with mistakes. Then a [VirtualClock] or a [WallClock] drives it. A node
// belongs to one goroutine, except inside parallel managers.
type Node struct {
	spec     NodeSpec
	now      timebase.Time
	modules  map[string]*Module
	channels []*channelCore
	byName   map[string]*channelCore
	alarms   []*alarmCore
	acts     []*Activity
	managers []manager
	mistakes []error
	clocked  bool // a clock has been created
	changed  bool // something was built since the last seal
	news     bool // entries may have been added or removed without being announced to the watchers
	steps    []*StepAlarm
	tours    int // number of the latest tour through the trigger trees, see wire

	queue   alarmQueue
	waiting int // items in all managers
	// wall clock only: model time of the timing source's time
	model   func(timebase.Time) timebase.Time
	running bool
	inRound bool
	joined  []*readerCore // readers over several entries that have spans to pass on
	guards  []*guard      // guards with a period to judge
	judgeAt timebase.Time // end of the earliest of these periods, or EndOfTime

	lingering int                   // closed entries that may still be read
	retired   map[string]*TraceLine // of closed objects

	print    uint64    // fingerprint of the program; 0 if it must be recomputed
	hooked   []*Module // modules with a state hook, by name; found with the fingerprint
	undo     []byte    // state before a restore
	scratch  []byte    // bytes of a payload for the trace
	restored func()    // wall clock only: called after a state is restored
	crew     *crew     // the threads of the managers, while a wall clock runs a parallel node

	mu sync.Mutex // guards the fields below, which callbacks of parallel managers share
	// one of the lists of effects to apply after the round is not empty
	asked      bool
	dirty      []*entry // with data that the current round has written and the next may read
	switches   []*switching
	requests   []scheduler
	pulled     []*ManualTrigger
	closings   []closing
	unreported []*Diagnostic
	findings   [findings]uint64
}

// scheduler is an AperiodicAlarm. The interface keeps its code out of programs without one.
type scheduler interface{ schedule() }

// NewNode returns an empty node.
func NewNode(spec NodeSpec) *Node {
	n := &Node{
		spec:    spec,
		judgeAt: timebase.EndOfTime,
		modules: map[string]*Module{},
		byName:  map[string]*channelCore{},
	}
	defaultTo(&n.spec.Granule, timebase.DefaultGranule)
	defaultTo(&n.spec.Managers, 1)
	defaultTo(&n.spec.MaxRounds, 100_000)
	defaultTo(&n.spec.History, DefaultHistory)
	if spec.Granule < 0 || spec.Managers < 0 || spec.MaxRounds < 0 || spec.History < 0 {
		n.mistake(
			fault.New(ErrSpec, fault.At("node"),
				fmt.Sprintf("granule %v, %d managers, %d rounds, history %v",
					timebase.Time(spec.Granule), spec.Managers, spec.MaxRounds, spec.History),
				"no negative number"),
		)
		n.spec.Granule, n.spec.Managers = timebase.DefaultGranule, 1
	}
	n.managers = make([]manager, n.spec.Managers)
	for i := range n.managers {
		n.managers[i] = manager{node: n, priority: i, warnAt: queueWarning}
	}
	return n
}

func defaultTo[T comparable](v *T, to T) {
	var zero T
	if *v == zero {
		*v = to
	}
}

// Err returns all mistakes made while building, or nil.
func (n *Node) Err() error { return errors.Join(n.mistakes...) }

// Now returns the time of the clock that drives the node.
func (n *Node) Now() timebase.Time {
	n.enter()
	defer n.leave()
	return n.now
}

// present returns the time of the clock; a wall clock continues while a callback runs.
func (n *Node) present() timebase.Time {
	if n.model == nil {
		return n.now
	}
	return max(n.now, n.model(n.spec.Timing.Now()))
}

// Granule returns the length of a tick.
func (n *Node) Granule() timebase.Granule { return n.spec.Granule }

// mistake records an error for Err.
func (n *Node) mistake(err error) { n.mistakes = append(n.mistakes, err) }

// refuse records a mistake and returns it for the object that it makes unusable.
func (n *Node) refuse(err error) error {
	n.mistake(err)
	return err
}

// Module is the owner of tokens, alarms and activities. Its name appears in messages and is part of
// the identity of everything it owns.
type Module struct {
	node *Node
	name string
	hook StateHook

	closed bool
}

// Module returns the module of that name, and creates it if it does not exist.
func (n *Node) Module(name string) *Module {
	m := n.modules[name]
	if m == nil {
		m = &Module{node: n, name: name}
		n.modules[name] = m
		if bad := badName(name); bad != "" {
			n.mistake(fault.New(ErrName, fault.At(fmt.Sprintf("module %q", name)), bad, ""))
		}
	}
	return m
}

// Name returns the module's name.
func (m *Module) Name() string { return m.name }

// Node returns the node to which m belongs.
func (m *Module) Node() *Node { return m.node }

// badName describes what is wrong with a name, or returns "". Line breaks would break the dumps;
// everything else is allowed.
func badName(name string) string {
	switch {
	case name == "":
		return "an empty name"
	case strings.ContainsFunc(name, func(c rune) bool { return c == '\r' || c == '\n' || c == 0 }):
		return fmt.Sprintf("a control character in %q", name)
	}
	return ""
}

// build is called before anything is added, because a node cannot be built while it runs its
// managers in parallel.
func (n *Node) build(where string) error {
	if n.inRound && n.spec.Parallel || n.crew != nil {
		n.mu.Lock()
		defer n.mu.Unlock()
		return n.refuse(fault.New(ErrRunning, fault.At(where),
			"building inside a callback of a parallel node", "").
			WithHint("build between two advances of the clock"))
	}
	n.changed = true
	return nil
}

// seal processes everything built since the last call.
func (n *Node) seal() {
	n.connect()
	n.announce()
}

// connect sorts everything by name, which makes a run independent of the order of building, and
// connects the triggers to the activities and combinations that they trigger.
func (n *Node) connect() {
	n.changed, n.news, n.print = false, true, 0
	slices.SortStableFunc(
		n.channels,
		func(a, b *channelCore) int { return strings.Compare(a.name, b.name) },
	)
	rank := 0
	for _, c := range n.channels {
		rank = c.resolve(rank)
	}
	slices.SortStableFunc(
		n.alarms,
		func(a, b *alarmCore) int { return strings.Compare(a.name, b.name) },
	)
	n.queue, n.steps = n.queue[:0], n.steps[:0]
	for i, a := range n.alarms {
		a.rank = i
		n.queue.add(a)
		if s, ok := a.self.(*StepAlarm); ok {
			n.steps = append(n.steps, s)
		}
	}
	slices.SortStableFunc(
		n.acts,
		func(a, b *Activity) int { return strings.Compare(a.name, b.name) },
	)
	n.rewire()
}

// rewire rebuilds the targets of all triggers, visiting the activities in the order of their names.
func (n *Node) rewire() {
	for _, a := range n.alarms {
		a.targets = nil
	}
	for _, c := range n.channels {
		for _, r := range c.readers {
			r.targets = nil
		}
		for _, w := range c.watchers {
			w.targets = nil
		}
	}
	n.tours++
	for i, a := range n.acts {
		a.rank = i
		n.wire(a.trigger, a, 0)
		if a.guard != nil {
			n.wire(a.guard.on, a.guard, 0)
		}
	}
	n.markTriggering()
}

// markTriggering finds the entries whose data trigger anything, and those that are read
// sequentially.
func (n *Node) markTriggering() {
	for _, c := range n.channels {
		for _, e := range c.entries {
			e.triggers, e.sequential = false, false
			for _, b := range e.binds {
				e.triggers = e.triggers || len(b.reader.targets) > 0
				e.sequential = e.sequential || b.sequential
			}
		}
	}
}

// wire makes t pass its spans on to input i of l, and wires the inputs of t when this tour visits
// it for the first time.
func (n *Node) wire(t part, l listener, i int) {
	if t == nil {
		return
	}
	base := t.trigger()
	first := base.tour != n.tours
	if first {
		base.tour = n.tours
		base.targets = base.targets[:0]
	}
	base.targets = append(base.targets, target{l, i})
	if !first {
		return
	}
	for k, in := range base.inputs {
		n.wire(in, t.(listener), k)
	}
}
