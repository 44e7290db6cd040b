package sweeppage

import (
	"cmp"
	"fmt"
	"html"
	"html/template"
	"slices"

	"gosmp/sweep"
)

// bin is a part of an axis with the runs in it.
type bin struct {
	from, to int // positions
	label    string
	counts   [verdicts]int
}

// mostBins is the maximum number of parts of an axis.
const mostBins = 20

// binsOf returns a bin for each value, or bins of the same width if there are many values.
func binsOf(c *column, results []sweep.Result) []bin {
	s := c.scale
	var bins []bin
	single := len(s.distinct) <= mostBins
	if single {
		least := unit
		if s.numeric {
			least = unit / 10 // so that the first and last bars stay in the picture
		}
		for k := 1; k < len(s.distinct); k++ {
			least = min(least, s.at(s.distinct[k])-s.at(s.distinct[k-1]))
		}
		half := max(least*2/5, 4)
		for _, v := range s.distinct {
			bins = append(bins, bin{from: s.at(v) - half, to: s.at(v) + half, label: label(v)})
		}
	} else {
		for k := range mostBins {
			b := bin{from: k * unit / mostBins, to: (k + 1) * unit / mostBins}
			b.label = fmt.Sprintf("part %d of %d", k+1, mostBins)
			if s.numeric {
				share := (s.high/2 - s.low/2) / mostBins * 2
				b.label = label(s.low+float64(share*float64(k))) + " to " +
					label(s.low+float64(share*float64(k+1)))
			}
			bins = append(bins, b)
		}
	}
	for n, r := range results {
		v := c.values[n]
		k := min(s.at(v)*mostBins/unit, mostBins-1)
		if single {
			k = slices.Index(s.distinct, v)
		}
		bins[k].counts[verdictOf(r)]++
	}
	return bins
}

// The positions of bars and boundaries in the picture of a parameter, in pixels.
const (
	shareLeft, shareWidth = 64, 410
	shareTop, shareHeight = 8, 110
	rowHeight, mostRows   = 5, 40
)

func shareX(at int) int { return shareLeft*10 + at*shareWidth*10/unit }

// shares draws the shares of the verdicts along a parameter, with the boundaries below.
func shares(c *column, results []sweep.Result, found []boundary) template.HTML {
	rows := min(len(found), mostRows)
	height := shareTop + shareHeight + 22
	if rows > 0 {
		height += rows*rowHeight + 10
	}
	p := newPicture(shareLeft+shareWidth+46, height, "outcomes along "+c.name)
	for k, text := range []string{"100 %", "50 %", "0"} {
		y := shareTop + k*shareHeight/2
		p.add(`<line class="grid" x1="%d" x2="%d" y1="%d" y2="%[3]d"/>`, shareLeft-20,
			shareLeft+shareWidth+20, y)
		p.text((shareLeft-24)*10, y*10+40, "end", text)
	}
	for _, b := range binsOf(c, results) {
		p.stack(b)
	}
	for _, t := range c.scale.ticks() {
		p.text(shareX(t.At), (shareTop+shareHeight+16)*10, "middle", t.Label)
	}
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(a, b boundary) int {
		return cmp.Or(cmp.Compare(a.low(), b.low()), cmp.Compare(a.passed, b.passed))
	})
	for k := range rows {
		b := found[k*len(found)/rows]
		from, to := shareX(c.scale.at(b.passed)), shareX(c.scale.at(b.failed))
		y := shareTop + shareHeight + 30 + k*rowHeight
		p.add(
			`<path class="between" d="M%s %dH%s"/><path class="m passed" d="M%[1]s %[2]dh0"/>`+
				`<path class="m failed" d="M%[3]s %[2]dm-2-2l4 4m0-4l-4 4"/>`,
			tenth(from), y, tenth(to))
	}
	return p.html()
}

// stack draws the bar of a bin, which is as high as the picture. Its title contains the number of
// runs.
func (p *picture) stack(b bin) {
	total := 0
	for _, n := range b.counts {
		total += n
	}
	if total == 0 {
		return
	}
	p.add(`<g><title>%s: %d passed, %d failed, %d undecided</title>`, html.EscapeString(b.label),
		b.counts[passed], b.counts[failed], b.counts[undecided])
	y := (shareTop + shareHeight) * 10
	from, to := shareX(b.from), shareX(b.to)
	for v, n := range b.counts {
		if h := n * shareHeight * 10 / total; n > 0 {
			y -= h
			p.add(`<rect class="f %s" x="%s" y="%s" width="%s" height="%s"/>`, classes[v],
				tenth(from), tenth(y), tenth(to-from-5), tenth(h))
		}
	}
	p.add(`</g>`)
}
