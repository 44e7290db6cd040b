package activity

import (
	"fmt"

	"gosmp/timebase"
)

// defaultCycles is the number of cycles that a TimingReport covers.
const defaultCycles = 2000

// TimingLimits enables monitoring of an activity's timing. It needs a time source, see [Stats]. On
// a wall clock, times count from the start of the cycle's span, in model time; on a virtual clock,
// from the call of the callback.
type TimingLimits struct {
	// Warning and Critical limit the completion time of a cycle; 0 means no limit.
	Warning, Critical timebase.Duration
	// Cycles is the number of cycles that a report covers; 0 means 2000.
	Cycles int
	// Report receives each report, in the goroutine that drives the clock; nil means that there is
	// only a TimingExceeded diagnostic for each report with an exceeded limit or an anomaly.
	Report func(TimingReport)
}

// TimingReport is the timing of an activity over a number of cycles.
type TimingReport struct {
	Activity  string
	Start     Timing // when the cycles began
	Complete  Timing // when they were completed
	Warnings  int    // cycles above the Warning limit, but not above the Critical one
	Criticals int    // cycles above the Critical limit
	Anomalies int    // problems counted by the activity itself, see [Activity.Anomaly]
}

// timingWatch is the unfinished report.
type timingWatch struct {
	limited bool
	TimingReport
}

func (l *TimingLimits) bad() string {
	if l.Warning < 0 || l.Critical < 0 || l.Cycles < 0 {
		return fmt.Sprintf("limits %v and %v per %d cycles", l.Warning, l.Critical, l.Cycles)
	}
	return ""
}

// watched reports whether there is anything to monitor.
func (l *TimingLimits) watched() bool {
	return l.Warning > 0 || l.Critical > 0 || l.Cycles > 0 || l.Report != nil
}

// Anomaly counts a timing problem detected by the activity itself, such as late data, for the next
// report. Only its own callbacks may call it.
func (a *Activity) Anomaly() {
	a.node.enter()
	defer a.node.leave()
	a.watch.Anomalies++
}

// watchCycle adds a cycle to the report, and delivers the report when it is complete.
func (a *Activity) watchCycle(start, complete timebase.Duration) {
	w, limits := &a.watch, &a.spec.Limits
	w.Start.add(start)
	w.Complete.add(complete)
	switch {
	case limits.Critical > 0 && complete > limits.Critical:
		w.Criticals++
	case limits.Warning > 0 && complete > limits.Warning:
		w.Warnings++
	}
	cycles := limits.Cycles
	defaultTo(&cycles, defaultCycles)
	if w.Start.Count < uint64(cycles) {
		return
	}
	report := w.TimingReport
	report.Activity = a.name
	w.TimingReport = TimingReport{}
	if report.Warnings+report.Criticals+report.Anomalies > 0 {
		a.node.report(
			TimingExceeded,
			a.String(),
			"of %d cycles %d were completed later than %v and %d later than %v, %d "+
				"anomalies; %v at most",
			cycles,
			report.Warnings,
			limits.Warning,
			report.Criticals,
			limits.Critical,
			report.Anomalies,
			report.Complete.Max,
		)
	}
	if limits.Report != nil {
		a.node.handOver(a.String(), func() { limits.Report(report) })
	}
}

// handOver calls f in the place where reports are delivered.
func (n *Node) handOver(where string, f func()) {
	n.mu.Lock()
	n.unreported = append(n.unreported, &Diagnostic{Where: where, report: f})
	n.mu.Unlock()
}
