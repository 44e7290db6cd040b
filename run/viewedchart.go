package run

import (
	"context"

	"gosmp/report/livepage"
	"gosmp/run/statechart"
	"gosmp/timebase"
)

// viewTick is the simulated time between two moments of a statechart in a view.
const viewTick = 50 * timebase.Millisecond

// viewChart runs a statechart and shows it in a browser.
func (o *Options) viewChart(ctx context.Context, p *statechart.Player,
	events []statechart.Timed) (err error) {
	v := &viewed{log: &logger{to: o.Log}}
	defer v.follow(ctx)()
	regions := p.Regions()
	variables := make([]livepage.Variable, 0, len(regions))
	for _, r := range regions[:min(len(regions), mostViewed)] {
		variables = append(variables, livepage.Variable{Name: r.Name, Values: r.States})
	}
	if err := v.open(o, nil, variables, p.Events()); err != nil {
		return err
	}
	defer func() { v.close(err) }()
	//nolint:unparam // a chart has no picture
	take := func(*livepage.Course) ([]float64, livepage.Picture) {
		values := make([]float64, len(variables))
		for k := range values {
			values[k] = float64(p.Active(&regions[k]))
		}
		return values, nil
	}
	v.end = func() { v.view.Last(v.last, take) }
	v.wait()
	return p.Follow(ctx, viewTick, events, v.posted.all, func(now timebase.Time) {
		v.last = now.Seconds()
		v.view.Point(v.last, take)
	})
}
