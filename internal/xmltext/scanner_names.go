package xmltext

import (
	"encoding/xml"
)

// bind records the namespaces that an element declares.
func (s *Scanner) bind() {
	if s.raw {
		return
	}
	for _, a := range s.Attributes {
		switch {
		case a.Name.Space == xmlnsPrefix:
			s.declare(a.Name.Local, a.Value)
		case a.Name.Space == "" && a.Name.Local == xmlnsPrefix:
			s.declare("", a.Value)
		}
	}
}

func (s *Scanner) declare(prefix, space string) {
	before, known := s.newest[prefix]
	if !known {
		before = -1
	}
	if s.newest == nil {
		s.newest = map[string]int{}
	}
	s.newest[prefix] = len(s.scopes)
	s.scopes = append(s.scopes, binding{prefix, space, before})
}

// unbind removes all bindings but the first n.
func (s *Scanner) unbind(n int) {
	for k := len(s.scopes) - 1; k >= n; k-- {
		if b := s.scopes[k]; b.before >= 0 {
			s.newest[b.prefix] = b.before
		} else {
			delete(s.newest, b.prefix)
		}
	}
	s.scopes = s.scopes[:n]
}

// translated replaces the prefix of a name with its namespace. An undeclared prefix is left
// unchanged.
func (s *Scanner) translated(n xml.Name, element bool) xml.Name {
	switch {
	case s.raw, n.Space == xmlnsPrefix, n.Space == "" && (!element || n.Local == xmlnsPrefix):
		return n
	case n.Space == xmlPrefix:
		n.Space = xmlSpace
		return n
	}
	if len(s.scopes) == 0 {
		return n
	}
	// not a search: a document may declare as many prefixes as it has elements
	if k, declared := s.newest[n.Space]; declared {
		n.Space = s.scopes[k].space
	}
	return n
}
