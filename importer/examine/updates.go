package examine

import (
	"fmt"
	"math"

	"gosmp/fmi"
	"gosmp/importer/worker/probe"
	"gosmp/internal/finding"
)

// updateTrials returns the trial of intermediate updates.
func updateTrials() []trial {
	return []trial{{rules: []string{"S12"}, make: intermediateUpdates,
		lacks: unless(func(s *subject) bool { return s.major == 3 },
			"FMI 2.0 has no intermediate updates")}}
}

// intermediateUpdates provides a callback for intermediate updates, which reads and sets all
// variables that may be accessed in it, and requests early returns.
func intermediateUpdates(a *attempt) {
	s := a.s
	has := s.slave.Capabilities.Has
	outputs, inputs := s.intermediates()
	seen := 0
	for _, early := range []bool{false, true} {
		if early && !has("canReturnEarlyAfterIntermediateUpdate") {
			continue
		}
		for _, ahead := range []float64{0, 0.25} {
			if ahead > 0 && !early {
				continue
			}
			p := s.updatePlay(outputs, inputs, early, ahead)
			r := a.play(p)
			strays := r.Records[firstIndex(p, "DoStep")].Flags & probe.StrayUpdate
			if strays == 0 && !a.fine("S12", r) {
				o := &a.outcomes[len(a.outcomes)-1]
				o.found, o.cause = o.found+", with intermediate updates", ""
				return
			}
			n, ok := a.updatesFit(r, early)
			if !ok {
				return
			}
			seen += n
		}
	}
	switch {
	case seen > 0 || !has("providesIntermediateUpdate"):
		a.proved("S12")
	default:
		a.refuted("S12", nil, 0, "intermediate updates, because providesIntermediateUpdate is true",
			"there are none in %d steps", a.x.n).as(finding.Warning)
	}
}

// intermediates returns the scalar Float64 outputs and inputs that may be accessed in intermediate
// updates.
func (s *subject) intermediates() (outputs, inputs []*variable) {
	if !s.slave.Capabilities.Has("providesIntermediateUpdate") {
		return nil, nil
	}
	const most = 32 // of each kind
	for k := range s.variables {
		v := &s.variables[k]
		if !v.IntermediateUpdate || v.Type != fmi.Float64 || v.n != 1 || v.clocked {
			continue
		}
		switch {
		case v.Causality == fmi.Output && len(outputs) < most:
			outputs = append(outputs, v)
		case v.Causality == fmi.Input && len(inputs) < most && s.startOf(v) != nil:
			inputs = append(inputs, v)
		}
	}
	return outputs, inputs
}

// updatePlay returns a life with intermediate updates. If early returns are requested, it has one
// step.
func (s *subject) updatePlay(outputs, inputs []*variable, early bool, ahead float64) *play {
	p := s.newPlay()
	all := append(append([]uint32{}, references(outputs)...), references(inputs)...)
	o := probe.Op{Code: probe.Updates, References: all, Values: len(outputs), Data: []byte{}}
	for _, v := range inputs {
		o.Data = append(o.Data, s.startOf(v)...)
	}
	n := s.steps(5, s.step)
	flags := probe.Flag(0)
	if early {
		o.X, n, flags = [4]float64{1, float64(ahead * s.step)}, 1, probe.EarlyReturn
	}
	p.add(o)
	p.live(life{flags: flags, begin: s.usual(), n: n, blind: true, end: true})
	return p
}

