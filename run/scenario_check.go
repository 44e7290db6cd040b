package run

import (
	"context"
	"errors"

	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/scenario"
	"gosmp/scenario/check"
	"gosmp/scenario/play"
	"gosmp/scenario/storyboard"
)

// CheckScenario reports everything that a run of a scenario would refuse before it starts, with its
// place. It returns nothing for documents that violate their schema or cannot be resolved, which
// have other findings, and for catalogs and distributions.
func CheckScenario(d *scenario.Document) (list finding.List) {
	if d.Root.Child("Storyboard") == nil {
		return nil
	}
	s, err := (&Scene{Document: d}).Resolve()
	if err != nil {
		return nil
	}
	o := Defaults(d.File)
	w, err := o.world(s, nil)
	if err == nil {
		_, err = play.New(s, w, play.Options{})
	}
	_, unknown := s.Requirements()
	for _, c := range unknown {
		list = append(list, finding.Finding{ID: check.RuleEngine, Severity: finding.Warning,
			Place: c.Place(), Message: scenario.Unjudged(c), Remedy: "without a judgement, a run " +
				"is undecided: remove the criterion, or state it as a requirement with --require"})
	}
	for _, e := range parted(err) {
		f := finding.Finding{ID: check.RuleEngine, Severity: finding.Error,
			Place: fault.Place{File: d.File}, Message: e.Error()}
		if x := (*scenario.Error)(nil); errors.As(e, &x) {
			f.Place = x.Place
			f.Message, f.Remedy = fault.Reason(x)
		}
		list = append(list, f)
	}
	return list
}

// parted returns the errors that err joins.
func parted(err error) []error {
	if err == nil {
		return nil
	}
	if _, one := err.(*scenario.Error); one { //nolint:errorlint // which unwraps, too
		return []error{err}
	}
	if joined, is := err.(interface{ Unwrap() []error }); is {
		return joined.Unwrap()
	}
	return []error{err}
}

// Reading is the state of a condition in an evaluation.
type Reading struct {
	Time float64
	storyboard.Reading
}

// History is the history of a condition in a run.
type History struct {
	Condition *storyboard.Condition
	First     *Reading  // the first evaluation at which it was true; nil for never
	Last      *Reading  // the last evaluation; nil if there was none
	Count     int       // of evaluations
	Readings  []Reading // those at which something changed, or all
}

// Explain runs a scenario and follows its conditions with a name, or all conditions if name is
// empty. With each, the history contains every evaluation rather than only changes.
func Explain(ctx context.Context, o Options, name string, each bool) ([]*History, *play.Result,
	error) {
	s, err := OpenScenario(o)
	if err != nil {
		return nil, nil, err
	}
	var list []*History
	for _, c := range s.Board().Conditions() {
		if name == "" || c.Name == name {
			list = append(list, &History{Condition: c})
		}
	}
	s.Watch(func(b *storyboard.Board) {
		for _, h := range list {
			h.look(b, each)
		}
	})
	r, err := s.Run(ctx)
	return list, r, err
}

func (h *History) look(b *storyboard.Board, each bool) {
	now := Reading{b.Now(), b.Last(h.Condition)}
	if !now.Evaluated {
		return
	}
	changed := h.Last == nil || h.Last.Holds != now.Holds || h.Last.Edge != now.Edge ||
		h.Last.Result != now.Result
	if each || changed {
		h.Readings = append(h.Readings, now)
	}
	if now.Result && h.First == nil {
		first := now
		h.First = &first
	}
	h.Count++
	h.Last = &now
}
