package ssp

import (
	"fmt"
	"slices"
	"strings"

	"gosmp/fmi"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/osmp"
	"gosmp/osmp/check"
)

// message describes the part of a notional binary OSMP variable that a connector carries.
type message struct {
	name string // of the notional binary variable
	role osmp.Role
	mime string
	kind Kind
}

// messagesByName returns the notional binary variables of an FMU, by the names of their actual
// variables and their own names.
func (f *fmuFile) messagesByName() map[string]message {
	if f.messages != nil {
		return f.messages
	}
	f.messages = map[string]message{}
	byReference := map[uint32]string{}
	for _, v := range f.fmu.Model.Variables {
		if v.Type == fmi.Integer {
			byReference[v.ValueReference] = v.Name
		}
	}
	for _, v := range check.Examine(f.fmu.Model).Variables {
		kind := Kind(v.Causality)
		f.messages[v.Name] = message{v.Name, osmp.Full, v.MIMEType, kind}
		references := [...]*uint32{v.ValueReferences.BaseLo, v.ValueReferences.BaseHi,
			v.ValueReferences.Size}
		for k, role := range [...]osmp.Role{osmp.BaseLo, osmp.BaseHi, osmp.Size} {
			if references[k] != nil {
				f.messages[byReference[*references[k]]] = message{v.Name, role, v.MIMEType, kind}
			}
		}
	}
	return f.messages
}

// message returns what a connector of a component carries, judging by its FMU or, failing that, by
// its name. It returns false for plain values.
func (e *element) message(connector string, t fmi.Type) (message, bool) {
	if e.fmu != nil {
		m, is := e.fmu.messagesByName()[connector]
		return m, is
	}
	if t == fmi.Binary {
		return message{name: connector, role: osmp.Full}, true
	}
	m, is := partByName(connector)
	return m, is && strings.HasPrefix(m.name, "OSMP")
}

// partByName interprets the name of a connector as the name of a part of a message.
func partByName(connector string) (message, bool) {
	for _, role := range []osmp.Role{osmp.BaseLo, osmp.BaseHi, osmp.Size} {
		if name, is := strings.CutSuffix(connector, "."+string(role)); is {
			return message{name: name, role: role}, true
		}
	}
	return message{}, false
}

// binary returns what an FMI 3.0 Binary carries if its name is not defined by OSMP: a message if
// its media type indicates one.
func (e *element) binary(connector string) message {
	p := e.portByName[connector]
	if p == nil || p.valueType() != fmi.Binary {
		return message{}
	}
	mime := p.mime()
	if v := p.connector.Variable; v != nil && anything(mime) {
		mime = v.MIMEType
	}
	if anything(mime) {
		return message{}
	}
	return message{name: connector, role: osmp.Full, mime: mime}
}

// anything reports whether a media type does not specify the format of the bytes.
func anything(mime string) bool { return mime == "" || mime == "application/octet-stream" }

// parts holds the connections that make up the message of one destination.
type parts struct {
	to          Port
	connections []*Connection
	from, into  []message
}

// joinMessages combines the connections of the three integers of a message into one connection, and
// checks that these connections belong together.
func (l *loader) joinMessages(top *element) {
	byName := map[string]*element{}
	for _, e := range top.leaves() {
		byName[e.component.Name] = e
	}
	var order []*parts
	found := map[string]*parts{}
	var list []*Connection
	for _, c := range l.system.Connections {
		source, target := byName[c.From.Component], byName[c.To.Component]
		to, takes := target.message(c.To.Connector, typeOf(target, c.To.Connector))
		from, sends := source.message(c.From.Connector, typeOf(source, c.From.Connector))
		if !takes {
			// elsewhere, names need not follow OSMP
			if sends && from.role != osmp.Full && source.fmu != nil && target.fmu != nil {
				l.stop("SSP-O1", c.Place, fmt.Sprintf("%s is part of a message, but %s is not",
					c.From, c.To),
					"connect base.lo, base.hi and size to those of another message, or the "+
						"message to a Binary")
				continue
			}
			list = append(list, c)
			continue
		}
		switch {
		case !sends && source.fmu != nil:
			from = source.binary(c.From.Connector)
		case !sends:
			from, _ = partByName(c.From.Connector)
		}
		key := Port{Component: c.To.Component, Connector: to.name, Indices: c.To.Indices}
		p := found[key.String()]
		if p == nil {
			p = &parts{to: key}
			found[key.String()] = p
			order = append(order, p)
		}
		p.connections, p.from, p.into = append(p.connections, c), append(p.from, from),
			append(p.into, to)
	}
	for _, p := range order {
		if c := l.joinMessage(p); c != nil {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b *Connection) int { return a.order - b.order })
	l.system.Connections = list
}

func typeOf(e *element, connector string) fmi.Type {
	if p := e.portByName[connector]; p != nil {
		return p.valueType()
	}
	return 0
}

