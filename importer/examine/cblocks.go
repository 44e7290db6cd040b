package examine

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gosmp/importer/worker/probe"
)

// A script repeats calls with other numbers, such as the steps of a life. In a program, they become
// loops over tables of numbers, so that it can be read at a glance.

// varying marks a number in a statement that may differ between repetitions.
func varying(number string) string { return "\x01" + number + "\x02" }

var marked = regexp.MustCompile("\x01([^\x02]*)\x02")

// plain removes the marks from a statement.
func plain(text string) string { return marked.ReplaceAllString(text, "$1") }

// statements returns the operations from k up to and including last as statements, and the position
// after them. It ends after the operation that closes the loop around them. depth is the number of
// loops around the statements; skip omits operations.
func (p *play) statements(k, last, depth int, skip func(k int) bool) ([]string, int) {
	var list []string
	for k <= last {
		o := &p.ops[k]
		at := k
		k++
		switch {
		case o.Code == probe.Next:
			return compact(list, depth), k
		case o.Code == probe.Loop:
			body, next := p.statements(k, last, depth+1, skip)
			n, count := fmt.Sprintf("k%d", depth), varying(fmt.Sprint(o.Count))
			head := fmt.Sprintf("for (int %s = 0; %s < %s; quiet = ++%s < %s) {", n, n, count, n,
				count)
			list, k = append(list, block(head, body)), next
		case !skip(at):
			list = append(list, p.s.statement(o, at))
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
	table, index := fmt.Sprintf("x%d", depth), fmt.Sprintf("i%d", depth)
	rows, body := make([][]string, rounds), make([]string, p)
	for s := range p {
		numbers := make([][][]string, rounds)
		for round := range rounds {
			numbers[round] = marked.FindAllStringSubmatch(list[round*p+s], -1)
		}
		at := -1
		body[s] = marked.ReplaceAllStringFunc(list[s], func(first string) string {
			at++
			if !slices.ContainsFunc(numbers, func(row [][]string) bool {
				return row[at][1] != numbers[0][at][1]
			}) {
				return first // the same in each round
			}
			for round := range rounds {
				rows[round] = append(rows[round], numbers[round][at][1])
			}
			return fmt.Sprintf("%s[%s][%d]", table, index, len(rows[0])-1)
		})
	}
	head := fmt.Sprintf("for (int %s = 0; %s < %d; %s++) {", index, index, rounds, index)
	if len(rows[0]) > 0 {
		body = slices.Insert(body, 0, fmt.Sprintf("static const double %s[][%d] = {%s};", table,
			len(rows[0]), tableRows(rows)))
	}
	return block(head, body)
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
