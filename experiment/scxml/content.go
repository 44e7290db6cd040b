package scxml

import (
	"fmt"
	"strings"
)

// expression compiles an attribute; it returns nil if the element does not have it.
func (b *builder) expression(e *Element, attribute string, role Role) *Expression {
	text, ok := e.Attr(attribute)
	if !ok {
		return nil
	}
	return b.compile(e, text, e.At(attribute), role)
}

func (b *builder) compile(e *Element, text string, at Position, role Role) *Expression {
	x := &Expression{Text: text, Role: role, Position: at, element: e}
	key := compiledText{role, text}
	known, ok := b.compiled[key]
	if !ok {
		known.code, known.err = b.chart.Language.Compile(role, text)
		b.compiled[key] = known
	}
	x.Code, x.Err = known.code, known.err
	if x.Err != nil {
		b.later(SX10, inText(at, x.Err), fmt.Sprintf("%s in <%s> does not parse: %v",
			quoteShort(text), e.Name, x.Err),
			"correct it; until then it raises error.execution each time")
	}
	return x
}

// compiledText is a text that is compiled once, no matter how often it occurs (X25).
type compiledText struct {
	role Role
	text string
}

type compilation struct {
	code Code
	err  error
}

// inText returns the place of an error in a text that begins at the given position.
func inText(at Position, err error) Position {
	c, ok := err.(*CompileError) //nolint:errorlint // Compile returns it bare
	if !ok || c.Line < 1 {
		return at
	}
	if c.Line == 1 {
		return Position{at.Line, at.Column + max(c.Column, 1) - 1}
	}
	return Position{at.Line + c.Line - 1, max(c.Column, 1)}
}

// block builds the executable content of an element.
func (b *builder) block(e *Element) (block Block) {
	for _, c := range e.Elements() {
		if _, ok := allows(executable, c.Name); !ok || !isChartSpace(c.Space) {
			continue
		}
		block = append(block, b.action(c))
	}
	return block
}

func (b *builder) action(c *Element) Action {
	if c.Name != "send" {
		b.grammatical(c, grammar[c.Name])
	}
	switch c.Name {
	case "raise":
		event, _ := c.Attr("event")
		b.eventName(c, "event")
		return &Raise{action{c}, event}
	case "log":
		label, _ := c.Attr("label")
		return &Log{action{c}, label, b.expression(c, "expr", Expr)}
	case "if":
		return b.branches(c)
	case "foreach":
		return b.forEach(c)
	case "assign":
		return &Assign{action{c}, b.expression(c, "location", Location), b.given(c)}
	case "script":
		return b.script(c)
	case "cancel":
		return &Cancel{action{c}, b.text(c, "sendid", "sendidexpr")}
	default:
		return b.send(c)
	}
}

// eventName checks the name of a raised or sent event.
func (b *builder) eventName(e *Element, attribute string) {
	name, ok := e.Attr(attribute)
	if required := e.Name != "send"; !ok || required && strings.TrimSpace(name) == "" {
		return // SX03
	}
	if !validEvent(name) {
		b.later(SX10, e.At(attribute), fmt.Sprintf("the event name %q is malformed", name),
			"write names separated by dots, without * and blanks")
	}
}

func (b *builder) forEach(c *Element) *ForEach {
	f := &ForEach{action: action{c}, Array: b.expression(c, "array", Expr)}
	f.Item = b.expression(c, "item", Variable)
	f.Index = b.expression(c, "index", Variable)
	f.Content = b.block(c)
	return f
}

// branches splits the content of an if at its elseif and else elements.
func (b *builder) branches(c *Element) *If {
	f := &If{action: action{c}}
	f.Branches = []Branch{{Cond: b.expression(c, "cond", Condition), element: c}}
	sawElse := false
	for _, child := range c.Elements() {
		if !isChartSpace(child.Space) {
			continue
		}
		if child.Name == "elseif" || child.Name == "else" {
			b.grammatical(child, grammar[child.Name])
			if sawElse {
				b.report(SX02, child.Position, fmt.Sprintf("<%s> follows <else>", child.Name),
					"make <else> the last branch")
			}
			sawElse = sawElse || child.Name == "else"
			f.Branches = append(f.Branches, Branch{Cond: b.expression(child, "cond", Condition),
				element: child})
			continue
		}
		if _, ok := allows(executable, child.Name); ok {
			last := &f.Branches[len(f.Branches)-1]
			last.Content = append(last.Content, b.action(child))
		}
	}
	return f
}

