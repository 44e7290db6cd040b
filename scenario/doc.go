// Package scenario reads documents of ASAM OpenSCENARIO XML 1.0 to 1.3: scenarios, catalogs and
// distributions of parameter values.
//
//	d, err := scenario.Open("cut-in.xosc")       // what is not XML is an error
//	findings := d.Validate()                     // what the schema of its version forbids
//	s, err := d.Resolve(scenario.Values{"Ego_speed_kph": "40"})
//	for _, o := range s.Root.Child("Entities").All("ScenarioObject") { ... }
//
// A [Document] is the file as it is written, as a tree of [Element] with the line and column of
// each element and attribute. [Document.Resolve] gives a copy in which every parameter and
// expression is replaced by its value, and every CatalogReference has the entry that it names.
// Numbers keep all bits of their double: they are written in the shortest form that reads back.
//
// # Parameters
//
// $name and ${...} are a whole attribute value. A ParameterDeclarations holds for the element that
// it is in, and the innermost declaration of a name wins; an entry of a catalog sees its own
// parameters only. Values from outside replace the values of the global declarations before
// anything is computed. A default may use the parameters before it. Constraint groups are
// alternatives, of which one must be satisfied.
//
// # Expressions
//
// Section 9.2 of the user guide: the operators + - * / %, and or not, and the functions round floor
// ceil sqrt pow sin cos tan asin acos atan sign abs max min; the constant pi of 1.4 is accepted in
// all versions, and + joins texts. Division is always in real numbers; round goes half away from
// zero. See [Evaluate].
//
// # Distributions
//
// A ParameterValueDistribution is a list of points: [Distribution.Len] and [Distribution.Point]
// number them as products in the order of the document, the last parameter varying fastest.
//
// Errors are *[Error], with file, line and column.
package scenario
