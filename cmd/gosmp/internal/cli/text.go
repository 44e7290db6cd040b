package cli

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"gosmp/fmi/archive"
)

// textWidth is how wide the lines of a report are at most.
const textWidth = 100

// ShortTime writes seconds without trailing zeros.
func ShortTime(s float64) string { return strconv.FormatFloat(s, 'f', -1, 64) + " s" }

// WriteWrapped writes a text in lines of at most textWidth, the first indented by two blanks and
// the others by four.
func WriteWrapped(out io.Writer, text string) {
	indent, line := "  ", ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(indent)+utf8.RuneCountInString(line)+1+utf8.RuneCountInString(
			word) > textWidth {
			fmt.Fprintf(out, "%s%s\n", indent, line)
			indent, line = "    ", ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	fmt.Fprintf(out, "%s%s\n", indent, line)
}

// Plain writes a number of 0 or more without an exponent: all digits before the point, and four in
// all if there are not as many.
func Plain(v float64) string {
	if v == 0 {
		return "0"
	}
	decimals := max(0, 3-int(math.Floor(math.Log10(v))))
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if decimals > 0 {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// Number is a number as it is, or a dash for none.
func Number(x *float64) string {
	if x == nil {
		return "-"
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}

// widest is the greatest length at which a cell still widens its column. A longer cell, such as the
// values of a matrix, shifts only its own row.
const widest = 60

// WriteTable writes rows with aligned columns, two blanks before each. With a width longer lines
// are cut.
func WriteTable(out io.Writer, rows [][]string, width int) {
	var widths []int
	for _, row := range rows {
		for k, cell := range row {
			row[k] = archive.Plain(cell)
			if k == len(widths) {
				widths = append(widths, 0)
			}
			if n := utf8.RuneCountInString(row[k]); n <= widest {
				widths[k] = max(widths[k], n)
			}
		}
	}
	var line []byte
	for _, row := range rows {
		line = line[:0]
		for k, cell := range row {
			line = append(append(line, "  "...), cell...)
			for n := utf8.RuneCountInString(cell); n < widths[k]; n++ {
				line = append(line, ' ')
			}
		}
		fmt.Fprintln(out, cut(string(bytes.TrimRight(line, " ")), width))
	}
}

// cut shortens a line to a width, with an ellipsis for the missing part. A width of 0 cuts nothing.
func cut(line string, width int) string {
	if width <= 0 || utf8.RuneCountInString(line) <= width {
		return line
	}
	return strings.TrimRight(string([]rune(line)[:width-1]), " ") + "…"
}

// ListedOfAKind is how many problems of one kind are listed; the others are counted.
const ListedOfAKind = 3