func (b *builder) script(c *Element) *Script {
	text, at := c.Text(), c.Position
	for _, n := range c.Children {
		if n.Element == nil {
			at = n.Position
			break
		}
	}
	if src, ok := c.Attr("src"); ok {
		loaded, err := b.config.load(src)
		if err != nil {
			b.report(SX12, c.At("src"), fmt.Sprintf("the script %q cannot be read: %v", src, err),
				"correct src, or put the file there")
			return &Script{action{c}, &Expression{element: c}}
		}
		text, at = string(loaded), c.At("src")
	}
	return &Script{action{c}, b.compile(c, text, at, Statements)}
}

// text reads an attribute that has a form with a value and a form with an expression.
func (b *builder) text(c *Element, plain, computed string) Text {
	value, ok := c.Attr(plain)
	x := b.expression(c, computed, Expr)
	return Text{Given: ok || x != nil, Value: value, Expr: x}
}

func (b *builder) send(c *Element) *Send {
	s := &Send{action: action{c}}
	r := grammar["send"]
	name, ok := b.extension(c)
	if !ok && name != "" {
		return s // reported; permitted content is unknown
	}
	if ok {
		r = extended[name].rule
		s.External = &External{Service: name == "ServiceRequest", Blocking: true}
		s.External.DataType, _ = c.Attr("data_type")
		if s.External.Service {
			s.External.DataType, _ = c.Attr("service_type")
			if v, given := c.Attr("blocking"); given {
				s.External.Blocking = v == "true" || v == "1"
			}
		}
	}
	b.grammatical(c, r)
	b.eventName(c, "event")
	s.Event = b.text(c, "event", "eventexpr")
	s.Target = b.text(c, "target", "targetexpr")
	s.Type = b.text(c, "type", "typeexpr")
	s.Delay = b.text(c, "delay", "delayexpr")
	s.ID, _ = c.Attr("id")
	b.unique(c)
	s.IDLocation = b.expression(c, "idlocation", Location)
	s.Payload = b.payload(c)
	b.checkSend(c, s)
	return s
}

func (b *builder) checkSend(c *Element, s *Send) {
	if s.External == nil && s.Type.Expr == nil && IsChartProcessor(s.Type.Value) &&
		!s.Event.Given && s.Payload.Content == nil {
		b.report(SX03, c.Position, "<send> has neither event nor eventexpr nor <content>",
			"add one of them")
	}
	if s.Delay.Given && s.Delay.Expr == nil {
		if _, err := ParseDuration(s.Delay.Value); err != nil {
			b.later(SX10, c.At("delay"), err.Error(),
				`write a number with a unit, as in "1.5s" or "200ms"`)
		}
	}
	if s.Delay.Given && s.Target.Value == targetInternal {
		b.later(SX13, c.At("delay"), "an event for #_internal cannot be delayed",
			"remove the delay, or the target")
	}
}

// extension finds the extension of NRP that the xsi:type of an element names; name is empty for a
// plain element.
func (b *builder) extension(e *Element) (name string, ok bool) {
	name, space, given := e.XSIType()
	if !given {
		return "", false
	}
	x, known := extended[name]
	if !known || x.element != e.Name || space != namespaceROS {
		a := e.attribute(namespaceXSI, "type")
		b.report(SX11, a.Position, fmt.Sprintf("<%s> cannot have the xsi:type %q", e.Name, a.Value),
			"expected MessageOnROSTopic (registerEvent), Message or ServiceRequest (send), with "+
				"a prefix bound to "+namespaceROS)
		return a.Value, false
	}
	return name, true
}

// payload reads namelist, param and content.
func (b *builder) payload(e *Element) (p Payload) {
	names, _ := e.Attr("namelist")
	for _, name := range strings.Fields(names) {
		x := b.compile(e, name, e.At("namelist"), Location)
		p.Params = append(p.Params, Param{Name: name, Expr: x, Location: x, element: e})
	}
	for _, c := range e.Elements() {
		switch {
		case c.is("param"):
			b.grammatical(c, grammar["param"])
			p.Params = append(p.Params, b.param(c))
		case c.is("content"):
			b.grammatical(c, grammar["content"])
			p.Content = b.given(c)
			if p.Content == nil {
				p.Content = &Given{Value: String(""), element: c}
			}
		}
	}
	return p
}

func (b *builder) param(c *Element) Param {
	p := Param{element: c, Expr: b.expression(c, "expr", Expr), Location: b.expression(c,
		"location", Location)}
	p.Name, _ = c.Attr("name")
	if p.Expr == nil {
		p.Expr = p.Location
	}
	if p.Expr == nil {
		b.report(SX03, c.Position, fmt.Sprintf("<param name=%q> has neither expr nor location",
			p.Name), "add one of them")
	}
	return p
}

