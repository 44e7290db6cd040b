// Package check reports what is wrong with a document of OpenSCENARIO, and what runs differently
// than its author probably means: the schema of its version, parameters and expressions,
// references, catalogs, the places on its map, values and triggers.
//
//	d, err := scenario.Open("cut-in.xosc")
//	findings := check.Document(d)
//
// The ids of rules are the ids of the standard where it has one (asam.net:xosc:...), and begin with
// xosc. otherwise; [Rules] lists them. A finding has the line and column of the element or
// attribute, which may be in a catalog.
package check