// updatesFit judges the intermediate updates of a run and counts them.
func (a *attempt) updatesFit(r *run, early bool) (n int, ok bool) {
	s := a.s
	for k := range r.play.ops {
		o, rec := &r.play.ops[k], &r.Records[k]
		if rec.Flags&probe.StrayUpdate != 0 {
			a.refuted("S12", r, k, "no call, or one in a step, with the environment of the "+
				"instance", "intermediateUpdate is called in %s", callName(o.Code))
			return n, false
		}
		if o.Code != "fmi3DoStep" || rec.Runs == 0 {
			continue
		}
		list := rec.Updates()
		n += len(list)
		if len(list) > 0 && !s.slave.Capabilities.Has("providesIntermediateUpdate") {
			a.refuted("S12", r, k, "no call, because providesIntermediateUpdate is not true",
				"intermediateUpdate is called %d times in a step", len(list))
			return n, false
		}
		found, expected, mild := s.wrongUpdate(list, o.X[0], o.X[1])
		if found == "" && early {
			found, expected, mild = s.wrongEarly(list, rec, o.X[0], o.X[1])
		}
		if found != "" {
			w := a.refuted("S12", r, k, expected, "%s", found)
			if mild {
				w.as(finding.Warning)
			}
			return n, false
		}
	}
	return n, true
}

// wrongUpdate describes the first wrong update of a step; found is empty if there is none.
func (s *subject) wrongUpdate(list []probe.Update, t, h float64,
) (found, expected string, mild bool) {
	slack := float64(1e-9 * max(1, math.Abs(t), math.Abs(h)))
	finished := math.Inf(-1)
	for _, u := range list {
		at := "intermediateUpdate at " + short(u.Time) + " s"
		step := fmt.Sprintf("the step from %s to %s s", short(t), short(t+h))
		for _, flag := range []struct {
			name  string
			value int
		}{{"intermediateVariableSetRequested", u.Set}, {"intermediateVariableGetAllowed", u.Get},
			{"intermediateStepFinished", u.Finished}, {"canReturnEarly", u.CanReturn}} {
			if flag.value > 1 {
				found = fmt.Sprintf("%s passes %d for %s", at, flag.value, flag.name)
				return found, "0 or 1", false
			}
		}
		switch {
		case !(u.Time >= t-slack && u.Time <= t+h+slack):
			// the last internal step may end after the communication step
			mild = u.Time >= t-slack && u.Time <= t+h+s.fmu.InternalStep()
			return at + " is outside " + step, "a time in the step", mild
		case u.Time < finished-slack:
			return at + " comes after a finished one at " + short(finished) + " s",
				"that time does not go back behind a finished internal step", false
		case u.Got != probe.StatusNotRun && u.Got > warning:
			return at + " allows reading, and fmi3GetFloat64 answers " + statusName(u.Got), "OK",
				false
		case u.Given != probe.StatusNotRun && u.Given > warning:
			return at + " requests values, and fmi3SetFloat64 answers " + statusName(u.Given), "OK",
				false
		case u.CanReturn == 1 &&
			!s.slave.Capabilities.Has("canReturnEarlyAfterIntermediateUpdate"):
			return at + " offers an early return",
				"none, because canReturnEarlyAfterIntermediateUpdate is not true", true
		}
		if u.Finished == 1 {
			finished = max(finished, u.Time)
		}
	}
	return "", "", false
}

// wrongEarly describes what is wrong with a step in which early returns were requested.
func (s *subject) wrongEarly(list []probe.Update, rec *probe.Record, t, h float64,
) (found, expected string, mild bool) {
	slack := float64(1e-9 * max(1, math.Abs(t), math.Abs(h)))
	for _, u := range list {
		if !u.Requested {
			continue
		}
		last, returned := rec.Y[3], rec.Y[2] == 1
		asked := fmt.Sprintf("an early return was requested at %s s", short(u.Time))
		switch {
		case u.Time >= t+h-slack: // the step was complete anyway
			return "", "", false
		case !returned && last < t+h-slack:
			return fmt.Sprintf("%s, and lastSuccessfulTime is %s without earlyReturn", asked,
				short(last)), "earlyReturn", false
		case !returned:
			return asked + ", and fmi3DoStep completes the step", "an early return", true
		case last < u.Time-slack:
			return fmt.Sprintf("%s, and lastSuccessfulTime is %s", asked, short(last)),
				"no time before the request", false
		}
		return "", "", false
	}
	return "", "", false
}
