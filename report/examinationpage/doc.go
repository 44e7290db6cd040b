// Package examinationpage writes the results of an examination of an FMU as one HTML file, which
// can be sent to the author of the FMU. The page has each refuted rule with its clause, what was
// found and expected, the calls that show it, and a C program that repeats them. Then come the
// rules that were proved, and the rules that were not tested, with the reasons.
//
// Rule upheld: all texts of the FMU are escaped, and the page needs no network. Function: [Write].
package examinationpage
