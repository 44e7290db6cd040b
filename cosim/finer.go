package cosim

import "gosmp/timebase"

// refine passes the values within steps to the observers that request them, if there is only one
// participant; several participants would be at different times.
func (e *Engine) refine() {
	var finer []Finer
	for _, o := range e.observers {
		if f, is := o.(Finer); is {
			finer = append(finer, f)
		}
	}
	if len(e.order) != 1 || e.order[0].every != 1 || len(finer) == 0 {
		return
	}
	m := e.order[0]
	u, is := m.participant.(Updater)
	if !is {
		return
	}
	u.Update(func(t timebase.Time, seconds float64) error {
		e.scale.Mark(t, seconds)
		m.show()
		for _, f := range finer {
			if err := f.Within(t); err != nil {
				return err
			}
		}
		return nil
	})
}