// given reads a value; it returns nil if the element has none.
func (b *builder) given(e *Element) *Given {
	g := &Given{element: e, Expr: b.expression(e, "expr", Expr)}
	if src, ok := e.Attr("src"); ok && e.Name == "data" {
		g.Src = src
		loaded, err := b.config.load(src)
		if err != nil {
			b.later(SX12, e.At("src"), fmt.Sprintf("the file %q cannot be read: %v", src, err),
				"correct src, or put the file there")
		}
		g.Value, g.err = literal(string(loaded)), err
		return g
	}
	if g.Expr != nil {
		return g
	}
	if !hasContent(e) {
		return nil
	}
	g.Value = inline(e)
	return g
}

// inline applies X18 to the content of an element: several elements, or an element next to text,
// are not a document and count as literal text.
func inline(e *Element) Value {
	elements := e.Elements()
	if len(elements) == 1 && strings.TrimSpace(e.Text()) == "" {
		return XMLValue(elements[0])
	}
	if len(elements) == 0 {
		return literal(e.Text())
	}
	var b strings.Builder
	for _, n := range e.Children {
		if n.Element != nil {
			b.WriteString(n.Element.XMLWithin(e.Space))
		} else {
			b.WriteString(n.Text)
		}
	}
	return literal(b.String())
}

func (b *builder) data(e *Element) *Data {
	b.grammatical(e, grammar["data"])
	d := &Data{element: e, Value: b.given(e)}
	d.ID, _ = e.Attr("id")
	d.variable = b.expression(e, "id", Variable)
	b.unique(e)
	if strings.HasPrefix(d.ID, "_") {
		b.later(SX14, e.At("id"), fmt.Sprintf("the variable %q begins with an underscore", d.ID),
			"choose a different name: these are reserved for the platform")
	}
	return d
}

func (b *builder) invoke(e *Element, q *State) *Invoke {
	i := &Invoke{State: q, element: e, index: len(b.chart.invokes)}
	b.chart.invokes = append(b.chart.invokes, i)
	r := grammar[e.Name]
	name, ok := b.extension(e)
	if ok {
		r = extended[name].rule
	}
	if ok || name == "" {
		b.grammatical(e, r)
	}
	if f := e.child("finalize"); f != nil {
		i.Finalize, i.HasFinalize = b.block(f), true
		b.checkFinalize(f)
	}
	i.ID, _ = e.Attr("id")
	b.unique(e)
	if e.Name == "registerEvent" {
		i.Register = &Register{}
		i.Register.Event, _ = e.Attr("event")
		i.Register.Topic, _ = e.Attr("topic")
		i.Register.DataClass, _ = e.Attr("data_class")
		b.eventName(e, "event")
		return i
	}
	i.Type, i.Src = b.text(e, "type", "typeexpr"), b.text(e, "src", "srcexpr")
	i.IDLocation = b.expression(e, "idlocation", Location)
	i.AutoForward = b.choice(e, "autoforward", "false", "true") == "true"
	i.Payload = b.payload(e)
	if !i.Type.Given && !i.Src.Given && i.Payload.Content == nil {
		b.later(SX03, e.Position, "<invoke> has none of src, srcexpr, <content>", "add one of them")
	}
	b.inner(i)
	return i
}

// inner compiles the chart in the content of an invoke.
func (b *builder) inner(i *Invoke) {
	g := i.Payload.Content
	if g == nil || g.Expr != nil || i.Type.Expr != nil || !IsChartType(i.Type.Value) {
		return
	}
	for _, e := range g.element.Elements() {
		if e.Name != "scxml" {
			continue
		}
		if g.Chart != nil {
			b.report(SX03, e.Position, "<content> has a second <scxml>",
				"remove one of them, or write another <invoke>")
			return
		}
		chart, findings := InspectElement(b.chart.File, e, b.config)
		b.findings = append(b.findings, findings...)
		b.fatal = b.fatal || chart == nil
		g.Chart = chart
	}
}

func (b *builder) checkFinalize(f *Element) {
	for _, c := range f.Elements() {
		if c.is("send") || c.is("raise") {
			b.later(SX13, c.Position, fmt.Sprintf("<%s> is not allowed in <finalize>", c.Name),
				"move it into a transition")
		}
		b.checkFinalize(c)
	}
}
