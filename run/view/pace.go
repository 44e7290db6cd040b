package view

import "time"

// pace relates the time of a run to the clock.
type pace struct {
	wake  chan struct{} // wakes the run when state has changed
	begun bool
	since time.Time // when the run was at from
	from  float64   // s
	speed float64
	steps int // requested by the user while the run is held
}

// signal wakes the run.
func (p *pace) signal() {
	select {
	case p.wake <- struct{}{}:
	default: // already awake or about to be
	}
}

// pause waits until the clock reaches a time of the run.
func (v *View) pause(now float64) {
	p := &v.paces
	for {
		v.mu.Lock()
		speed, held := v.state.Speed, v.state.Held
		v.mu.Unlock()
		if held || speed <= 0 {
			p.begun = false
			return
		}
		if !p.begun || p.speed != speed {
			p.begun, p.since, p.from, p.speed = true, time.Now(), now, speed
			return
		}
		due := p.since.Add(time.Duration((now - p.from) / speed * float64(time.Second)))
		left := time.Until(due)
		if left <= 0 || !v.sleep(left) {
			return
		}
	}
}

// sleep waits for a time, or until something changes. It reports whether the run still continues.
func (v *View) sleep(most time.Duration) bool {
	t := time.NewTimer(most)
	defer t.Stop()
	select {
	case <-t.C:
	case <-v.paces.wake:
	case <-v.released:
		return false
	}
	return true
}

// hold waits while the run is held, until the user requests the next step.
func (v *View) hold() {
	for {
		v.mu.Lock()
		held := v.state.Held
		if held && v.paces.steps > 0 {
			v.paces.steps--
			held = false
		}
		v.mu.Unlock()
		if !held {
			return
		}
		if !v.sleep(time.Hour) {
			return
		}
	}
}
