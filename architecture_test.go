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
	"go.yaml.in/yaml/v3"

	"gosmp/internal/release"
)

// layer is a rule of depguard: what packages whose files match may import.
type layer struct {
	Files []string
	Mode  string `yaml:"list-mode"`
	Allow []string
	Deny  []struct{ Pkg string }
}

func layers(t *testing.T) map[string]layer {
	text, err := os.ReadFile(".golangci.yml")
	require.NoError(t, err)
	var config struct {
		Linters struct {
			Settings struct {
				Depguard struct{ Rules map[string]layer }
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &config))
	rules := config.Linters.Settings.Depguard.Rules
	require.Contains(t, rules, "core")
	return rules
}

// holds reports whether a layer is for a file. Patterns that begin with an exclamation mark are
// exceptions.
func (l layer) holds(file string) (is bool) {
	for _, pattern := range l.Files {
		pattern, except := strings.CutPrefix(pattern, "!")
		if glob(pattern).MatchString(file) {
			if except {
				return false
			}
			is = true
		}
	}
	return is
}

// allows reports whether files of the layer may import a package. Names are prefixes unless they
// end in $.
func (l layer) allows(name string) bool {
	means := func(pattern string) bool {
		exact, is := strings.CutSuffix(pattern, "$")
		return is && name == exact || !is && strings.HasPrefix(name, pattern) ||
			pattern == "$gostd" && !strings.Contains(name, ".") && !isOurs(name)
	}
	for _, d := range l.Deny {
		if means(d.Pkg) {
			return false
		}
	}
	return l.Mode != "strict" || slices.ContainsFunc(l.Allow, means)
}

// glob converts patterns in which ** stands for any number of folders.
func glob(pattern string) *regexp.Regexp {
	pattern = regexp.QuoteMeta(pattern)
	pattern = strings.NewReplacer(`\*\*/`, `(.*/)?`, `\*\*`, `.*`, `\*`, `[^/]*`).Replace(pattern)
	return regexp.MustCompile(`^` + pattern + `$`)
}

func isOurs(name string) bool { return strings.HasPrefix(name+"/", release.Module+"/") }

// goPackage is a package with its files and imports, without its tests.
type goPackage struct {
	name    string // within the module
	file    string // one of its files
	imports []string
}

func packages(t *testing.T) (list []goPackage) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{range .GoFiles}}{{.}} {{end}}`+
		`{{range .CgoFiles}}{{.}} {{end}}| {{join .Imports " "}}`, "./...").Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		before, imports, _ := strings.Cut(line, "|")
		if words := strings.Fields(before); len(words) > 1 {
			name := strings.TrimPrefix(words[0], release.Module+"/")
			list = append(list, goPackage{name, path.Join(name, words[1]), strings.Fields(imports)})
		}
	}
	return list
}

// doubles are packages for tests.
var doubles = regexp.MustCompile(
	`^internal/(chost|elftest|entries/hostile|fmitest|gate/gatetest|mock|pipetest|rulebook|testfmu)(/.*)?$|` +
		`^report/internal/pagetest$`)

// Every package belongs to a layer and keeps to its rules; only tests, and the package that helps
// authors write tests, import doubles.
func TestImportsKeepToTheLayers(t *testing.T) {
	rules := layers(t)
	outside := regexp.MustCompile(`^(test/.*|internal/distribution|` + release.Module + `)$`)
	used := map[string]bool{"border": true}
	for _, u := range packages(t) {
		in := ""
		for name, l := range rules {
			if name == "border" || !l.holds(u.file) {
				continue
			}
			if in != "" {
				t.Errorf("%s is in two layers of .golangci.yml, %s and %s", u.name, in, name)
			}
			in, used[name] = name, true
			for _, other := range u.imports {
				if !l.allows(other) {
					t.Errorf("%s imports %s, which its layer %s does not allow", u.name, other,
						name)
				}
			}
		}
		if in == "" && !outside.MatchString(u.name) && !doubles.MatchString(u.name) {
			t.Errorf("%s is in no layer of .golangci.yml", u.name)
		}
		for _, other := range u.imports {
			if doubles.MatchString(strings.TrimPrefix(other, release.Module+"/")) &&
				!doubles.MatchString(u.name) && u.name != "model/modeltest" &&
				!strings.HasPrefix(u.name, "test/") {
				t.Errorf("%s imports %s, which is for tests", u.name, other)
			}
		}
	}
	for name := range rules {
		require.True(t, used[name], "layer %s of .golangci.yml has no package", name)
	}
}

// homes are the packages that use a third-party module, as patterns of their names.
var homes = map[string]string{
	"github.com/alecthomas/kong":        `cmd/gosmp(/internal/(cli|completion|guard|run))?`,
	"github.com/bufbuild/protocompile":  `proto/internal/generate`,
	"github.com/cli/browser":            `cmd/gosmp/internal/run`,
	"github.com/coder/websocket":        `bridge/server`,
	"github.com/dlclark/regexp2":        `experiment/scxml/ecmascript`,
	"github.com/dop251/goja":            `experiment/scxml/ecmascript`,
	"github.com/golang/mock":            `internal/mock/ordered`,
	"github.com/klauspost/compress":     `trace|trace/mcap`,
	"github.com/nats-io/nats-server/v2": `sweep/queue`,
	"github.com/nats-io/nats.go":        `sweep/queue`,
	"github.com/parquet-go/parquet-go":  `run/results`,
	"github.com/pierrec/lz4":            `trace/mcap`,
	"github.com/stretchr/testify": `internal/(gate/gatetest|pipetest|rulebook|testfmu)|report/internal/` +
		`pagetest`,
	"github.com/ulikunitz/xz": `trace`,
	"go.yaml.in/yaml/v3":      `internal/yamldoc|sweep|trace/expect`,
	"golang.org/x/sys": `cmd/gosmp/internal/(cli|session)|importer(/worker(/probe)?)?|` +
		`run/fileuse`,
	"gonum.org/v1/plot": `report/(birdseye|curves)|run|cmd/gosmp/internal/cli`,
	"google.golang.org/protobuf": `(bridge|cmd/gosmp|examples|experiment|importer|` +
		`internal/decoded|mocksim|model/(message|modeltest)|` +
		`proto|report|run/series|sensor/objects/internal/reference|simapi|test|trace)(/.*)?`,
}

// A third-party module is used only in the packages that homes lists.
func TestImportsOfOthersStayAtHome(t *testing.T) {
	used := map[string]bool{}
	for _, u := range packages(t) {
		for _, name := range u.imports {
			if isOurs(name) || !strings.Contains(name, ".") {
				continue
			}
			module := name
			for homes[module] == "" && strings.Contains(module, "/") {
				module = path.Dir(module)
			}
			used[module] = true
			if !regexp.MustCompile(`^(` + homes[module] + `)$`).MatchString(u.name) {
				t.Errorf("%s imports %s, which is not at home there", u.name, name)
			}
		}
	}
	for module := range homes {
		require.True(t, used[module], "nothing uses %s", module)
	}
}
