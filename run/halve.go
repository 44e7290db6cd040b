package run

import (
	"context"
	"math"

	"gosmp/scenario/play"
	"gosmp/scenario/storyboard"
)

// halving compares a run of a scenario with a run with half the step.
type halving struct {
	step    float64
	names   int
	poses   [][]float64 // x and y of all entities at each evaluation; NaN for a missing one
	largest play.Halved
}

// halve reruns the scenario of a result with half the step, and adds the change of the outcome to
// the result. It writes no files. If the second run is interrupted, so is the result.
func (s *Scenario) halve(ctx context.Context, r *play.Result) error {
	o := *s.options
	half := r.StepSize / 2
	o.StepSize, o.Halve, o.View, o.Journal, o.Observe = &half, false, false, nil, nil
	o.Report, o.JUnit, o.Trajectories, o.Record, o.OutputFile = "", "", "", "", ""
	other, err := OpenScenario(o)
	if err != nil {
		return err
	}
	h := s.halved
	other.Watch(func(b *storyboard.Board) { h.compare(other, b) })
	second, err := other.Run(ctx)
	if err != nil {
		return err
	}
	h.largest.StepSize, h.largest.Outcome, h.largest.Time = half, second.Outcome, second.Time
	h.largest.Verdicts = second.Verdicts
	if second.Outcome == play.Interrupted { // a part of a run is no comparison
		r.Outcome, r.ExitCode = second.Outcome, second.ExitCode
		r.Cause = "interrupted in the second run, with half the step"
		return nil
	}
	r.Halved = &h.largest
	return nil
}

// newHalving records the positions of all entities in a run.
func newHalving(s *Scenario) *halving {
	h := &halving{step: s.Result().StepSize, names: len(s.Names())}
	s.Watch(func(*storyboard.Board) { h.poses = append(h.poses, h.pose(s)) })
	return h
}

func (h *halving) pose(s *Scenario) []float64 {
	pose := make([]float64, 0, 2*h.names)
	for k := range h.names {
		if state := s.world.State(storyboard.Entity(k)); state != nil {
			pose = append(pose, state.X, state.Y)
		} else {
			pose = append(pose, math.NaN(), math.NaN())
		}
	}
	return pose
}

// compare determines the largest distance at the times that both runs share.
func (h *halving) compare(s *Scenario, b *storyboard.Board) {
	k := int(math.Round(b.Now() / h.step))
	if k >= len(h.poses) || math.Abs(float64(float64(k)*h.step)-b.Now()) > h.step/4 {
		return
	}
	now := h.pose(s)
	for e := range h.names {
		x, y := now[2*e]-h.poses[k][2*e], now[2*e+1]-h.poses[k][2*e+1]
		const rounding = 1e-9 // m
		if d := math.Sqrt(float64(x*x) + float64(y*y)); d > max(h.largest.Distance, rounding) {
			h.largest.Distance, h.largest.At = d, b.Now()
			h.largest.Entity = s.Names()[e]
		}
	}
}
