package ssp

import (
	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
)

// System is a system after everything in its files has been resolved: variants, nested systems,
// dictionaries, the precedence of parameters, units and transformations. Components, connections
// and start values are in the order of the files.
type System struct {
	File        string // the package or the description, as the user gave it
	Entry       string // the description in a package
	Version     string // of SSP, as the description states it
	Name        string // of the description
	Title       string // of the top system
	Description string
	Components  []*Component
	Connections []*Connection
	Experiment  Experiment
	Annotations []fmi.Annotation // of the description and its experiment, all of them
	Interface   []*Connector     // the connectors of the top system
	// Boundary are the connections between components and the connectors of the top system, whose
	// end has no component. A run does not need them; they belong to the system as a component of
	// others.
	Boundary []*Connection
	Findings finding.List // what [Check] reports

	packages []*container
}

// Component is an executable part: an FMU, or a placeholder for one.
type Component struct {
	Name   string   // unique in the system: the names from the top system down, joined by dots
	Path   []string // those names
	Type   string   // media type of the source, [FMUType] by default
	Source string   // the source as the file has it; empty for a placeholder
	// where the source is in the file system; of a package only after [System.Unpack]
	File        string
	Entry       string // where the source is in the package
	Mode        string // any, CoSimulation, ModelExchange or ScheduledExecution
	Description string
	FMU         *archive.FMU // what the source contains; nil if it could not be read
	// the step size that a tool has noted for this component; zero if there is none
	Step        Step
	Connectors  []*Connector
	Starts      []Start // one for each variable, in the order in which they win
	Annotations []fmi.Annotation
	Place       fault.Place

	home   *container
	name   string // of the entry in home
	values []namedValue
}

// Connector is a port of a component or of the top system.
type Connector struct {
	Name        string
	Kind        Kind
	Type        fmi.Type // as the file states it, else as the FMU does; 0 if neither does
	Unit        string
	Enumeration string
	MIMEType    string // of a Binary
	Dimensions  []uint64
	Variable    *archive.Variable // of the FMU; nil if it has none of that name
	Place       fault.Place

	// Of the top system, as its file declares them.
	unit  unitOf
	items []item
}

// Connection carries the values of one component to another, through any number of nested systems.
type Connection struct {
	From, To Port
	// Initial says that the value is a parameter: it goes over before initialization has ended and
	// not later.
	Initial bool
	// Message says that the ports are messages of OSMP. Their names are the names of the notional
	// binary variables, whatever the files connect: one Binary, or three Integers.
	Message        bool
	Transformation Transformation
	Place          fault.Place // of the connection at the receiving component

	order int
}

// Port is a connector of a component, or of the top system if Component is empty.
type Port struct {
	Component string
	Connector string
	// of one element of an array: for each dimension, from 1; none means all (SSP 2.0)
	Indices []uint64
}

// String is component.connector, with the indices in brackets.
func (p Port) String() string {
	if p.Component == "" {
		return indexed(p.Connector, p.Indices)
	}
	return indexed(p.Component+"."+p.Connector, p.Indices)
}

// Transformation says how a value changes on its way, units included: first the map, then
// value·Factor + Offset.
type Transformation struct {
	// Map replaces values of Booleans (0 and 1), integers and enumerations; the sources are in
	// ascending order, and values that are not a source stay as they are.
	Map            []MapEntry
	Factor, Offset float64
}

// MapEntry replaces one value by another.
type MapEntry struct{ Source, Target int64 }

// Identity is the transformation that changes nothing.
func Identity() Transformation { return Transformation{Factor: 1} }

// IsIdentity reports whether nothing changes.
func (t Transformation) IsIdentity() bool {
	return len(t.Map) == 0 && t.Factor == 1 && t.Offset == 0
}

// Start is the start value of a variable, from the binding or connection that wins.
type Start struct {
	Variable string   // of the component
	Type     fmi.Type // as the parameter states it
	// Values holds one value, or the elements of an array, as [fmi.Type.ParseValue] reads them: in
	// the unit of the variable, enumerations as numbers where their items are known, Binary as
	// hexadecimal digits.
	Values []string
	Place  fault.Place // of the parameter that has won
	Reason string      // which binding it is
}

// Experiment describes the default run of the system.
type Experiment struct {
	Start, Stop *float64 // s; nil if no file says so
	StopOrigin  string   // where Stop comes from
	Step        Step     // the base step; zero if there is none
	Place       fault.Place
}

// Step is a step size and where it comes from.
type Step struct {
	Seconds float64
	Origin  string // the annotation or the FMU that states it
	Place   fault.Place
}

// Component finds a component by its name; nil if there is none.
func (s *System) Component(name string) *Component {
	for _, c := range s.Components {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Connector finds a connector by its name; nil if there is none.
func (c *Component) Connector(name string) *Connector {
	for _, x := range c.Connectors {
		if x.Name == name {
			return x
		}
	}
	return nil
}

// Placeholder reports that there is nothing to run: the file names no source.
func (c *Component) Placeholder() bool { return c.Source == "" }
