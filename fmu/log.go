package fmu

import (
	"fmt"
	"strings"

	"gosmp/fmi"
)

// Message is one line for the host's logger. It is complete except that '%' is doubled later, at
// the C boundary.
type Message struct {
	Status   fmi.Status
	Category string
	Text     string
}

// logger decides which messages reach the host.
type logger struct {
	deliver    func(Message)
	categories []fmi.LogCategory
	choices    []choice // parallel to categories
}

// choice is the host's choice for a log category.
type choice uint8

const (
	unasked choice = iota // loggingOn was false and the host has not named the category
	hidden
	shown
)

func chosen(on bool) choice {
	if on {
		return shown
	}
	return hidden
}

func newLogger(d *Definition, v fmi.Version, deliver func(Message), on bool) *logger {
	l := &logger{deliver: deliver, categories: d.categories(v)}
	l.choices = make([]choice, len(l.categories))
	switch {
	case on:
		l.setAll(shown)
	case v >= fmi.FMI3: // whose loggingOn applies to all messages
		l.setAll(hidden)
	}
	return l
}

func (l *logger) setAll(c choice) {
	for i := range l.choices {
		l.choices[i] = c
	}
}

// find returns the index of a declared category, or -1.
func (l *logger) find(name string) int {
	for i := range l.categories {
		if l.categories[i].Name == name {
			return i
		}
	}
	return -1
}

// set implements fmi2SetDebugLogging. Without names it applies to all categories. With names,
// switching on shows only these categories, and switching off hides them. An unknown name changes
// nothing.
func (l *logger) set(on bool, names []string) error {
	for _, name := range names {
		if l.find(name) < 0 {
			return wrongArgument("category", fmt.Sprintf("%q", name), "one of "+l.known())
		}
	}
	if len(names) == 0 || on {
		l.setAll(chosen(on && len(names) == 0))
	}
	for _, name := range names {
		l.setOne(name, chosen(on))
	}
	return nil
}

func (l *logger) setOne(name string, c choice) {
	if name == fmi.LogAll {
		l.setAll(c)
		return
	}
	l.choices[l.find(name)] = c
}

// general returns the category of messages that have no other: the last one of the standard
// categories.
func (l *logger) general() string {
	if l.find(fmi.LogAll) >= 0 {
		return fmi.LogAll
	}
	return logGeneral
}

func (l *logger) known() string {
	names := make([]string, len(l.categories))
	for i, c := range l.categories {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}

// log delivers a message if its category is switched on. The reason for a failed call is delivered
// even with debug logging off, unless the host has asked for silence through fmi2SetDebugLogging.
func (l *logger) log(status fmi.Status, category, text string) {
	l.write(status, category, text, status >= fmi.Error)
}

// write delivers a message if its category is switched on, or if it is needed and the host has not
// asked for silence. The host must not see an undeclared category, so such a category becomes the
// general one. In FMI, '#' introduces a reference to a variable, so a literal '#' is doubled.
func (l *logger) write(status fmi.Status, category, text string, needed bool) {
	if l.find(category) < 0 {
		category = l.general()
	}
	wanted := l.choices[l.find(category)]
	if l.deliver == nil || wanted == hidden || wanted == unasked && !needed {
		return
	}
	l.deliver(Message{status, category, strings.TrimRight(Printable(text), "\n")})
}

var printable = strings.NewReplacer("#", "##", "\x00", "\uFFFD")

// Printable makes a text safe for a host's logger: '#' is doubled, and a zero byte or a run of
// bytes that are not UTF-8 becomes U+FFFD.
func Printable(text string) string {
	return printable.Replace(strings.ToValidUTF8(text, "\uFFFD"))
}
