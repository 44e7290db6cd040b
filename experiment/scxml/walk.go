package scxml

// Contents visits all blocks of executable content of a chart, with the states they belong to, in
// document order. Charts inside invokes are not visited.
func (c *Chart) Contents(visit func(q *State, block Block)) {
	for _, q := range c.States {
		for _, b := range q.OnEntry {
			visit(q, b)
		}
		for _, b := range q.OnExit {
			visit(q, b)
		}
		if q.Initial != nil {
			visit(q, q.Initial.Content)
		}
		for _, t := range q.Transitions {
			visit(q, t.Content)
		}
		for _, i := range q.Invokes {
			visit(q, i.Finalize)
		}
	}
}

// Actions visits the actions of a block and of the blocks inside it, in document order.
func (b Block) Actions(visit func(Action)) {
	for _, a := range b {
		visit(a)
		switch a := a.(type) {
		case *If:
			for _, branch := range a.Branches {
				branch.Content.Actions(visit)
			}
		case *ForEach:
			a.Content.Actions(visit)
		}
	}
}

// Expressions visits all expressions, locations and scripts of a chart.
func (c *Chart) Expressions(visit func(*Expression)) {
	v := visitor(visit)
	for _, s := range c.Scripts {
		v.some(s.Code)
	}
	for _, q := range c.States {
		for _, t := range q.Transitions {
			v.some(t.Cond)
		}
		for _, d := range q.Data {
			v.given(d.Value)
		}
		if q.DoneData != nil {
			v.payload(q.DoneData)
		}
		for _, i := range q.Invokes {
			v.some(i.Type.Expr, i.Src.Expr, i.IDLocation)
			v.payload(&i.Payload)
		}
	}
	c.Contents(func(_ *State, b Block) { b.Actions(func(a Action) { ExpressionsOf(a, visit) }) })
}

// ExpressionsOf visits the expressions of one action, but not of the actions inside it.
func ExpressionsOf(a Action, visit func(*Expression)) {
	v := visitor(visit)
	switch a := a.(type) {
	case *Log:
		v.some(a.Expr)
	case *If:
		for _, b := range a.Branches {
			v.some(b.Cond)
		}
	case *ForEach:
		v.some(a.Array)
	case *Assign:
		v.some(a.Location)
		v.given(a.Value)
	case *Script:
		v.some(a.Code)
	case *Send:
		v.some(a.Event.Expr, a.Target.Expr, a.Type.Expr, a.Delay.Expr, a.IDLocation)
		v.payload(&a.Payload)
	case *Cancel:
		v.some(a.SendID.Expr)
	}
}

// visitor visits the expressions that exist.
type visitor func(*Expression)

func (v visitor) some(list ...*Expression) {
	for _, x := range list {
		if x != nil {
			v(x)
		}
	}
}

func (v visitor) given(g *Given) {
	if g != nil {
		v.some(g.Expr)
	}
}

func (v visitor) payload(p *Payload) {
	for _, param := range p.Params {
		v.some(param.Expr)
	}
	v.given(p.Content)
}
