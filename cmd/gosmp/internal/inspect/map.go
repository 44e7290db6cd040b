package inspect

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"gosmp/cmd/gosmp/internal/cli"
	"gosmp/internal/plaintext"
	"gosmp/internal/quantity"
	"gosmp/run/inspect"
)

// mapText prints a map.
type mapText struct{ *inspect.Map }

func (d mapText) print(out io.Writer, asJSON bool) error {
	if asJSON {
		return cli.WriteJSON(out, d.Map)
	}
	plaintext.Printf(out, "%s\n", d.File)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(what, text string) {
		if text != "" {
			plaintext.Printf(w, "  %s\t%s\n", what, text)
		}
	}
	line("format", "OpenDRIVE "+d.Version)
	line("name", d.Name)
	line("vendor", d.Vendor)
	line("projection", d.GeoReference)
	line("extent", fmt.Sprintf("x %.1f m to %.1f m, y %.1f m to %.1f m", tenth(d.Low[0]),
		tenth(d.High[0]), tenth(d.Low[1]), tenth(d.High[1])))
	line("roads", d.roads())
	line("junctions", quantity.Grouped(d.Junctions))
	line("geometry", quantities(d.Geometry))
	line("lanes", quantities(d.Lanes))
	line("access", quantities(d.Access))
	line("signals", quantities(d.Signals))
	line("objects", quantities(d.Objects))
	line("left out", strings.Join(d.LeftOut, "; "))
	if d.Errors+d.Warnings > 0 {
		line("findings", fmt.Sprintf("%d errors, %d warnings: gosmp check %s", d.Errors, d.Warnings,
			d.File))
	}
	return w.Flush()
}

// tenth rounds to 0.1 and avoids negative zero.
func tenth(v float64) float64 { return math.Round(v*10)/10 + 0 }

func (d mapText) roads() string {
	text := fmt.Sprintf("%s, %s", quantity.Grouped(d.Roads), kilometres(d.RoadLength))
	if d.InJunctions > 0 {
		text += fmt.Sprintf("; %s in junctions", quantity.Grouped(d.InJunctions))
	}
	if d.LeftHand > 0 {
		text += fmt.Sprintf("; %s with left-hand traffic", quantity.Grouped(d.LeftHand))
	}
	return text
}

func kilometres(m float64) string { return fmt.Sprintf("%.2f km", m/1000) }

func quantities(all []inspect.Quantity) string {
	parts := make([]string, len(all))
	for k, q := range all {
		parts[k] = q.Kind + " " + quantity.Grouped(q.Count)
		if q.Length > 0 {
			parts[k] += " (" + kilometres(q.Length) + ")"
		}
	}
	return strings.Join(parts, ", ")
}
