package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gosmp/experiment/smach"
)

// translates reports whether the output is a statechart.
func (c *convertCommand) translates() bool { return strings.EqualFold(filepath.Ext(c.Out), ".scxml") }

// translate makes a statechart from a SMACH script.
func (c *convertCommand) translate() error {
	if len(c.Files) != 1 {
		return unexpected("--out", fmt.Sprintf("a statechart of %d files", len(c.Files)), "one SMACH script (.exd)")
	}
	if same(c.Files[0], c.Out) {
		return unexpected("--out", fmt.Sprintf("%q, the input", c.Out), "another file")
	}
	in, err := openInput(c.Files[0])
	if err != nil {
		return err
	}
	text, err := in.text()
	if err != nil {
		return err
	}
	t, err := smach.Translate(in.name, text)
	if err != nil {
		return err
	}
	if err := writeFile(c.Out, func(w io.Writer) error { _, err := w.Write(t.Chart); return err }); err != nil {
		return err
	}
	for _, f := range t.Left {
		fmt.Fprintln(os.Stderr, f)
	}
	fmt.Fprintf(os.Stderr, "%s: %d of %d states translated\n", c.Out, t.Translated, t.States)
	if len(t.Left) > 0 {
		return errConvertedPart
	}
	return nil
}
