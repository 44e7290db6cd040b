package activity

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"gosmp/timebase"
)

// WriteText describes the node in readable form: every channel with its writers, readers and the
// activities that it triggers, every alarm, and every activity with its state. Everything is sorted
// by name.
func (n *Node) WriteText(w io.Writer) error {
	_, err := io.WriteString(w, n.describe())
	return err
}

func (n *Node) describe() string {
	n.enter()
	defer n.leave()
	n.sealIfSound()
	var b strings.Builder
	fmt.Fprintf(
		&b,
		"node at %v, tick %v, %d manager(s)\n",
		n.now,
		timebase.Time(n.spec.Granule),
		len(n.managers),
	)
	for _, c := range n.channels {
		n.describeChannel(&b, c)
	}
	for _, a := range n.alarms {
		fmt.Fprintf(&b, "%v: fired %d times%s\n", a.self, a.fired, n.triggeredBy(&a.triggerCore))
	}
	for _, a := range n.acts {
		fmt.Fprintf(
			&b,
			"%v: manager %d, order %d, triggered by %v\n",
			a,
			a.manager,
			a.spec.Priority.Order,
			a.trigger,
		)
		fmt.Fprintf(&b, "  %s\n", a.why())
		if run := a.stats.Run; run.Count > 0 {
			fmt.Fprintf(&b, "  took %v on average, %v at most\n", run.Mean(), run.Max)
		}
	}
	return b.String()
}

// sealIfSound sorts the lists by name, if the node has no mistakes.
func (n *Node) sealIfSound() {
	if n.changed && !n.running && len(n.mistakes) == 0 {
		n.seal()
	}
}

func (n *Node) describeChannel(b *strings.Builder, c *channelCore) {
	fmt.Fprintf(b, "channel %q of %s\n", c.name, c.typeName)
	for _, e := range c.entries {
		fmt.Fprintf(
			b,
			"  %v %q written by %s: %d data, %d kept",
			e.kind,
			e.label,
			e.module,
			e.tail,
			e.kept(),
		)
		if e.began {
			fmt.Fprintf(b, ", up to %v", e.end)
		}
		b.WriteString("\n")
	}
	for _, w := range c.watchers {
		fmt.Fprintf(b, "  watched by %s%s\n", w.module, n.triggeredBy(&w.triggerCore))
	}
	for _, r := range c.readers {
		fmt.Fprintf(
			b,
			"  read by %s: %s, %v%s\n",
			r.module,
			r.choice(),
			r.spec.Mode,
			n.triggeredBy(&r.triggerCore),
		)
		if len(r.binds) == 0 {
			fmt.Fprintf(b, "    finds nothing to read: no writer for %s\n", r.choice())
		}
	}
}

// triggeredBy names the activities in whose triggers this one is a part.
func (n *Node) triggeredBy(core *triggerCore) string {
	var all []string
	for _, a := range n.acts {
		if involves(a.trigger, core) {
			all = append(all, a.name)
		}
		if a.guard != nil && involves(a.guard.on, core) {
			all = append(all, "the safe callback of "+a.name)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return ", triggers " + strings.Join(all, ", ")
}

func involves(t part, core *triggerCore) bool {
	if t == nil {
		return false
	}
	if t.trigger() == core {
		return true
	}
	for _, in := range t.trigger().inputs {
		if involves(in, core) {
			return true
		}
	}
	return false
}

// WriteDot describes the same as a Graphviz graph: boxes are modules, ellipses channels, diamonds
// alarms. Solid arrows are data, dashed ones lead from a trigger to its activity and are labelled
// with the combination, and dotted ones show the time base of a safe callback.
func (n *Node) WriteDot(w io.Writer) error {
	_, err := io.WriteString(w, n.graph())
	return err
}

func (n *Node) graph() string {
	n.enter()
	defer n.leave()
	n.sealIfSound()
	var b strings.Builder
	b.WriteString("digraph timebase {\n\trankdir=LR;\n")
	for _, c := range n.channels {
		channel := "channel " + c.name
		fmt.Fprintf(&b, "\t%s [shape=ellipse, label=%s];\n", quote(channel), quote(c.name))
		for _, e := range c.entries {
			fmt.Fprintf(
				&b,
				"\t%s -> %s [label=%s];\n",
				quote("module "+e.module),
				quote(channel),
				quote(e.label),
			)
		}
		for _, r := range c.readers {
			fmt.Fprintf(
				&b,
				"\t%s -> %s [label=%s];\n",
				quote(channel),
				quote("module "+r.module),
				quote(r.choice()),
			)
			n.dotTriggers(&b, channel, &r.triggerCore)
		}
		for _, w := range c.watchers {
			n.dotTriggers(&b, channel, &w.triggerCore)
		}
	}
	for _, a := range n.alarms {
		fmt.Fprintf(
			&b,
			"\t%s [shape=diamond, label=%s];\n",
			quote(a.self.String()),
			quote(a.self.String()),
		)
		n.dotTriggers(&b, a.self.String(), &a.triggerCore)
	}
	n.dotModules(&b)
	b.WriteString("}\n")
	return b.String()
}

// dotModules draws each module with its activities inside.
func (n *Node) dotModules(b *strings.Builder) {
	for _, name := range slices.Sorted(maps.Keys(n.modules)) {
		fmt.Fprintf(b, "\tsubgraph %s {\n\t\tlabel=%s;\n", quote("cluster "+name), quote(name))
		fmt.Fprintf(b, "\t\t%s [shape=box, label=%s];\n", quote("module "+name), quote(name))
		for _, a := range n.acts {
			if a.module.name == name {
				fmt.Fprintf(
					b,
					"\t\t%s [shape=box, style=rounded, label=%s];\n",
					quote(a.String()),
					quote(a.name),
				)
			}
		}
		b.WriteString("\t}\n")
	}
}

func (n *Node) dotTriggers(b *strings.Builder, from string, core *triggerCore) {
	for _, a := range n.acts {
		if involves(a.trigger, core) {
			fmt.Fprintf(
				b,
				"\t%s -> %s [style=dashed, label=%s];\n",
				quote(from),
				quote(a.String()),
				quote(combination(a.trigger)),
			)
		}
		if a.guard != nil && involves(a.guard.on, core) {
			fmt.Fprintf(
				b,
				"\t%s -> %s [style=dotted, label=\"safe\"];\n",
				quote(from),
				quote(a.String()),
			)
		}
	}
}

// combination returns in one word how a trigger combines its parts, or "" for a single part.
func combination(t part) string {
	switch t.(type) {
	case *andTrigger:
		return "and"
	case *orTrigger:
		return "or"
	case *Regulator:
		return "regulated"
	case *TimeWarp:
		return "warped"
	}
	return ""
}

// quote returns a quoted identifier of the DOT language, which Graphviz expects in UTF-8.
func quote(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
