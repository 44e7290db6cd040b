package experiment

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gosmp/experiment/scxml"
	"gosmp/experiment/scxml/check"
	"gosmp/internal/finding"
)

// judgedChart is a chart file in one role. Machines that share it share its findings.
type judgedChart struct {
	src       string
	evaluates bool
}

// machines checks all state machines.
func (c *checker) machines() {
	c.charts, c.judged = map[string]inspected{}, map[judgedChart]bool{}
	c.events = c.outside()
	for _, m := range c.d.Control {
		c.machine(m, false)
	}
	for _, m := range c.d.Evaluation {
		c.machine(m, true)
	}
}

func (c *checker) machine(m Machine, evaluates bool) {
	switch {
	case m.Kind == SCXML && c.options.SeedCompatible:
		c.add("EX13", finding.Warning, m.Position,
			fmt.Sprintf("the SCXML machine %q is ignored, as on the platform", m.ID),
			"run without --seed-compat")
	case m.Kind == SCXML:
		c.chart(m, evaluates)
	case m.Kind == SMACH && m.Src != "" && find(c.files, m.Src) == nil:
		c.smach(m)
	}
}

// chart checks an SCXML machine.
func (c *checker) chart(m Machine, evaluates bool) {
	key := judgedChart{m.Src, evaluates}
	if m.Chart == nil && c.judged[key] {
		return
	}
	chart, list, err := c.inspect(m)
	if err != nil {
		if find(c.files, m.Src) == nil { // otherwise reported as missing
			c.broken("EX12", m.Position, fmt.Sprintf("%s cannot be read: %v", m.Src, err), "")
		}
		return
	}
	c.judged[key] = m.Chart == nil
	o := check.Options{Evaluation: evaluates, Seeded: c.d.Seed != nil,
		Processors: []string{Processor}, Services: Services, Events: c.events,
		Objects: ObjectEvents}
	c.list = append(c.list, check.Judge(chart, list, o)...)
}

// inspected holds the result of reading a chart.
type inspected struct {
	chart *scxml.Chart
	list  Findings
	err   error
}

// inspect reads the chart of an SCXML machine; each file is read only once.
func (c *checker) inspect(m Machine) (*scxml.Chart, Findings, error) {
	if m.Chart != nil {
		chart, list := scxml.InspectElement(c.file, m.Chart, Config(c.files, ""))
		return chart, list, nil
	}
	r, known := c.charts[m.Src]
	if !known {
		var text []byte
		if text, r.err = ReadFile(c.files, m.Src); r.err == nil {
			r.chart, r.list = scxml.Inspect(m.Src, text, Config(c.files, m.Src))
		}
		c.charts[m.Src] = r
	}
	return r.chart, r.list, r.err
}

// outside lists the events that a machine may receive from outside: events from the experiment and
// from other machines. It is nil if a machine may send any event.
func (c *checker) outside() []string {
	all, seen := slices.Clone(Events), map[string]bool{}
	if IsScenario(c.d.Environment.Src) {
		all = append(all, ScenarioEvents...)
	}
	for _, m := range slices.Concat(c.d.Control, c.d.Evaluation) {
		if m.Kind != SCXML || m.Chart == nil && seen[m.Src] {
			continue
		}
		seen[m.Src] = true
		chart, _, _ := c.inspect(m) // errors are reported by chart
		if chart == nil {
			return nil // the events it would send are unknown
		}
		events, ok := check.Sent(chart)
		if !ok {
			return nil
		}
		all = append(all, events...)
	}
	return all
}

var machineVariable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(sm|stateMachine)\s*=[^=]`)
})
var tutorialVariable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^state_machine\s*=[^=]`)
})

// smach checks EX14.
func (c *checker) smach(m Machine) {
	text, err := ReadFile(c.files, m.Src)
	switch {
	case err != nil:
		c.broken("EX14", m.Position, fmt.Sprintf("%s cannot be read: %v", m.Src, err), "")
		return
	case tutorialVariable().Match(text) && !machineVariable().Match(text):
		c.add("EX14", finding.Warning, m.Position,
			fmt.Sprintf(
				"%s calls its machine state_machine; the platform finds only sm and stateMachine",
				m.Src), "rename it to sm")
	case !machineVariable().Match(text):
		c.add("EX14", finding.Warning, m.Position,
			fmt.Sprintf("%s has no global variable sm or stateMachine", m.Src),
			"assign the machine to sm")
	}
	c.add("EX14", finding.Warning, m.Position,
		fmt.Sprintf("gosmp cannot execute the SMACH machine %q", m.ID), "translate it: "+
			Translation(m.Src))
}

// Translation returns the command that translates a SMACH machine.
func Translation(src string) string {
	out := strings.TrimSuffix(path.Base(src), path.Ext(src)) + ".scxml"
	if out == src {
		out = "chart.scxml"
	}
	return fmt.Sprintf("gosmp convert %s -o %s", src, out)
}
