// Package scenario reads documents of ASAM OpenSCENARIO XML 1.0 to 1.3: scenarios, catalogs and
// distributions of parameter values.
//
//	d, err := scenario.Open("cut-in.xosc")       // what is not XML is an error
//	findings := d.Validate()                     // what the schema of its version forbids
//	s, err := d.Resolve(scenario.Values{"Ego_speed_kph": "40"})
//	for _, o := range s.Root.Child("Entities").All("ScenarioObject") { ... }
//
// A [Document] is the file as written: a tree of [Element] values with the line and column of each
// element and attribute. [Document.Resolve] returns a copy in which every parameter and expression
// is replaced by its value, and every CatalogReference holds the entry that it names. Numbers keep
// all bits of their double: they are written in the shortest form that reads back to the same
// value.
//
// # Parameters
//
// $name and ${...} must be the whole value of an attribute. A ParameterDeclarations applies to the
// element that contains it, and the innermost declaration of a name wins; a catalog entry sees only
// its own parameters. Values from outside replace the values of the global declarations before
// anything is computed. A default may use parameters that are declared before it. Constraint groups
// are alternatives, one of which must be satisfied.
//
// # Expressions
//
// Section 9.2 of the user guide: the operators + - * / %, and or not, and the functions round floor
// ceil sqrt pow sin cos tan asin acos atan sign abs max min; the constant pi of 1.4 is accepted in
// all versions, and + joins strings. Division is always real division; round rounds halves away
// from zero. See [Evaluate].
//
// # Distributions
//
// A ParameterValueDistribution is a list of points, the product of its parameters' values.
// [Distribution.Len] and [Distribution.Point] count them in document order, with the last parameter
// varying fastest.
//
// Errors are of type *[Error], with file, line and column.
package scenario
