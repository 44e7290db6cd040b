// Package completion completes command lines of gosmp in bash, zsh and fish. A shell runs gosmp
// with the command line in the environment variable COMP_LINE, and receives one candidate per line
// of output.
package completion

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"gosmp/cmd/gosmp/internal/cli"
)

// Command implements gosmp completion.
type Command struct {
	Shell string `arg:"" enum:"bash,zsh,fish," default:"" help:"Your shell: bash, zsh or fish. By default the shell in SHELL."`
	Code  bool   `short:"c" help:"Print the code that the line executes."`
}

// Help returns the text that follows the list of flags.
func (Command) Help() string {
	return `The line enables completion in the shell that runs it. Add it to the shell's init ` +
		`file to enable completion in all new shells.`
}

// shell describes how to set up completion of gosmp in a shell.
type shell struct{ line, code, file string }

const bash = "complete -o default -o bashdefault -C %[1]q gosmp\n"

var shells = map[string]shell{
	"bash": {"source <(gosmp completion -c bash)", bash, "~/.bashrc"},
	"zsh": {
		"source <(gosmp completion -c zsh)",
		"autoload -U +X bashcompinit && bashcompinit\n" + bash,
		"~/.zshrc",
	},
	"fish": {"gosmp completion -c fish | source", `function __complete_gosmp
    set -lx COMP_LINE (commandline -cp)
    test -z (commandline -ct)
    and set COMP_LINE "$COMP_LINE "
    %[1]q
end
complete -f -c gosmp -a "(__complete_gosmp)"
`, "~/.config/fish/config.fish"},
}

// Run prints the line to add to the shell's startup file, or the code.
func (c *Command) Run() error {
	name := c.Shell
	if name == "" {
		name = filepath.Base(os.Getenv("SHELL"))
	}
	s, known := shells[name]
	if !known {
		return cli.Unexpected(
			"completion",
			fmt.Sprintf("%q as the shell", name),
			"bash, zsh or fish",
		)
	}
	var err error
	if c.Code {
		var program string
		if program, err = os.Executable(); err != nil {
			return err
		}
		_, err = fmt.Printf(s.code, program)
	} else {
		_,
			err = fmt.Printf(
			"This line switches on completion in %s; %s may have it, too:\n\n    %s\n", name,
			s.file, s.line)
	}
	return cli.Flushed(err)
}

// Predictors maps the predictor tags of flags and arguments to functions that list the candidates
// starting with a text.
type Predictors map[string]func(begun string) []string

// Answer writes the candidates if a shell asks for them, and reports whether it did. Only then does
// it call app.
func Answer(w io.Writer, app func() *kong.Node, p Predictors) bool {
	line, asked := os.LookupEnv("COMP_LINE")
	if !asked {
		return false
	}
	if at, err := strconv.Atoi(os.Getenv("COMP_POINT")); err == nil && at >= 0 && at < len(line) {
		line = line[:at]
	}
	for _, candidate := range Candidates(app(), line, p) {
		fmt.Fprintln(w, candidate)
	}
	return true
}

// Candidates returns the completions of the last word of a line.
func Candidates(app *kong.Node, line string, p Predictors) (list []string) {
	words := strings.Fields(line)
	begun := ""
	if len(words) > 1 && !strings.HasSuffix(line, " ") {
		begun, words = words[len(words)-1], words[:len(words)-1]
	}
	at := place{node: app}
	for _, word := range words[min(1, len(words)):] {
		at.follow(word)
	}
	switch {
	case at.flag != nil:
		list = p.values(at.flag.Value, begun)
	case strings.HasPrefix(begun, "-"):
		list = at.flags()
	default:
		list = at.commands()
		if a := at.argument(); a != nil {
			list = append(list, p.values(a, begun)...)
		}
	}
	return slices.DeleteFunc(list, func(s string) bool { return !strings.HasPrefix(s, begun) })
}

// place is the position that a command line has reached.
type place struct {
	node  *kong.Node
	flag  *kong.Flag // still without its value
	count int        // of arguments
}

// follow processes a complete word.
func (x *place) follow(word string) {
	if x.flag != nil {
		x.flag = nil
		return
	}
	if strings.HasPrefix(word, "-") {
		if f := x.find(word); f != nil && !f.IsBool() && !f.IsCounter() {
			x.flag = f
		}
		return
	}
	for _, c := range x.node.Children {
		if c.Type == kong.CommandNode && (c.Name == word || slices.Contains(c.Aliases, word)) {
			x.node = c
			return
		}
	}
	x.toDefault()
	x.count++
}

// toDefault moves on to the default command, whose name may be left out.
func (x *place) toDefault() {
	if d := x.node.DefaultCmd; d != nil {
		x.node = d
	}
}

// find returns the flag that a whole word names. It finds none for --flag=value, which needs no
// value.
func (x *place) find(word string) *kong.Flag {
	for _, f := range x.all() {
		if word == "--"+f.Name || f.Short != 0 && word == "-"+string(f.Short) {
			return f
		}
	}
	return nil
}

// all returns the flags that are allowed here.
func (x *place) all() (list []*kong.Flag) {
	for _, node := range []*kong.Node{x.node, x.node.DefaultCmd} {
		if node == nil {
			continue
		}
		for _, group := range node.AllFlags(true) {
			list = append(list, group...)
		}
	}
	return list
}

func (x *place) flags() (list []string) {
	for _, f := range x.all() {
		list = append(list, "--"+f.Name)
		if f.Short != 0 {
			list = append(list, "-"+string(f.Short))
		}
	}
	return list
}

func (x *place) commands() (list []string) {
	if x.count > 0 {
		return nil
	}
	for _, c := range x.node.Children {
		if c.Type == kong.CommandNode && !c.Hidden {
			list = append(list, c.Name)
		}
	}
	return list
}

// argument returns the next argument. The last one may take all remaining words.
func (x *place) argument() *kong.Value {
	node := x.node
	if node.DefaultCmd != nil {
		node = node.DefaultCmd
	}
	if n := len(node.Positional); n > 0 && (x.count < n || node.Positional[n-1].IsCumulative()) {
		return node.Positional[min(x.count, n-1)]
	}
	return nil
}

// values returns the candidate values of a flag or an argument.
func (p Predictors) values(v *kong.Value, begun string) []string {
	if predict := p[v.Tag.Get("predictor")]; predict != nil {
		return predict(begun)
	}
	if v.Enum != "" {
		return slices.DeleteFunc(v.EnumSlice(), func(s string) bool { return s == "" })
	}
	if strings.HasPrefix(v.Tag.Type, "existing") || v.Tag.Type == "path" {
		return Files("*")(begun)
	}
	return nil
}

// Files returns a function that completes the names of folders, and of files that match a pattern.
func Files(pattern string) func(begun string) []string {
	return func(begun string) (list []string) {
		folder, _ := filepath.Split(begun)
		entries, err := os.ReadDir(filepath.Join(".", folder))
		if filepath.IsAbs(begun) {
			entries, err = os.ReadDir(folder)
		}
		if err != nil {
			return nil
		}
		for _, e := range entries {
			if matched, _ := filepath.Match(pattern, e.Name()); e.IsDir() {
				list = append(list, folder+e.Name()+string(filepath.Separator))
			} else if matched {
				list = append(list, folder+e.Name())
			}
		}
		return list
	}
}
