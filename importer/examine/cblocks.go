package examine

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gosmp/importer/worker/probe"
)

// A script repeats calls with other numbers, such as the steps of a life. In a program, they become
// loops over tables of numbers, so that it can be read at a glance.

// round stands for the variable of the loop around a statement.
const round = "\x03"

// varying marks a number in a statement that may differ between repetitions.
func varying(number string) string { return "\x01" + number + "\x02" }

var marked = regexp.MustCompile("\x01([^\x02]*)\x02")

// plain removes the marks from a statement.
func plain(text string) string {
	return strings.ReplaceAll(marked.ReplaceAllString(text, "$1"), round, "0") // in no loop
}

// statements returns the operations from k up to and including last as statements, and the position
// after them. It ends after the operation that closes the loop around them. depth is the number of
// loops around the statements; apart collects calls in other threads.
func (p *play) statements(k, last, depth int, apart *pieces) ([]string, int) {
	var list []string
	for k <= last {
		o := &p.ops[k]
		at := k
		k++
		switch o.Code {
		case probe.Next:
			return compact(list, depth), k
		case probe.Loop:
			body, next := p.statements(k, last, depth+1, apart)
			n, count := fmt.Sprintf("k%d", depth), varying(fmt.Sprint(o.Count))
			for s := range body {
				body[s] = strings.ReplaceAll(body[s], round, n)
			}
			head := fmt.Sprintf("for (int %s = 0; %s < %s; quiet = ++%s < %s) {", n, n, count, n,
				count)
			list, k = append(list, block(head, body)), next
		case probe.Unless:
			body, _ := p.statements(k, min(last, at+o.Count), depth+1, apart)
			list, k = append(list, block("if (wanted) {", body)), at+1+o.Count
		default:
			statement := p.s.statement(o, at, apart)
			if bare(o.Code) != "" && o.Flags&(probe.OtherThread|probe.SmallStack) != 0 {
				statement = apart.elsewhere(statement)
			}
			if in := boolInt(o.Slot > 0); p.hasCopy() && bare(callName(o.Code)) != "" &&
				apart.library != in {
				apart.library = in // each instance has its own library
				statement = fmt.Sprintf("library = libraries[%d];\n%s", in, statement)
			}
			list = append(list, statement)
		}
	}
	return compact(list, depth), k
}

// block returns a statement with a body in braces.
func block(head string, body []string) string {
	return head + "\n" + indented(body) + "}"
}

func indented(body []string) string {
	var text strings.Builder
	for _, statement := range body {
		for line := range strings.Lines(statement) {
			text.WriteString("\t" + strings.TrimRight(line, "\n") + "\n")
		}
	}
	return text.String()
}

// lineCount counts the lines of statements.
func lineCount(list []string) (n int) {
	for _, statement := range list {
		n += strings.Count(statement, "\n") + 1
	}
	return n
}

// compact replaces repeated sequences of statements by loops wherever that saves lines.
func compact(list []string, depth int) (out []string) {
	const longest, least = 16, 2 // statements of a sequence, lines saved
	templates := make([]string, len(list))
	for k := range list {
		templates[k] = marked.ReplaceAllString(list[k], "\x00")
	}
	for k := 0; k < len(list); {
		best, saved, length := "", least-1, 0
		for p := 1; p <= min(longest, (len(list)-k)/3); p++ {
			n := 1
			for k+(n+1)*p <= len(list) &&
				slices.Equal(templates[k:k+p], templates[k+n*p:k+(n+1)*p]) {
				n++
			}
			if n < 3 {
				continue
			}
			loop := repetition(list[k:k+n*p], p, depth)
			if less := lineCount(list[k:k+n*p]) - lineCount([]string{loop}); less > saved {
				best, saved, length = loop, less, n*p
			}
		}
		if length == 0 {
			best, length = list[k], 1
		}
		out = append(out, best)
		k += length
	}
	return out
}

