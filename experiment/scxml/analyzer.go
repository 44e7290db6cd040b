package scxml

// Analyzer may be implemented by a Language so that checks can inspect expressions.
type Analyzer interface {
	// Facts returns what can be seen in compiled code without running it.
	Facts(Code) Facts
}

// Facts are the properties of an expression or script. Names are sorted, unless noted.
type Facts struct {
	Uses []string // variables that are neither local nor part of the language
	// variables of the chart created by a script through var, function or assignment, in order
	Declares  []string
	States    []string   // ids in calls of In, in order
	Calls     []string   // functions of the chart it calls
	Functions []Function // that a script defines, in order
	Changes   bool       // it assigns, increments or deletes data, or calls a method that does so
	Fails     bool       // it throws, or parses input that may be malformed
	Dynamic   bool       // it may create variables that cannot be seen, e.g. by eval
	Random    bool       // it calls Math.random
	LocalDate bool       // it uses a date in local time
	// values that may be undefined although a part is read, in order: "x" for x.y, "x.y" for x.y.z
	Members []string
	Asks    []string // values that a condition tests, in order: "x" and "x.y" for x.y > 1
	Parts   []string // parts of the value that definitely exist, in order: "" and "y" for {y: 1}
	Path    string   // of a location: "x.y", "x[]" for any index; "" if it cannot be seen
	// fields of an expression that is an object literal, in order; nil for any other one, or if
	// some names are computed
	Fields []Field
	// parts of the event it reads, and the parts that contain them: "data", "data.actor"
	OfEvent []string
	// comparisons of event parts with texts, numbers and variables
	Compared []Comparison
	Literal  bool // it consists of literals and operators, so its value is always the same
	// a condition, or an operand of its && and ||, assigns a literal value, or one that it does not
	// use: x = 1
	Assigns bool
}

// Comparison is a part of the event that an expression compares with a literal or a variable:
// "data.actor" and "ego" in _event.data.actor == 'ego' and in
// ['ego', 'lead'].includes(_event.data.actor).
type Comparison struct {
	Part, Text string
	Variable   string // of the chart, instead of a literal; otherwise empty
	Kind       ComparisonKind
	Number     bool // the literal is a number; otherwise, it is a text
	// the expression may hold because they differ: it compares with !=, is inside !(...), or
	// compares the result of indexOf with something other than "found", or is a case of a switch
	Negated bool
}

// ComparisonKind is how an expression compares a part of the event with a literal.
type ComparisonKind int

// The kinds of comparisons.
const (
	Equal    ComparisonKind = iota // or not equal, after a conversion to the other type
	Strict                         // equal or not, without a conversion
	Ordered                        // less or greater
	Contains                       // the part contains the text: _event.data.actor.includes('ego')
	Key                            // the part has a member of that name
	Index                          // the part is indexed with the text
)

// Field is a part of an object that an expression creates: name 'x', expression '2 * y' in
// ({x: 2 * y}).
type Field struct{ Name, Expr string }

// Function is a named function that a script defines. Its own name counts as a variable.
type Function struct {
	Name    string
	Calls   []string // functions of the chart that it calls, sorted
	Changes bool     // it changes data other than its own
	Fails   bool     // it throws, or parses input that may be malformed
}
