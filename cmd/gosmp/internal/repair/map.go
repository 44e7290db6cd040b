package repair

import (
	"fmt"
	"io"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/cmd/gosmp/internal/inputfile"
	"gosmp/internal/finding"
	"gosmp/internal/quantity"
	"gosmp/mocksim/opendrive"
)

// errFaulty ends a repair that leaves errors in a map; they have been printed.
var errFaulty = cli.Negative("the map still has errors, see above")

// repairedMap is the JSON output for a map, which is a contract.
type repairedMap struct {
	FormatVersion int          `json:"formatVersion"`
	File          string       `json:"file"`
	Output        string       `json:"output"`
	Changes       []mapChange  `json:"changes"`
	Left          finding.List `json:"left"`
}

type mapChange struct {
	ID     string `json:"id"`
	Line   int    `json:"line"`
	Object string `json:"object"`
	What   string `json:"what"`
}

// repairMap writes a map and corrects the faults that have only one possible correction.
func (c *Command) repairMap(in *inputfile.File) error {
	for _, flag := range []struct {
		name  string
		given bool
	}{{"--date", c.Date != ""}, {"--type", c.Type != ""}, {"--keep-damaged", c.KeepDamaged}} {
		if flag.given {
			return cli.Unexpected(flag.name, "a map", "a recording or a trace")
		}
	}
	from, err := in.Open()
	if err != nil {
		return err
	}
	text, err := io.ReadAll(from)
	_ = from.Close() // opened read-only
	if err != nil {
		return err
	}
	done, err := opendrive.Repair(in.Name, text)
	if err != nil {
		return err
	}
	if err := cli.WriteFile(c.Out, func(w io.Writer) error {
		_, err := w.Write(done.Text)
		return err
	}); err != nil {
		return err
	}
	if err := cli.Flushed(c.reportMap(cli.Besides(c.Out), done)); err != nil {
		return err
	}
	if done.Left.Count(finding.Error) > 0 {
		return errFaulty
	}
	return nil
}

func (c *Command) reportMap(out io.Writer, done *opendrive.Repaired) error {
	if c.JSON {
		doc := repairedMap{FormatVersion: 1, File: done.Name, Output: c.Out,
			Changes: []mapChange{}, Left: append(finding.List{}, done.Left...)}
		for _, x := range done.Changes {
			doc.Changes = append(doc.Changes, mapChange{x.Rule, x.Place.Line, x.Place.Object,
				x.What})
		}
		return cli.WriteJSON(out, doc)
	}
	fmt.Fprintf(out, "%s: written to %s with %s\n", done.Name, c.Out,
		quantity.Of(len(done.Changes), "change"))
	for _, x := range done.Changes {
		cli.WriteWrapped(out, fmt.Sprintf("%d: %s: %s [%s]", x.Place.Line, x.Place.Object, x.What,
			x.Rule))
	}
	errors, warnings := done.Left.Count(finding.Error), done.Left.Count(finding.Warning)
	for _, f := range done.Left {
		if f.Severity == finding.Error {
			cli.WriteWrapped(out, fmt.Sprintf("remains: %d: %s: %s [%s]; %s", f.Place.Line,
				f.Place.Object, f.Explained(), f.ID, f.Remedy))
		}
	}
	if errors+warnings > 0 {
		cli.WriteWrapped(out, fmt.Sprintf("gosmp check %s finds %s and %s", c.Out,
			quantity.Of(errors, "error"), quantity.Of(warnings, "warning")))
	}
	_, err := out.Write(nil)
	return err
}
