package findings

import (
	"errors"
	"slices"
	"strings"

	"gosmp/run/content"
	"gosmp/run/kind"
	"gosmp/run/usage"
	"gosmp/trace"
	"gosmp/trace/check"
)

// checkTrace checks the messages of a trace against OSI's rules.
func (c *checker) checkTrace(in *content.File) (*Result, error) {
	from, err := in.OpenContent()
	if err != nil {
		return nil, err
	}
	defer from.Close()
	topics, err := trace.ResolveIn(func() (trace.Source, error) {
		return trace.OpenAt(in.Name, from, from.Size, trace.Options{Type: c.Type})
	}, c.Channels)
	if errors.Is(err, trace.ErrAmbiguous) {
		err = usage.Invalid("--channel", err)
	}
	if err != nil {
		return nil, err
	}
	report, err := check.File(in.Name, from, from.Size, check.Options{Type: c.Type, Rules: true,
		Topics: topics})
	if err != nil {
		return nil, err
	}
	if err := selectChannels(report, topics); err != nil {
		return nil, err
	}
	r := c.judge(in, kind.Trace, report.List())
	for k := range r.Findings {
		r.Findings[k].Count = report.Findings[k].Count + int64(report.Findings[k].More)
	}
	r.Trace = report
	return r, nil
}

// selectChannels keeps only some channels in a report, with their findings and the findings about
// the file.
func selectChannels(r *check.Report, topics []string) error {
	if len(topics) == 0 {
		return nil
	}
	var have []*trace.Channel
	var others []string
	chosen := trace.Selection{Topics: topics}
	r.Channels = slices.DeleteFunc(r.Channels, func(own *check.Channel) bool {
		have = append(have, own.Channel)
		if chosen.Wants(own.Channel) {
			return false
		}
		others = append(others, "channel "+own.Topic)
		return true
	})
	if err := chosen.Require(have); err != nil {
		return usage.Invalid("--channel", err)
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f check.Finding) bool {
		return slices.ContainsFunc(others, func(o string) bool {
			return f.Place.Object == o || strings.HasPrefix(f.Place.Object, o+",")
		})
	})
	return nil
}
