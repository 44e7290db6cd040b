package examine

import (
	"math"
	"time"

	"gosmp/fmi"
)

// times takes many steps, from a late start time if the FMU accepts one, and compares the
// independent variable with the time of each communication point. An FMU with internal steps lags
// by at most one of these steps, and by less at some points. A constant lag of one host step is a
// fault.
func times(a *attempt) {
	s := a.s
	const late, single = 5, 20
	most := 2000 // as many steps as fit into one second
	if each := a.x.stepTime(); each > 0 {
		most = min(most, int(time.Second/each))
	}
	for _, start := range []float64{s.start + late, s.start} {
		p := s.newPlay()
		b := s.usual()
		b.start, b.stop = start, start+s.stop-s.start
		var at []int
		var points []float64
		p.instantiate(0, 0)
		p.enter(0, b)
		if s.readable(s.independent(), fmi.InitializationMode) {
			g := s.single(s.independent())
			at, points = append(at, p.add(p.s.getOp(0, &g))), append(points, start)
		}
		p.leave(0)
		n, t := s.steps(most, s.step), start
		for k := range n + 1 {
			if k > 0 {
				p.step(0, t, s.step)
				t += s.step
			}
			if k <= single || k == n {
				g := s.single(s.independent())
				at, points = append(at, p.add(p.s.getOp(0, &g))), append(points, t)
			}
		}
		p.end(0)
		r := a.play(p)
		if start != s.start && r.Stopped >= 0 && !r.ended() {
			continue // for S1
		}
		if a.fine("V23", r) && a.timesOf(r, at, points) {
			a.proved("V23")
		}
		return
	}
}

// timesOf judges the readings of the independent variable at certain times.
func (a *attempt) timesOf(r *run, at []int, points []float64) bool {
	s := a.s
	v := s.independent()
	behind, exact := 0, 0
	for k, t := range points {
		rec := r.Records[at[k]]
		if rec.Runs == 0 {
			break // the FMU has ended the simulation
		}
		found := s.number(v, rec.Out)
		slack := float64(1e-6 * max(1, math.Abs(t)))
		off, passed := t-found, t-points[0]
		wrong := !(math.Abs(off) <= s.step+passed/4+slack)
		switch {
		case wrong && (passed == 0 || k == len(points)-1):
			a.refuted("V23", r, at[k], short(t), "%s is %s at %s s", v.Name, short(found), short(t))
			return false
		case passed > 0 && math.Abs(off-s.step) <= slack:
			behind++
		case passed > 0:
			exact++
		}
	}
	if behind > 2 && exact == 0 {
		k := len(points) - 1
		a.refuted("V23", r, at[k], short(points[k]), "%s is always one step behind, %s at %s s",
			v.Name, short(s.number(v, r.Records[at[k]].Out)), short(points[k]))
		return false
	}
	return true
}

// independent returns the independent variable; nil if it does not exist or cannot be read.
func (s *subject) independent() *variable {
	for k := range s.variables {
		v := &s.variables[k]
		if v.Causality == fmi.Independent && v.n == 1 && v.Type.IsFloat() && !v.clocked {
			return v
		}
	}
	return nil
}
