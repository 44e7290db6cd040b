// Package examinationpage writes what an examination of an FMU has shown as one HTML file, which
// the author of the FMU can be sent: each refuted rule with its clause, what was found and
// expected, the calls that show it, and a C program that repeats them; then what was proved, and
// what was not tested, and why.
//
// Rule upheld: all texts of the FMU are escaped, and the page needs no network. Function: [Write].
package examinationpage