// joinMessage combines the connections of one message into one; nil if they do not belong together.
func (l *loader) joinMessage(p *parts) *Connection {
	first := p.connections[0]
	remedy := "connect base.lo, base.hi and size of one message to those of the other"
	roles := map[osmp.Role]bool{}
	for k, c := range p.connections {
		from, to := p.from[k], p.into[k]
		roles[to.role] = true
		switch {
		case from.name == "" && to.role == osmp.Full:
			l.stop("SSP-O2", c.Place, fmt.Sprintf("%s is not an OSMP message, but %s is", c.From,
				p.to), "connect a message")
			return nil
		case from.name == "" || from.role != to.role:
			l.stop("SSP-O1", c.Place,
				fmt.Sprintf("%s is connected to %s: the parts of the message are crossed", c.From,
					c.To), remedy)
			return nil
		case c.From.Component != first.From.Component || from.name != p.from[0].name:
			l.stop("SSP-O1", c.Place, fmt.Sprintf("the message %s comes from %s.%s and from %s.%s",
				p.to, first.From.Component, p.from[0].name,
				c.From.Component, from.name), remedy)
			return nil
		}
	}
	full := roles[osmp.Full]
	switch {
	case full && len(roles) > 1:
		l.stop("SSP-O2", first.Place,
			fmt.Sprintf("the message %s is connected as Binary and as three Integers", p.to),
			"keep one of the two")
		return nil
	case !full && len(roles) < 3:
		var missing []string
		for _, r := range []osmp.Role{osmp.BaseLo, osmp.BaseHi, osmp.Size} {
			if !roles[r] {
				missing = append(missing, string(r))
			}
		}
		l.stop("SSP-O1", first.Place,
			fmt.Sprintf("the message %s is connected in part: %s is missing", p.to,
				strings.Join(missing, " and ")), remedy)
		return nil
	}
	if !l.sameMessage(p.from[0].mime, p.into[0].mime, first.Place) {
		return nil
	}
	c := *first
	c.From.Connector, c.To.Connector, c.Message = p.from[0].name, p.into[0].name, true
	c.Transformation = Identity()
	return &c
}

// sameMIME compares the media types of two Binary connectors.
func (l *loader) sameMIME(a, b string, x *edge) bool {
	return l.sameMessage(a, b, x.doc.place(x.node))
}

// sameMessage compares media types. If only the minor versions differ, the system can still run.
func (l *loader) sameMessage(a, b string, place fault.Place) bool {
	switch compareMedia(a, b) {
	case otherVersion:
		l.findAs(finding.Warning, "SSP-O2", place,
			fmt.Sprintf("the versions of the messages differ: %s and %s", a, b),
			"build both models for the same version")
	case otherMedia:
		l.stop("SSP-O2", place, fmt.Sprintf("the messages differ: %s goes to %s", a, b),
			"connect messages of the same type")
		return false
	}
	return true
}

// The ways in which media types differ.
const (
	sameMedia = iota
	otherVersion
	otherMedia
)

// compareMedia compares media types by type and parameters. An empty type and
// application/octet-stream fit everything. Messages with a different minor version can be read, as
// in a run.
func compareMedia(a, b string) int {
	if anything(a) || anything(b) || strings.EqualFold(strings.ReplaceAll(a, " ", ""),
		strings.ReplaceAll(b, " ", "")) {
		return sameMedia
	}
	mediaA, parametersA, okA := osmp.ParseMIMEType(a)
	mediaB, parametersB, okB := osmp.ParseMIMEType(b)
	if !okA || !okB || mediaA != mediaB || parametersA["type"] != parametersB["type"] {
		return otherMedia
	}
	one, two := parametersA["version"], parametersB["version"]
	majorOne, _, _ := strings.Cut(one, ".")
	majorTwo, _, _ := strings.Cut(two, ".")
	switch {
	case one == two:
		return sameMedia
	case one != "" && two != "" && majorOne != majorTwo:
		return otherMedia
	}
	return otherVersion
}

// judgeRequests reports configuration requests not answered by any part of the system.
func (l *loader) judgeRequests(top *element) {
	connected := map[string]bool{}
	for _, c := range l.system.Connections {
		connected[c.From.String()], connected[c.To.String()] = true, true
	}
	for _, e := range top.leaves() {
		if e.fmu == nil {
			continue
		}
		names := e.fmu.messagesByName()
		for _, v := range check.Examine(e.fmu.fmu.Model).Variables {
			prefix, index, is := cutRequest(v.Name)
			if !is {
				continue
			}
			answer := prefix + "Config" + index
			request, config := connected[e.component.Name+"."+v.Name], connected[e.component.Name+
				"."+answer]
			_, exists := names[answer]
			switch {
			case !exists:
				l.find("SSP-O3", e.place(), fmt.Sprintf("the FMU has %s and no %s to answer it",
					v.Name, answer), "add it to the model")
			case request != config:
				l.find("SSP-O3", e.place(),
					fmt.Sprintf("only one of %s and %s is connected", v.Name,
						answer),
					"connect both to the producer, or neither: then the host answers")
			case !request:
				l.findAs(finding.Note, "SSP-O3", e.place(),
					fmt.Sprintf("%s has no producer: the host has to answer it, which few hosts do",
						v.Name),
					"connect it with "+answer+" to the producer if that can be configured")
			}
		}
	}
}

// cutRequest splits the name of a configuration request, for example into OSMPSensorViewIn and [1]
// or nothing.
func cutRequest(name string) (prefix, index string, ok bool) {
	prefix, index, ok = strings.Cut(name, "ConfigRequest")
	return prefix, index, ok && strings.HasPrefix(prefix, "OSMP")
}
