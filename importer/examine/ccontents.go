package examine

import (
	"fmt"
	"slices"
	"strings"
)

// Long contents are written as numbers: bytes, and repetitions as two numbers, of which the first
// is negative: how many bytes before, and how many bytes. Each byte of a repetition is the one that
// far before it, so a distance of 1 fills memory with one value.

const (
	mostInLine  = 96      // numbers in a statement; longer contents become tables
	mostNumbers = 1 << 16 // of a table
	mostLiteral = 4096    // bytes of a text in a statement
)

// content returns how many bytes a program passes, and an expression for the numbers that unpack()
// in the program turns into them. All bytes are passed unless they take too many numbers.
func (a *pieces) content(b []byte) (size int, numbers string) {
	list, size := pack(b)
	if size < len(b) {
		a.lack(fmt.Sprintf("passes only the first %d of %d bytes", size, len(b)))
	}
	if len(list) <= mostInLine {
		return size, "(const int[]){" + cList(append(list, 0)) + "}"
	}
	table := wrapped(list)
	k := slices.Index(a.tables, table)
	if k < 0 {
		k = len(a.tables)
		a.tables = append(a.tables, table)
	}
	return size, fmt.Sprintf("data%d", k+1)
}

// text returns how many bytes a program passes, as content does, and an expression for a text of
// them.
func (a *pieces) text(b []byte) (size int, literal string) {
	if len(b) <= mostLiteral {
		return len(b), cText(b)
	}
	size, numbers := a.content(b)
	return size, fmt.Sprintf("unpacked(%d, %s)", size, numbers)
}

// lack notes what a program does not do, although the examination did it.
func (a *pieces) lack(what string) {
	if !slices.Contains(a.lacks, what) {
		a.lacks = append(a.lacks, what)
	}
}

// pack returns numbers for bytes; size is less than the number of bytes if there are too many.
func pack(b []byte) (list []int, size int) {
	const key, least = 4, 6 // a repetition of fewer bytes is clearer as bytes
	last := map[string]int{}
	note := func(from, to int) {
		for ; from < to && from+key <= len(b); from++ {
			last[string(b[from:from+key])] = from
		}
	}
	for size < len(b) && len(list)+2 <= mostNumbers {
		length, from := 0, 0
		if size+key <= len(b) {
			if k, is := last[string(b[size:size+key])]; is {
				for from = k; size+length < len(b) && b[from+length] == b[size+length]; {
					length++
				}
			}
		}
		if length < least {
			note(size, size+1)
			list = append(list, int(b[size]))
			size++
			continue
		}
		list = append(list, from-size, length)
		note(size, size+min(length, mostLiteral))
		size += length
	}
	return list, size
}

// wrapped returns numbers as C initializers, in lines.
func wrapped(list []int) string {
	const width = 96
	var text strings.Builder
	column := 0
	for _, n := range list {
		word := fmt.Sprintf("%d, ", n)
		if column+len(word) > width {
			text.WriteString("\n")
			column = 0
		}
		text.WriteString(word)
		column += len(word)
	}
	return text.String() + "0"
}
