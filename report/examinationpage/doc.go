// Package examinationpage writes the results of an examination of an FMU as a single HTML file,
// which can be sent to the author of the FMU. For each refuted rule, the page shows the clause,
// what was found and what was expected, the calls that prove it, and a C program that repeats these
// calls. Then come the proved rules, and the untested rules with the reasons. The page of a system
// has this for each FMU and connection.
//
// Guarantees: all texts of the FMU are escaped, and the page works offline. Functions: [Write], and
// [WriteSystem] for a [System] of [Part]s.
package examinationpage
