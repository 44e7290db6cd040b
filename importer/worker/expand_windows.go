//go:build amd64

package worker

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// expand inserts the arguments of an FMI 2.0 log message into its text, as printf does. The
// arguments are the words that follow the message on the stack: integers, addresses, the bits of
// double-precision numbers. There may be fewer arguments than the text requires; directives that
// cannot be expanded are kept.
func expand(format string, arguments []uintptr) string {
	var out strings.Builder
	for format != "" {
		k := strings.IndexByte(format, '%')
		if k < 0 {
			break
		}
		out.WriteString(format[:k])
		var d directive
		d, format = parse(format[k:], &arguments)
		out.WriteString(d.expanded(&arguments))
	}
	return out.String() + format
}

// directive is a conversion in a format, such as %-8.3lf.
type directive struct {
	text  string // as in the format
	flags string // with width and precision
	bits  int    // of an integer
	verb  byte
}

// next returns the next argument.
func next(arguments *[]uintptr) (v uintptr, ok bool) {
	if len(*arguments) == 0 {
		return 0, false
	}
	v, *arguments = (*arguments)[0], (*arguments)[1:]
	return v, true
}

// parse splits off the directive at the beginning of a format.
func parse(format string, arguments *[]uintptr) (d directive, rest string) {
	d.bits = 32
	k := 1
	for ; k < len(format) && strings.IndexByte("-+ #0123456789.*", format[k]) >= 0; k++ {
		if format[k] != '*' {
			d.flags += format[k : k+1]
		} else if v, ok := next(arguments); ok {
			d.flags += strconv.Itoa(int(int32(v)))
		}
	}
	for ; k < len(format); k++ {
		switch rest := format[k:]; {
		case strings.HasPrefix(rest, "hh"):
			d.bits, k = 8, k+1
		case rest[0] == 'h':
			d.bits = 16
		case strings.HasPrefix(rest, "ll"):
			d.bits, k = 64, k+1
		case strings.HasPrefix(rest, "I64"):
			d.bits, k = 64, k+2
		case rest[0] == 'z', rest[0] == 't', rest[0] == 'j':
			d.bits = 64
		case rest[0] == 'l', rest[0] == 'L': // long has 32 bits on Windows
		default:
			d.verb = rest[0]
			d.text = format[:k+1]
			return d, format[k+1:]
		}
	}
	d.text = format
	return d, ""
}

// expanded returns the text of an argument.
func (d directive) expanded(arguments *[]uintptr) string {
	if d.verb == '%' {
		return "%"
	}
	if d.verb == 0 || strings.IndexByte("diuoxXcsaAeEfFgGp", d.verb) < 0 {
		return d.text
	}
	v, ok := next(arguments)
	if !ok {
		return d.text
	}
	shift := 64 - d.bits
	switch d.verb {
	case 'd', 'i':
		return fmt.Sprintf("%"+d.flags+"d", int64(v)<<shift>>shift)
	case 'u':
		return fmt.Sprintf("%"+d.flags+"d", uint64(v)<<shift>>shift)
	case 'o', 'x', 'X':
		return fmt.Sprintf("%"+d.flags+string(d.verb), uint64(v)<<shift>>shift)
	case 'c':
		return fmt.Sprintf("%"+d.flags+"c", byte(v))
	case 's':
		return fmt.Sprintf("%"+d.flags+"s", textAt(v))
	case 'p':
		return fmt.Sprintf("%016X", v)
	case 'a', 'A':
		return fmt.Sprintf("%"+d.flags+string(d.verb-'a'+'x'), math.Float64frombits(uint64(v)))
	}
	return strings.Replace(fmt.Sprintf("%"+d.flags+string(d.verb), math.Float64frombits(uint64(v))),
		"Inf", "inf", 1)
}
