package convert

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/experiment/smach"
	"gosmp/internal/plaintext"
)

// translates reports whether the output is a statechart.
func (c *Command) translates() bool { return strings.EqualFold(filepath.Ext(c.Out), ".scxml") }

// translate translates a SMACH script into a statechart.
func (c *Command) translate() error {
	if len(c.Files) != 1 {
		return cli.Unexpected("--out", fmt.Sprintf("a statechart of %d files", len(c.Files)),
			"one SMACH script (.exd)")
	}
	if cli.SameFile(c.Files[0], c.Out) {
		return cli.Unexpected("--out", fmt.Sprintf("%q, the input", c.Out), "another file")
	}
	in, err := inputfile.Open(c.Files[0])
	if err != nil {
		return err
	}
	text, err := in.Text()
	if err != nil {
		return err
	}
	t, err := smach.Translate(in.Name, text)
	if err != nil {
		return err
	}
	if err := cli.WriteFile(c.Out, func(w io.Writer) error {
		_, err := w.Write(t.Chart)
		return err
	}); err != nil {
		return err
	}
	for _, f := range t.Left {
		fmt.Fprintln(os.Stderr, plaintext.Shown(f.String()))
	}
	fmt.Fprintf(os.Stderr, "%s: %d of %d states translated\n", c.Out, t.Translated, t.States)
	if len(t.Left) > 0 {
		return errConvertedPart
	}
	return nil
}
