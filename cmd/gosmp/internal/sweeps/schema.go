package sweeps

import (
	"fmt"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/sweep"
)

// sweepSchemaCommand prints the schema of plans.
type sweepSchemaCommand struct{}

// Help returns the text that follows the list of flags.
func (sweepSchemaCommand) Help() string {
	return `Editors with schema support complete the keys of a plan and highlight errors. For ` +
		`the YAML language server, save the schema next to the plan, and begin the plan with ` +
		`the line

  # yaml-language-server: $schema=plan.schema.json`
}

// Run prints the schema.
func (sweepSchemaCommand) Run() error {
	_, err := fmt.Print(sweep.Schema())
	return cli.Flushed(err)
}
