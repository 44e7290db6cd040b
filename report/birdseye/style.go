package birdseye

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// Surfaces are shades of gray and pale blue. Marks have different shapes and use colors from Okabe
// and Ito's palette, which people with any kind of color vision can distinguish.
var (
	viewColor       = color.RGBA{226, 238, 247, 255}
	viewEdge        = color.RGBA{110, 140, 165, 255}
	roadColor       = color.RGBA{150, 156, 162, 255}
	edgeColor       = color.RGBA{214, 218, 222, 255}
	gridColor       = color.RGBA{205, 210, 214, 255}
	stationaryColor = color.RGBA{216, 210, 198, 255}
	stationaryEdge  = color.RGBA{130, 124, 112, 255}
	movingColor     = color.RGBA{160, 174, 186, 255}
	movingEdge      = color.RGBA{70, 82, 92, 255}
	hostColor       = color.RGBA{25, 35, 45, 255}
	movingMark      = color.RGBA{190, 70, 0, 255}
	nameColor       = color.RGBA{140, 45, 0, 255}
	stationaryMark  = color.RGBA{0, 114, 178, 255}
	missedMark      = color.RGBA{0, 0, 0, 255}
)

// Font sizes, for a picture shown 900 dots wide.
const (
	titleSize   = 13
	captionSize = 10
	labelSize   = 10
	idSize      = 11
)

// textStyle returns a text style in a font that gonum's plot includes. There is only one weight,
// because plot cannot write bold text to PDF.
func textStyle(size float64, c color.Color) text.Style {
	f := font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Points(size))
	return text.Style{Color: c, Font: f, Handler: plot.DefaultTextHandler}
}

// style sets everything that does not depend on the snapshot.
func style(p *plot.Plot) {
	f := textStyle(labelSize, nil).Font
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font, axis.Tick.Label.Font = f, f
		axis.Label.Padding, axis.Padding, axis.Tick.Length = vg.Points(3), 0, vg.Points(5)
	}
}
