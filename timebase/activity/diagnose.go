package activity

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/timebase"
)

// Finding is the kind of a [Diagnostic].
type Finding uint8

// The kinds of diagnostics that a node reports while it runs.
const (
	// StreamGap: a stream datum starts after the end of the previous one without a declared stop.
	StreamGap Finding = iota
	// StreamOverlap: a stream datum starts before the previous one ended; it was cut to its new
	// part.
	StreamOverlap
	// UnreadData: a sequential reader does not read its data, and memory grows.
	UnreadData
	// LostData: unread data exceeded the channel's limit; the oldest data was dropped.
	LostData
	// KindMismatch: a reader for streams is bound to events, or vice versa.
	KindMismatch
	// QueueBacklog: more than 500 activities wait in one manager.
	QueueBacklog
	// TriggerBacklog: one source of an And has been missing for so long that the history of another
	// was shortened.
	TriggerBacklog
	// RegulatorInput: a regulator received something that it cannot resample.
	RegulatorInput
	// PriorityClamped: an activity asked for a manager that does not exist.
	PriorityClamped
	// ActivityFailed: a callback returned an error or panicked; its activity was switched off.
	ActivityFailed
	// InputFailed: the input of a guarded activity failed; its safe callback has taken over.
	InputFailed
	// InputRestored: the input is back, and the work callback is used again.
	InputRestored
	// TimingExceeded: some of an activity's latest cycles exceeded its limits, see TimingLimits.
	TimingExceeded
	// ClockLate: a wall clock woke up later than its limit allows.
	ClockLate

	findings // the number of kinds
)

var findingNames = [findings]string{
	"stream gap", "stream overlap", "unread data", "lost data", "kind mismatch", "queue backlog",
	"trigger backlog",
	"regulator input", "priority clamped", "activity failed", "input failed", "input restored",
	"timing exceeded", "clock late",
}

// String returns the name of the kind.
func (f Finding) String() string {
	if f < findings {
		return findingNames[f]
	}
	return fmt.Sprintf("Finding(%d)", uint8(f))
}

// Diagnostic is a message about a running node for its operators.
type Diagnostic struct {
	Finding Finding
	Time    timebase.Time // clock time when it was noticed
	Where   string        // the channel entry, reader, activity or manager concerned
	Detail  string        // the numbers and a remedy

	report func() // set instead of a diagnostic: delivers a TimingReport
}

// String returns the diagnostic in one line.
func (d Diagnostic) String() string {
	return fmt.Sprintf("%v %s: %v: %s", d.Time, d.Where, d.Finding, d.Detail)
}

// report counts a finding and passes it to the node's OnDiagnostic. While the clock runs, this
// happens at the end of the round, so that the order does not depend on which manager was faster,
// and the receiver may use the node.
func (n *Node) report(f Finding, where, format string, args ...any) {
	d := &Diagnostic{Finding: f, Time: n.now, Where: where, Detail: fmt.Sprintf(format, args...)}
	n.mu.Lock()
	n.findings[f]++
	n.unreported = append(n.unreported, d)
	n.mu.Unlock()
	if !n.running {
		n.flushReports()
	}
}

func (n *Node) flushReports() {
	if len(n.unreported) == 0 || n.crew != nil { // threads keep their reports for the clock
		return
	}
	batch := n.unreported
	n.unreported = nil // the receiver may cause another report
	n.deliver(batch)
}

func (n *Node) deliver(batch []*Diagnostic) {
	slices.SortStableFunc(
		batch,
		func(a, b *Diagnostic) int { return strings.Compare(a.Where, b.Where) },
	)
	for _, d := range batch {
		if d.report != nil {
			d.report()
		} else if n.spec.OnDiagnostic != nil {
			n.spec.OnDiagnostic(*d)
		}
	}
}

// Findings returns how often a kind of diagnostic was reported since the node was created.
func (n *Node) Findings(f Finding) uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	if f >= findings {
		return 0
	}
	return n.findings[f]
}
