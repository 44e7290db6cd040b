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
	"gosmp/internal/plaintext"
)

// textWidth is the maximum width of the lines of a report.
const textWidth = 100

// ShortTime formats seconds without trailing zeros.
func ShortTime(s float64) string { return strconv.FormatFloat(s, 'f', -1, 64) + " s" }

// WriteWrapped writes a text in lines of at most textWidth, the first indented by two blanks and
// the others by four. A long text is shortened.
func WriteWrapped(out io.Writer, text string) {
	indent, line := "  ", ""
	text = strings.Join(strings.Fields(text), " ") // a text of many short lines is long, too
	for _, word := range strings.Fields(plaintext.Shortened(text)) {
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

// Plain formats a non-negative number without an exponent, with all digits before the decimal
// point, and decimals up to four digits in total.
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

// Number formats a number, or returns a dash for nil.
func Number(x *float64) string {
	if x == nil {
		return "-"
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}

// widest is the longest cell that widens its column. A longer cell, such as the values of a matrix,
// shifts only its own row.
const widest = 60

// WriteTable writes rows with aligned columns, each preceded by two blanks. If width is not 0, it
// cuts longer lines.
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

// cut shortens a line to a width, ending it with an ellipsis. A width of 0 leaves the line as it
// is.
func cut(line string, width int) string {
	if width <= 0 || utf8.RuneCountInString(line) <= width {
		return line
	}
	return strings.TrimRight(string([]rune(line)[:width-1]), " ") + "…"
}

// ListedOfAKind is the number of problems of a kind that are listed; the others are only counted.
const ListedOfAKind = 3
