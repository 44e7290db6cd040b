package statechart

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"gosmp/experiment/scxml"
	"gosmp/internal/fault"
	"gosmp/timebase"
)

// ErrEvents is the error for a list of events that cannot be used.
var ErrEvents = errors.New("unusable list of events")

// Timed is an external event with its time.
type Timed struct {
	At    timebase.Time
	Event scxml.Event
}

const longestLine = 1 << 20 // of a list of events, or of standard input

// ReadEvents reads a list of events. Each line contains a time in seconds, a name and, optionally,
// data as JSON. Times must not decrease. Empty lines, and lines that start with "#", are skipped.
//
//	0.5  button
//	2    speed {"value": 13.9}
func ReadEvents(name string, r io.Reader) (list []Timed, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestLine)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		refuse := func(found, expected string) error {
			return fault.New(ErrEvents, fault.Line(name, n), found, expected).
				WithHint(`write a line such as: 2.5 button {"pressed": true}`)
		}
		seconds, rest := cut(line)
		at, err := scxml.ParseDuration(seconds + "s")
		if err != nil {
			return nil, refuse(fmt.Sprintf("%q", seconds), "a time in seconds")
		}
		if len(list) > 0 && at < list[len(list)-1].At {
			return nil, refuse(
				seconds+" s",
				"a time not before "+scxml.Seconds(list[len(list)-1].At),
			)
		}
		event, err := ParseEvent(rest)
		if err != nil {
			return nil, refuse(fmt.Sprintf("%q", rest), err.Error())
		}
		list = append(list, Timed{at, event})
	}
	return list, lines.Err()
}

// ParseEvent parses a name and, after a blank, data as JSON.
func ParseEvent(line string) (scxml.Event, error) {
	name, data := cut(strings.TrimSpace(line))
	e := scxml.Event{Name: name}
	if name == "" {
		return e, errors.New("the name of an event")
	}
	if data == "" {
		return e, nil
	}
	v, ok := scxml.JSON(data)
	if !ok {
		return e, errors.New("data in JSON after the name")
	}
	e.Data = v
	return e, nil
}

func cut(line string) (first, rest string) {
	i := strings.IndexAny(line, " \t")
	if i < 0 {
		return line, ""
	}
	return line[:i], strings.TrimSpace(line[i:])
}
