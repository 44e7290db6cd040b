package ecmascript

import (
	"errors"
	"fmt"
	"math/big"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/dop251/goja"
	"github.com/dop251/goja/ast"
	"github.com/dop251/goja/parser"

	"gosmp/experiment/scxml"
	"gosmp/internal/regular"
)

// Language creates data models. The zero value is ready for use.
type Language struct {
	// Timeout bounds the wall-clock time that the scripts of a machine may take at one instant of
	// simulated time. 0 means ten seconds, which is also the maximum.
	Timeout time.Duration

	// patient is set in tests of other bounds, which must not depend on execution speed.
	patient bool
}

const defaultTimeout = 10 * time.Second

// Bounds on texts: the parser of goja recurses, and Go ends a program whose stack exceeds a
// gigabyte.
const (
	maxText    = 256 << 10
	maxNesting = 300
	// arrow functions inside the parameters of arrow functions; each level is parsed twice.
	maxArrows = 5
	// arrow functions that return arrow functions, for which compiling is quadratic.
	maxCurried = 100
	// maxWith bounds the statements with, which nest without brackets: compiling them takes a time
	// that grows with the square of their number.
	maxWith = 1_000
	// maxOperators bounds the operators between two separators: 1+1+1 becomes a tree that is as
	// deep as the text is long, and compiling it takes quadratic time.
	maxOperators = 10_000
)

// boundPatterns bounds searches for patterns with lookahead, which may take forever and which the
// engine cannot interrupt. The bound ends them only after the timeout of the evaluation. By then,
// the evaluation has failed, so no result depends on the bound.
var boundPatterns = sync.OnceFunc(func() {
	regexp2.DefaultMatchTimeout = defaultTimeout + time.Second
})

// Config is the configuration for reading charts with ECMAScript; src attributes name files in or
// below dir.
func Config(dir string) scxml.Config {
	return scxml.Config{Languages: []scxml.Language{Language{}}, Load: scxml.Dir(dir)}
}

// Load reads a chart from a file, with ECMAScript as its data model unless it names another.
func Load(path string) (*scxml.Chart, error) {
	text, err := regular.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return scxml.Parse(path, text, Config(filepath.Dir(path)))
}

// Name returns "ecmascript".
func (Language) Name() string { return "ecmascript" }

// code is the result of Compile.
type code struct {
	text     string
	program  *goja.Program // value of an expression or location, or a script
	setter   *goja.Program // of a location: a strict function that assigns its argument
	variable string        // name of a variable, or a location that is a plain name
	lexical  []string      // names that a script declares by let, const or class
	tree     *ast.Program  // for Facts
	decides  bool          // is a condition
	plain    bool          // see isPlain
	checked  bool          // calls functions that guard inserts
}

// Compile compiles a text. The error is a *scxml.CompileError.
func (Language) Compile(role scxml.Role, text string) (scxml.Code, error) {
	boundPatterns()
	if err := bounded(text); err != nil {
		return nil, err
	}
	switch role {
	case scxml.Statements:
		return compileScript(text)
	case scxml.Variable:
		return compileVariable(text)
	case scxml.Location:
		return compileLocation(text)
	case scxml.Condition:
		compiled, err := compileExpression(text)
		if c, is := compiled.(*code); is {
			c.decides = true
		}
		return compiled, err
	default:
		return compileExpression(text)
	}
}

func refuse(format string, args ...any) error {
	return &scxml.CompileError{Position: scxml.Position{Line: 1, Column: 1},
		Reason: fmt.Sprintf(format, args...)}
}

// parse reads a text; shift is the number of bytes preceding it in the first line.
func parse(text string, shift int) (*ast.Program, error) {
	tree, err := parser.ParseFile(nil, "", text, 0, parser.WithDisableSourceMaps)
	if err == nil {
		if err := affordable(tree, text); err != nil {
			return nil, err
		}
		if err := bearableIn(tree); err != nil {
			return nil, err
		}
		return tree, withoutBigInt(tree, text)
	}
	var list parser.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		at := scxml.Position{Line: list[0].Position.Line, Column: list[0].Position.Column}
		if lines := strings.Split(text, "\n"); shift > 0 && at.Line >= len(lines) {
			// at the ")" that parseExpression adds
			last := len(lines) - 2
			at = scxml.Position{Line: last + 1, Column: len(lines[last]) + 1}
			list[0].Message = "unexpected end"
		}
		if at.Line == 1 {
			at.Column = max(at.Column-shift, 1)
		}
		return nil, &scxml.CompileError{Position: at, Reason: list[0].Message}
	}
	return nil, refuse("%v", err)
}

