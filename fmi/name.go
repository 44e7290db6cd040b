package fmi

import "regexp"

// The grammar of structured names (FMI 2.0, 2.2.9; FMI 3.0, 2.4.7): identifiers or quoted names with optional indices, joined by
// dots; the whole may be a derivative.
var (
	identifierName = regexp.MustCompile(`^` + plainName + `$`)
	structuredName = regexp.MustCompile(`^(` + path + `|der\(` + path + `(,[0-9]+)?\))$`)
)

const (
	plainName  = `[A-Za-z_][A-Za-z0-9_]*`
	quotedName = `'([-A-Za-z0-9_!#$%&()*+,./:;<>=?@\[\]^{|}~ ]|\\['"?\\abfnrtv])+'`
	element    = `(` + plainName + `|` + quotedName + `)(\[[0-9]+(,[0-9]+)*\])?`
	path       = element + `(\.` + element + `)*`
)

// IsStructuredName says whether name follows the structured naming convention.
func IsStructuredName(name string) bool { return structuredName.MatchString(name) }

// IsIdentifier says whether name is an identifier of C, as a modelIdentifier has to be.
func IsIdentifier(name string) bool { return identifierName.MatchString(name) }
