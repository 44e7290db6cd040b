package gosmp_test

import (
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/internal/release"
)

// rule is a strict rule of depguard: packages whose files match may import only what is listed.
type rule struct {
	name   string
	files  []*regexp.Regexp
	except []*regexp.Regexp
	allow  []string
}

var ruleOfDepguard = regexp.MustCompile(
	`(?m)^ {8}([a-z0-9-]+):\n {10}files: \[(.*)\]\n {10}list-mode: strict\n {10}allow: \[(.*)\]$`)

func strictRules(t *testing.T) (rules []rule) {
	config, err := os.ReadFile(".golangci.yml")
	require.NoError(t, err)
	for _, found := range ruleOfDepguard.FindAllStringSubmatch(string(config), -1) {
		r := rule{name: found[1], allow: strings.Split(found[3], ", ")}
		for _, pattern := range strings.Split(found[2], ", ") {
			switch pattern = strings.Trim(pattern, `"`); {
			case pattern == "!$test":
			case pattern[0] == '!':
				r.except = append(r.except, glob(pattern[1:]))
			default:
				r.files = append(r.files, glob(pattern))
			}
		}
		rules = append(rules, r)
	}
	require.Equal(t, strings.Count(string(config), "list-mode: strict"), len(rules),
		"a rule that is written in another way")
	return rules
}

// glob converts patterns in which ** stands for any number of folders.
func glob(pattern string) *regexp.Regexp {
	pattern = regexp.QuoteMeta(pattern)
	pattern = strings.NewReplacer(`\*\*/`, `(.*/)?`, `\*\*`, `.*`, `\*`, `[^/]*`).Replace(pattern)
	return regexp.MustCompile(`^` + pattern + `$`)
}

func (r rule) allows(name string) bool {
	return slices.ContainsFunc(r.allow, func(a string) bool {
		exact, is := strings.CutSuffix(a, "$")
		return is && name == exact || !is && strings.HasPrefix(name, a) ||
			a == "$gostd" && !strings.Contains(name, ".") && !isOurs(name)
	})
}

func isOurs(name string) bool { return strings.HasPrefix(name+"/", release.Module+"/") }

// Every package has a rule for its imports, and obeys it. The programs of the tests, the examples
// and the command line may import all others.
func TestImportsKeepToTheRules(t *testing.T) {
	rules := strictRules(t)
	above := regexp.MustCompile(`^` + release.Module + `(/(test|examples)/.*|/cmd/gosmp|)$`)
	list, err := exec.Command("go", "list", "-f",
		`{{.ImportPath}} {{range .GoFiles}}{{.}} {{end}}{{range .CgoFiles}}{{.}} {{end}}| {{join .Imports " "}}`, "./...").Output()
	require.NoError(t, err)
	used := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(string(list)), "\n") {
		before, imports, _ := strings.Cut(line, "|")
		words := strings.Fields(before)
		if len(words) < 2 || above.MatchString(words[0]) {
			continue
		}
		file := path.Join(strings.TrimPrefix(words[0], release.Module+"/"), words[1])
		covered := false
		for _, r := range rules {
			matches := func(p *regexp.Regexp) bool { return p.MatchString(file) }
			if !slices.ContainsFunc(r.files, matches) || slices.ContainsFunc(r.except, matches) {
				continue
			}
			covered, used[r.name] = true, true
			for _, name := range strings.Fields(imports) {
				if !r.allows(name) {
					t.Errorf("%s imports %s, which rule %s does not allow", words[0], name, r.name)
				}
			}
		}
		if !covered {
			t.Errorf("no rule of depguard says what %s may import", words[0])
		}
	}
	for _, r := range rules {
		if !used[r.name] {
			t.Errorf("rule %s is for no package", r.name)
		}
	}
}
