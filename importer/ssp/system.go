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
	File        string // the package or description given by the user
	Entry       string // the description in a package
	Version     string // SSP version stated in the description
	Name        string // of the description
	Title       string // of the top system
	Description string
	Components  []*Component
	Connections []*Connection
	Experiment  Experiment
	Annotations []fmi.Annotation // all units of the description and its experiment
	Interface   []*Connector     // the connectors of the top system
	// Boundary holds the connections between components and connectors of the top system, which are
	// ports without a component. A run does not need them; they matter if the system is a component
	// of another one.
	Boundary []*Connection
	Findings finding.List // what [Check] reports

	packages []*container
	refusals []error // see [System.Runnable]
}

// Component is an executable part: an FMU, or a placeholder for one.
type Component struct {
	Name   string   // unique: all names from the top system down, joined by dots
	Path   []string // those names
	Type   string   // media type of the source, [FMUType] by default
	Source string   // the source as in the file; empty for a placeholder
	// path of the source in the file system; for a package, set by [System.Unpack]
	File        string
	Entry       string // path of the source in the package
	Mode        string // any, CoSimulation, ModelExchange or ScheduledExecution
	Description string
	FMU         *archive.FMU // what the source contains; nil if it could not be read
	// the step size recorded by a tool for this component; zero if there is none
	Step        Step
	Connectors  []*Connector
	Starts      []Start // one per variable, in order of precedence
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
	Type        fmi.Type // as in the file, else as in the FMU; 0 if in neither
	Unit        string
	Enumeration string
	MIMEType    string // of a Binary
	Dimensions  []uint64
	Variable    *archive.Variable // of the FMU; nil if it has no variable with this name
	Place       fault.Place

	// For the top system, as declared in its file.
	unit  unitOf
	items []item
}

// Connection carries values from one component to another, through any number of nested systems.
type Connection struct {
	From, To Port
	// Initial means that the value is a parameter: it is transferred only before the end of
	// initialization.
	Initial bool
	// Message means that the ports are OSMP messages. Their names are the names of the notional
	// binary variables, regardless of whether the files connect one Binary or three Integers.
	Message        bool
	Transformation Transformation
	Place          fault.Place // of the connection at the receiving component

	order int
}

// Port is a connector of a component, or of the top system if Component is empty.
type Port struct {
	Component string
	Connector string
	// Indices select one element of an array: one index per dimension, starting at 1; without
	// indices, all elements are selected (SSP 2.0).
	Indices []uint64
}

// String returns component.connector, with the indices in brackets.
func (p Port) String() string {
	if p.Component == "" {
		return indexed(p.Connector, p.Indices)
	}
	return indexed(p.Component+"."+p.Connector, p.Indices)
}

// Transformation describes how a connection changes a value, including unit conversion: the map
// applies first, and then value·Factor + Offset.
type Transformation struct {
	// Map replaces values of Booleans (0 and 1), integers and enumerations; the source values are
	// in ascending order, and all other values remain unchanged.
	Map            []MapEntry
	Factor, Offset float64
}

// MapEntry replaces one value with another.
type MapEntry struct{ Source, Target int64 }

// Identity returns the transformation that leaves values unchanged.
func Identity() Transformation { return Transformation{Factor: 1} }

// IsIdentity reports whether the transformation leaves values unchanged.
func (t Transformation) IsIdentity() bool {
	return len(t.Map) == 0 && t.Factor == 1 && t.Offset == 0
}

// Start is the start value of a variable, from the binding or connection that takes precedence.
type Start struct {
	Variable string   // of the component
	Type     fmi.Type // as written for the parameter
	// Values holds one value, or the elements of an array, in the form that [fmi.Type.ParseValue]
	// reads: in the unit of the variable, enumeration items as numbers if they are known, Binary
	// values as hexadecimal digits.
	Values []string
	Place  fault.Place // of the parameter that takes precedence
	Reason string      // identifies the binding
}

// Experiment describes the default run of the system.
type Experiment struct {
	Start, Stop *float64 // s; nil if no file specifies it
	StopOrigin  string   // origin of Stop
	Step        Step     // the base step; zero if there is none
	Place       fault.Place
}

// Step is a step size and its origin.
type Step struct {
	Seconds float64
	Origin  string // the annotation or FMU that specifies it
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

// Placeholder reports whether the component has nothing to run because the file does not specify a
// source.
func (c *Component) Placeholder() bool { return c.Source == "" }