// bigNumber matches anything in a text that may be a BigInt.
var bigNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b[0-9][0-9a-zA-Z_]*n\b`)
})

// withoutBigInt refuses BigInts, because a single operator on them can use up all memory.
func withoutBigInt(tree *ast.Program, text string) error {
	if !bigNumber().MatchString(text) {
		return nil
	}
	found := ""
	visit(reflect.ValueOf(tree.Body), func(node ast.Node) bool {
		if n, ok := node.(*ast.NumberLiteral); ok {
			if _, isBig := n.Value.(*big.Int); isBig {
				found = n.Literal
			}
		}
		return found != ""
	})
	if found == "" {
		return nil
	}
	return refuse("found the BigInt %.40s, expected a number: a chart has no BigInt", found)
}

// compile compiles a tree that was read from a text. The tree stays as it is, for Facts.
func compile(tree *ast.Program, text string, strict bool) (*goja.Program, error) {
	if mayJoin(text) {
		var err error
		tree, err = parser.ParseFile(nil, "", text, 0, parser.WithDisableSourceMaps)
		if err != nil {
			return nil, refuse("%v", err)
		}
		divideTemplates(tree, text)
		if err := guard(tree); err != nil {
			return nil, err
		}
	}
	p, err := goja.CompileAST(tree, strict)
	if err != nil {
		return nil, refuse("%v", strings.TrimPrefix(err.Error(), "SyntaxError: "))
	}
	return p, nil
}

// parseExpression implements X25: it reads the text in parentheses or, if that does not parse, the
// text itself, as one expression.
func parseExpression(text string) (tree *ast.Program, parsed string, err error) {
	parsed = "(" + text + "\n)"
	tree, err = parse(parsed, 1)
	if err == nil && single(tree) != nil {
		return tree, parsed, nil
	}
	bare, bareErr := parse(text, 0)
	if bareErr == nil && single(bare) != nil {
		return bare, text, nil
	}
	if err == nil || bareErr == nil {
		return nil, "", refuse("found statements or nothing, expected one expression")
	}
	return nil, "", err
}

// single returns the expression of a program that consists of a single expression, or nil.
func single(tree *ast.Program) (found ast.Expression) {
	for _, s := range tree.Body {
		switch s := s.(type) {
		case *ast.EmptyStatement:
		case *ast.ExpressionStatement:
			if found != nil {
				return nil
			}
			found = s.Expression
		default:
			return nil
		}
	}
	return found
}

func compileExpression(text string) (scxml.Code, error) {
	tree, parsed, err := parseExpression(text)
	if err != nil {
		return nil, err
	}
	program, err := compile(tree, parsed, false)
	if err != nil {
		return nil, err
	}
	c := &code{text: text, program: program, tree: tree, plain: isPlainScript(tree),
		checked: mayJoin(text)}
	if id, ok := single(tree).(*ast.Identifier); ok {
		c.variable = id.Name.String()
	}
	return c, nil
}

func compileLocation(text string) (scxml.Code, error) {
	compiled, err := compileExpression(text)
	if err != nil {
		return nil, err
	}
	c := compiled.(*code)
	switch single(c.tree).(type) {
	case *ast.Identifier, *ast.DotExpression, *ast.BracketExpression:
	default:
		return nil, refuse("expected a location: a variable or part of one")
	}
	setter := "(function(){(\n" + text + "\n)=arguments[0]})"
	tree, err := parse(setter, 0)
	if err == nil {
		c.setter, err = compile(tree, setter, true)
	}
	return c, err
}

func compileVariable(text string) (scxml.Code, error) {
	c := &code{text: text, variable: strings.TrimSpace(text)}
	tree, err := parse("("+text+"\n)", 1)
	if err != nil {
		return nil, refuse("expected the name of a variable")
	}
	id, ok := single(tree).(*ast.Identifier)
	if !ok || id.Name.String() != c.variable {
		return nil, refuse("expected the name of a variable")
	}
	c.tree = tree
	if _, err := goja.Compile("", "var "+c.variable, true); err != nil {
		return nil, refuse("%q is a reserved word, expected the name of a variable",
			c.variable)
	}
	return c, nil
}

func compileScript(text string) (scxml.Code, error) {
	tree, err := parse(text, 0)
	if err != nil {
		return nil, err
	}
	program, err := compile(tree, text, false)
	if err != nil {
		return nil, err
	}
	c := &code{text: text, program: program, tree: tree, plain: isPlainScript(tree),
		checked: mayJoin(text)}
	for _, s := range tree.Body {
		switch s := s.(type) {
		case *ast.LexicalDeclaration:
			for _, b := range s.List {
				c.lexical = append(c.lexical, boundNames(b.Target)...)
			}
		case *ast.ClassDeclaration:
			c.lexical = append(c.lexical, s.Class.Name.Name.String())
		}
	}
	return c, nil
}
