package scxml

// Analyzer is what a Language may implement, so that checks can look into expressions.
type Analyzer interface {
	// Facts says what can be seen in compiled code without running it.
	Facts(Code) Facts
}

// Facts are the properties of an expression or script.
type Facts struct {
	Uses      []string // variables that are neither local nor part of the language, sorted
	Declares  []string // variables of the chart that a script makes: var, function, assignment
	Changes   bool     // it assigns, counts or deletes
	Random    bool     // it calls Math.random
	LocalDate bool     // it reads a date in local time
	Members   []string // what may be undefined where a part of it is read: "x" for x.y, "x.y" for x.y.z
}
