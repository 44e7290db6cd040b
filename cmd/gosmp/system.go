package main

import (
	"errors"
	"os"

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

// isSystem reports whether a file is one of a system. Pipes are not looked into: what is read from
// them is gone.
func isSystem(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular() && (&input{name: name}).kind() == asSystem
}
