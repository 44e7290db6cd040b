// Package check reports errors in OpenSCENARIO documents, and constructs that run differently from
// what the author probably intended. It checks the schema of the document's version, parameters and
// expressions, references, catalogs, positions on the map, values and triggers.
//
//	d, err := scenario.Open("cut-in.xosc")
//	findings := check.Document(d)
//
// Rules have the ids of the standard where it defines one (asam.net:xosc:...); all other ids begin
// with xosc. [Rules] lists them. A finding has the line and column of the element or attribute,
// which may be in a catalog.
package check
