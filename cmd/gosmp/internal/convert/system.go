package convert

import (
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/importer/ssp"
	"gosmp/run/compose"
	"gosmp/run/kind"
)

// systemFlags holds the flags for conversions that write a system.
type systemFlags struct {
	Variant    string       `placeholder:"NAME" help:"Description to use in a package, if not SystemStructure.ssd."`
	Connect    []string     `sep:"none" placeholder:"A.Y=B.U" help:"Connect output Y of FMU A to input U of FMU B; may be repeated. A binary variable of OSMP is one variable."`
	StartValue []string     `sep:"none" placeholder:"FMU.NAME=VALUE" help:"Start value, in the unit of the variable; may be repeated."`
	StartTime  *cli.Seconds `placeholder:"S" help:"Start time of a run, in seconds."`
	StopTime   *cli.Seconds `placeholder:"S" help:"Stop time of a run, in seconds."`
	StepSize   []string     `sep:"none" placeholder:"[FMU=]S" help:"Step between communication points, for all FMUs or for one; may be repeated."`
}

// writesSystem reports whether the output is a system package.
func (c *Command) writesSystem() bool {
	return strings.EqualFold(filepath.Ext(c.Out), ".ssp") || slices.ContainsFunc(c.Files,
		kind.IsSystem)
}

// convertSystem writes the system described by the files and flags.
func (c *Command) convertSystem() (err error) {
	f := c.System
	s, err := compose.System(compose.Options{Files: c.Files,
		Name:    strings.TrimSuffix(filepath.Base(c.Out), filepath.Ext(c.Out)),
		Variant: f.Variant, Connect: f.Connect, StartValues: f.StartValue,
		StartTime: f.StartTime.Value(), StopTime: f.StopTime.Value(), StepSizes: f.StepSize})
	if s != nil {
		defer func() { err = errors.Join(err, s.Close()) }()
	}
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { return ssp.Write(w, s) }
	if err := cli.WriteFile(c.Out, write); err != nil || c.JSON {
		return err
	}
	return cli.Announce(c.Out)
}
