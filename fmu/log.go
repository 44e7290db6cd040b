package fmu

import (
	"fmt"
	"strings"
)

// Message is one line for the host's logger, ready but for the doubling of '%', which is the matter of the C boundary.
type Message struct {
	Status   Status
	Category string
	Text     string
}

// logger decides which messages reach the host.
type logger struct {
	deliver    func(Message)
	categories []LogCategory
	on         []bool // parallel to categories
	silenced   bool   // the host has switched logging off explicitly
}

func newLogger(d *Definition, deliver func(Message), on bool) *logger {
	l := &logger{deliver: deliver, categories: d.Categories()}
	l.on = make([]bool, len(l.categories))
	l.setAll(on)
	return l
}

func (l *logger) setAll(on bool) {
	for i := range l.on {
		l.on[i] = on
	}
}

// find is the index of a declared category, or -1.
func (l *logger) find(name string) int {
	for i := range l.categories {
		if l.categories[i].Name == name {
			return i
		}
	}
	return -1
}

// set implements fmi2SetDebugLogging. Without names it addresses all categories; with names, switching on shows only these,
// switching off hides these. An unknown name changes nothing.
func (l *logger) set(on bool, names []string) error {
	for _, name := range names {
		if l.find(name) < 0 {
			return wrongArgument("category", fmt.Sprintf("%q", name), "one of "+l.known())
		}
	}
	if len(names) == 0 || on {
		l.setAll(on && len(names) == 0)
	}
	for _, name := range names {
		l.setOne(name, on)
	}
	l.silenced = !on && len(names) == 0
	return nil
}

func (l *logger) setOne(name string, on bool) {
	if name == LogAll {
		l.setAll(on)
		return
	}
	l.on[l.find(name)] = on
}

func (l *logger) known() string {
	names := make([]string, len(l.categories))
	for i, c := range l.categories {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}

// enabled says whether a message goes out. Switched-off debug logging does not hide why a call has failed, unless the host
// has asked for silence through fmi2SetDebugLogging.
func (l *logger) enabled(status Status, category string) bool {
	if l.deliver == nil {
		return false
	}
	if i := l.find(category); i >= 0 && l.on[i] {
		return true
	}
	return status >= Error && !l.silenced && !l.anyOn()
}

func (l *logger) anyOn() bool {
	for _, on := range l.on {
		if on {
			return true
		}
	}
	return false
}

// log delivers a message if its category is switched on. In FMI, '#' introduces a reference to a variable, so that it is
// doubled to stand for itself.
func (l *logger) log(status Status, category, text string) {
	if !l.enabled(status, category) {
		return
	}
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.NewReplacer("#", "##", "\x00", "\uFFFD").Replace(text)
	l.deliver(Message{status, category, strings.TrimRight(text, "\n")})
}
