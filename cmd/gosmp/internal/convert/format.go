package convert

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"gosmp/bridge/foxglove"
	"gosmp/bridge/recorded"
	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/trace"
	"gosmp/trace/updates"
)

// toFoxglove is the format MCAP with messages for viewers.
const toFoxglove = "foxglove"

// Variables returns the formats of the input and the output, for the list of values and the help
// text.
func Variables() map[string]string {
	var names, texts []string
	for _, f := range trace.Writable() {
		text := string(f)
		if remark := f.Remark(); remark != "" {
			text += " (" + remark + ")"
		}
		names, texts = append(names, string(f)), append(texts, text)
	}
	return map[string]string{
		"readFormats": trace.Readable(),
		"formats":     strings.Join(append(names, toFoxglove), ","),
		"formatList": strings.Join(texts, ", ") +
			", or foxglove (MCAP with scenes that Foxglove and Lichtblick draw)",
	}
}

// format returns the format of the output.
func (c *Command) format() (trace.Format, error) {
	if c.Layout != "" && c.To != toFoxglove {
		return trace.Unknown, cli.Unexpected("--layout", "this flag only with --to foxglove",
			"--to foxglove")
	}
	if c.To == toFoxglove {
		return trace.MCAP, nil
	}
	f := cmp.Or(trace.Format(c.To), trace.FormatOf(c.Out))
	if f == trace.Unknown {
		return f, cli.Unexpected("--out", fmt.Sprintf("%q", c.Out),
			trace.Endings(trace.Writable())+", or --to")
	}
	return f, nil
}

// suited returns a source of messages that suit the output format, and a function that returns the
// errors about channels that were left out.
func (c *Command) suited(source trace.Source, k *trace.Copy,
	updated []updates.Channel) (trace.Source, func() []error) {
	switch {
	case c.To == toFoxglove:
		scenes := foxglove.NewSource(source)
		scenes.Join(updated)
		source = scenes
	case k.Format.StoresFields():
		readable := recorded.NewSource(source)
		readable.LeaveOut, readable.Broken = k.LeaveOut, k.Break
		return readable, func() []error { return readable.Unusable }
	}
	return source, func() []error { return nil }
}

// updated returns the channels with updates if scenes must show them. This reads all files, so
// standard input is saved first.
func (c *Command) updated() ([]updates.Channel, error) {
	if c.To != toFoxglove {
		return nil, nil
	}
	if slices.Contains(c.Files, cli.StandardOutput) {
		if err := c.save(); err != nil {
			return nil, err
		}
	}
	s, err := c.open(&trace.Copy{})
	if err != nil {
		return nil, err
	}
	list, err := updates.Find(s)
	return list, errors.Join(err, s.Close())
}

// save copies standard input to a temporary file, which [Command.release] removes.
func (c *Command) save() error {
	f, err := os.CreateTemp("", "gosmp-convert-")
	if err != nil {
		return cli.OutputFailed(err)
	}
	c.saved = f
	_ = os.Remove(f.Name()) // now, so that a signal leaves nothing; Windows needs it to be closed
	if c.savedSize, err = io.Copy(f, os.Stdin); err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	return nil
}

// release removes the copy of standard input.
func (c *Command) release() {
	if c.saved != nil {
		_ = c.saved.Close() // it is a copy
		_ = os.Remove(c.saved.Name())
	}
}

// openFile opens a trace; standard input is read as a stream, unless it was saved.
func (c *Command) openFile(name string, o trace.Options) (trace.Source, error) {
	if name == cli.StandardOutput && c.saved != nil {
		return trace.OpenAt("standard input", c.saved, c.savedSize, o)
	}
	return inputfile.OpenTrace(name, o)
}

// writeLayout writes a layout of panels for the converted messages.
func (c *Command) writeLayout(source trace.Source) error {
	drawn, is := source.(*foxglove.Source)
	if !is || c.Layout == "" {
		return nil
	}
	layout, err := foxglove.Layout(drawn.Channels(), drawn.Drawn())
	if err != nil {
		return err
	}
	return cli.WriteFile(c.Layout, func(w io.Writer) error {
		_, err := w.Write(append(layout, '\n'))
		return err
	})
}