// repetition returns a loop for statements whose sequence of length p repeats.
func repetition(list []string, p, depth int) string {
	rounds := len(list) / p
	index := fmt.Sprintf("i%d", depth)
	var columns [][]string // of the numbers of all statements
	for s := range p {
		for at := range marked.FindAllString(list[s], -1) {
			var column []string
			for round := range rounds {
				numbers := marked.FindAllStringSubmatch(list[round*p+s], -1)
				column = append(column, numbers[at][1])
			}
			columns = append(columns, column)
		}
	}
	kind, more := "int", ""
	formulas := make([]string, len(columns))
	var rows [][]string
	for k, column := range columns {
		formula, sum := progression(column, columns, depth)
		if sum != "" {
			kind, more = "double", sum
		}
		formulas[k] = formula
	}
	for k, column := range columns {
		if formulas[k] != "" || constant(column) {
			continue // the same in each round, or computed
		}
		rows = append(rows, column)
		at := index
		if kind == "double" {
			at = "(int)" + index
		}
		formulas[k] = fmt.Sprintf("x%d[%s][%d]", depth, at, len(rows)-1)
	}
	body := make([]string, p)
	n := -1
	for s := range p {
		body[s] = marked.ReplaceAllStringFunc(list[s], func(first string) string {
			n++
			return cmp.Or(formulas[n], first)
		})
	}
	begin, next, _ := strings.Cut(more, ";")
	head := fmt.Sprintf("for (%s %s = 0%s; %s < %d; %s++%s) {", kind, index, begin, index, rounds,
		index, next)
	if len(rows) > 0 {
		body = slices.Insert(body, 0, fmt.Sprintf("static const double x%d[][%d] = {%s};", depth,
			len(rows), tableRows(transposed(rows))))
	}
	return block(head, body)
}

func constant(column []string) bool {
	return !slices.ContainsFunc(column, func(x string) bool { return x != column[0] })
}

func transposed(columns [][]string) (rows [][]string) {
	for k := range columns[0] {
		row := make([]string, len(columns))
		for n := range columns {
			row[n] = columns[n][k]
		}
		rows = append(rows, row)
	}
	return rows
}

// progression returns how C computes the numbers of a column exactly from the round and from a
// constant column: as products; or as sums, for which it also returns what the head of the loop
// must contain. It returns nothing for other columns.
func progression(column []string, columns [][]string, depth int) (formula, sum string) {
	const least = 4 // a table of fewer rows is clearer
	list, ok := floats(column)
	if !ok || len(list) < least || constant(column) {
		return "", ""
	}
	for _, other := range columns {
		h, ok := floats(other[:1])
		if !ok || !constant(other) || h[0] == 0 {
			continue
		}
		first := math.Round(list[0] / h[0])
		products, sums := true, true
		for k, x := range list {
			products = products && x == float64((first+float64(k))*h[0])
			sums = sums && (k == 0 || x == list[k-1]+h[0])
		}
		switch {
		case products && first == 0:
			return fmt.Sprintf("i%d * %s", depth, other[0]), ""
		case products:
			return fmt.Sprintf("(i%d + %.0f) * %s", depth, first, other[0]), ""
		case sums:
			name := fmt.Sprintf("t%d", depth)
			return name, fmt.Sprintf(", %s = %s;, %s += %s", name, column[0], name, other[0])
		}
	}
	return "", ""
}

func floats(column []string) (list []float64, ok bool) {
	for _, text := range column {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, false
		}
		list = append(list, x)
	}
	return list, true
}

// tableRows returns the rows of a table as C initializers, in lines.
func tableRows(rows [][]string) string {
	const width = 80
	var text strings.Builder
	length := 0
	for k, row := range rows {
		one := "{" + strings.Join(row, ", ") + "}"
		switch {
		case k > 0 && length+len(one) > width:
			text.WriteString(",\n\t")
			length = 0
		case k > 0:
			text.WriteString(", ")
		}
		text.WriteString(one)
		length += len(one) + 2
	}
	return text.String()
}
