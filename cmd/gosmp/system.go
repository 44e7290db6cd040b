package main

import (
	"errors"

	"gosmp/importer/ssp"
)

// errSystemPiped refuses a system on standard input: its references lead from one file to others.
var errSystemPiped = errors.New("standard input: a system has to be a file; save it first")

// checkSystem checks a file of System Structure and Parameterization.
func (c *checkCommand) checkSystem(in *input) (*checked, error) {
	if in.piped {
		return nil, errSystemPiped
	}
	list, err := ssp.Check(in.name, ssp.Options{Variant: c.Variant, For: c.For})
	if err != nil {
		return nil, err
	}
	return c.judge(in, asSystem, list), nil
}
