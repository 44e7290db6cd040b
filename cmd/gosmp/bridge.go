package main

import (
	"errors"

	"gosmp/bridge"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
)

// checkBridge checks the configuration of a message bridge, with the definitions that it names.
func (c *checkCommand) checkBridge(in *input) (*checked, error) {
	text, err := in.text()
	if err != nil {
		return nil, err
	}
	_, err = bridge.ParseConfig(in.name, text)
	result := c.judge(in, asBridge, nil)
	if err == nil {
		return result, nil
	}
	f := finding.Finding{ID: "BR01", Severity: finding.Error, Place: fault.Place{File: in.name}, Message: err.Error()}
	var e *fault.Error
	if errors.As(err, &e) {
		if errors.Is(err, bridge.ErrDefinition) && !errors.Is(err, bridge.ErrConfig) {
			f.ID = "BR02"
		}
		plain := *e
		plain.Place, plain.Hint = fault.Place{}, ""
		f.Place, f.Message, f.Remedy = e.Place, plain.Error(), e.Hint
	}
	result.Findings, result.Passed = append(result.Findings, counted{f, 1}), false
	return result, nil
}
