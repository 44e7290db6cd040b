package cli

import (
	"regexp"
	"strings"
	"sync"

	"github.com/alecthomas/kong"

	"gosmp/run/usage"
)

// unknown matches the parser's complaint about a flag that the command does not have.
var unknown = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^unknown flag (--[^,]+)(, did you mean .*\?)?$`)
})

// withFlags extends the complaint about an unknown flag: it names the flag of the command that has
// the same purpose, or the other commands that have the flag. It returns other texts unchanged.
func withFlags(text string, command *kong.Context, all func() *kong.Node) string {
	parts := unknown().FindStringSubmatch(text)
	if parts == nil || command == nil || command.Selected() == nil {
		return text
	}
	if list := usage.Alike(parts[1], flagsOf(command.Selected())); len(list) > 0 {
		return "unknown flag " + parts[1] + `, did you mean "` + strings.Join(list, `" or "`) + `"?`
	}
	var having []string
	for _, leaf := range all().Leaves(true) {
		if _, is := flagsOf(leaf)[parts[1]]; is {
			having = append(having, leaf.FullPath())
		}
	}
	switch n := len(having); n { // rather than a flag of this command with a similar name
	case 0:
		return text
	case 1:
		return "unknown flag " + parts[1] + "; " + having[0] + " has it"
	default:
		return "unknown flag " + parts[1] + "; " + strings.Join(having[:n-1], ", ") + " and " +
			having[n-1] + " have it"
	}
}

// flagsOf returns the flags of a command that its help lists, with their hyphens, and whether their
// values are items of a list.
func flagsOf(command *kong.Node) map[string]bool {
	names := map[string]bool{}
	for {
		for _, group := range command.AllFlags(true) {
			for _, f := range group {
				names["--"+f.Name] = f.Enum != ""
			}
		}
		if command.DefaultCmd == nil {
			return names
		}
		command = command.DefaultCmd
	}
}
