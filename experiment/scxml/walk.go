package scxml

// Contents lists all blocks of executable content of a chart, with the state they belong to, in
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
	some := func(list ...*Expression) {
		for _, x := range list {
			if x != nil {
				visit(x)
			}
		}
	}
	given := func(g *Given) {
		if g != nil {
			some(g.Expr)
		}
	}
	payload := func(p *Payload) {
		for _, param := range p.Params {
			some(param.Expr)
		}
		given(p.Content)
	}
	for _, s := range c.Scripts {
		some(s.Code)
	}
	for _, q := range c.States {
		for _, t := range q.Transitions {
			some(t.Cond)
		}
		for _, d := range q.Data {
			given(d.Value)
		}
		if q.DoneData != nil {
			payload(q.DoneData)
		}
		for _, i := range q.Invokes {
			some(i.Type.Expr, i.Src.Expr, i.IDLocation)
			payload(&i.Payload)
		}
	}
	c.Contents(func(_ *State, b Block) { b.Actions(func(a Action) { expressionsOf(a, some, given, payload) }) })
}

func expressionsOf(a Action, some func(...*Expression), given func(*Given), payload func(*Payload)) {
	switch a := a.(type) {
	case *Log:
		some(a.Expr)
	case *If:
		for _, b := range a.Branches {
			some(b.Cond)
		}
	case *ForEach:
		some(a.Array)
	case *Assign:
		some(a.Location)
		given(a.Value)
	case *Script:
		some(a.Code)
	case *Send:
		some(a.Event.Expr, a.Target.Expr, a.Type.Expr, a.Delay.Expr, a.IDLocation)
		payload(&a.Payload)
	case *Cancel:
		some(a.SendID.Expr)
	}
}
