// Package rulepage collects the rules of all checks: their texts from the tables in docs/, their
// remedies from the code that reports them, and the tests that name them. It generates
// docs/RULES.md and the table of gosmp explain.
//
// A new rule needs the code that reports it, a row in the table of its page, a test, and
//
//	go generate ./cmd/gosmp/internal/explain
//
// Functions: [Collect], [Markdown], [Source]; types: [Rule], [Sheet].
package rulepage

import (
	"bufio"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Sheet is a set of rules that one check applies.
type Sheet struct {
	Name   string
	Source string   // the document that states the rules
	Page   string   // page in docs/ whose tables state the rules
	Folder []string // folders of the code that reports them, and of its tests
	ids    *regexp.Regexp
	prefix string // prefix of the ids in findings, which the table omits
	plain  bool   // findings of this sheet state the remedy in their message
	kinds  string // the file with the constants that tests use to name the rules
	clause clauseTable
	rules  []Rule // rules that are not in any table
}

// Rule is a rule, or a family of rules.
type Rule struct {
	ID     string // with <name> or * for the parts that vary within a family
	Says   string
	Clause []string // where each standard states it, such as "FMI 2.0.5, 2.2.7"
	Remedy []string // remedies in findings
	Tests  []string // files that name the rule
	Sheet  *Sheet
}

// Sheets lists all sheets, in the order of the page.
var Sheets = []*Sheet{
	{Name: "Recordings", Source: "the simsensor format", Page: "SIMSENSOR.md",
		Folder: []string{"sensor/simsensor"}, plain: true,
		kinds: "sensor/simsensor/problem.go", ids: regexp.MustCompile(`^[a-z]+(-[a-z0-9]+)*$`)},
	{Name: "Traces", Source: "OSI 3.8.0, trace files; MCAP 0; Lichtblick's converter",
		Page:   "TRACES.md",
		Folder: []string{"trace/check"},
		ids:    regexp.MustCompile(`^(trace|viewer|deserialization|osirules|name)\.`)},
	{Name: "Messages", Source: "the rules in the .proto files of OSI 3.8.0",
		Folder: []string{"proto/rules"}, ids: regexp.MustCompile(`^OSI `),
		rules: []Rule{{ID: "OSI <message>.<field> <rule>",
			Says: "a field violates an OSI rule; the finding quotes the rule"}}},
	{Name: "FMUs", Source: "FMI 1.0, 2.0.5 and 3.0.2", Page: "FMU_RULES.md",
		Folder: []string{"fmi/check"}, plain: true, ids: regexp.MustCompile(`^[A-Z][0-9]+$`),
		prefix: "FMI<version>-", clause: clausesOfArchives,
		rules: []Rule{{ID: "FMI <version>, <clause>",
			Says: "the archive or the model description violates this clause of the standard"}}},
	{Name: "FMUs at runtime", Source: "FMI 2.0.5 and 3.0.2", Page: "EXAMINATION.md",
		Folder: []string{"importer/examine"}, plain: true,
		ids: regexp.MustCompile(`^[A-Z][0-9]+$`), prefix: "FMI<version>-",
		clause: clausesOfRuns,
		rules: []Rule{{ID: "examine.untested",
			Says: "error: no rule was tested by running, so that nothing has been shown"}}},
	{Name: "OSMP", Source: "OSI Sensor Model Packaging 0.3.0", Page: "OSMP_RULES.md",
		Folder: []string{"osmp/check", "test/osmprules"}, ids: regexp.MustCompile(`^[A-Z][0-9]+$`),
		prefix: "OSMP-", plain: true},
	{Name: "OSMP at runtime", Source: "OSMP 1.6.0 and OSI 3.8.0", Page: "EXAMINATION.md",
		Folder: []string{"importer/examine"}, plain: true,
		// the ids that are missing from OSMP_RULES.md
		ids: regexp.MustCompile(`^OSMP-(V8|D9|T1|O1)$`), clause: clausesOfRuns},
	{Name: "Systems", Source: "SSP 1.0 and 2.0, OSMP 0.3.0", Page: "SSP.md",
		Folder: []string{"importer/ssp"}, ids: regexp.MustCompile(`^SSP-[A-Z][0-9]+$`),
		rules: []Rule{{ID: "SSP-FOR-<tool>",
			Says: "the tool given by --for does not read this"}}},
	{Name: "Maps", Source: "ASAM OpenDRIVE 1.4 to 1.8", Page: "OPENDRIVE.md",
		Folder: []string{"mocksim/opendrive"}, ids: regexp.MustCompile(`^X-[A-Z]`)},
	{Name: "Statecharts", Source: "W3C SCXML 1.0; ECMA-262", Page: "SCXML.md",
		Folder: []string{"experiment/scxml"}, ids: regexp.MustCompile(`^SX[0-9]+$`)},
	{Name: "Experiments", Source: "ExD and BIBI of the Neurorobotics Platform",
		Page:   "EXPERIMENTS.md",
		Folder: []string{"experiment"}, ids: regexp.MustCompile(`^(EX|BI)[0-9]+$`)},
	{Name: "Sweeps", Source: "the format of plans; ASAM OpenSCENARIO 1.1 to 1.3", Page: "SWEEP.md",
		Folder: []string{"sweep", "cmd/gosmp/testdata"}, ids: regexp.MustCompile(`^SW[0-9]+$`)},
	{Name: "Bridges", Source: "the format of bridge configurations", Page: "BRIDGE.md",
		Folder: []string{"bridge", "cmd/gosmp/testdata"}, ids: regexp.MustCompile(`^BR[0-9]+$`)},
	{Name: "Scenarios", Source: "ASAM OpenSCENARIO XML 1.0 to 1.3", Page: "OPENSCENARIO.md",
		Folder: []string{"scenario"},
		ids:    regexp.MustCompile(`^(asam\.net:xosc:[0-9.]+:[a-z_]+\.[a-z]|xosc\.)`)},
	{Name: "Simulators", Source: "the simulator support API", Page: "SIMAPI.md",
		Folder: []string{"simapi/check"}, ids: regexp.MustCompile(`^SA[0-9]+$`)},
}

// Collect reads all rules of the repository in root.
func Collect(root string) (rules []Rule, err error) {
	for _, s := range Sheets {
		list := slices.Clone(s.rules)
		if s.Page != "" {
			rows, err := s.rows(filepath.Join(root, "docs", s.Page))
			if err != nil {
				return nil, err
			}
			list = append(list, rows...)
		}
		advice, err := remedies(root, s)
		if err != nil {
			return nil, err
		}
		kinds, err := s.constants(root)
		if err != nil {
			return nil, err
		}
		texts, err := testsOf(root, s)
		if err != nil {
			return nil, err
		}
		clauses, err := s.clause.read(root)
		if err != nil {
			return nil, err
		}
		for k := range list {
			r := &list[k]
			r.Sheet, r.Clause = s, clauses[strings.TrimPrefix(r.ID, s.prefix)]
			if r.Remedy == nil && !s.plain {
				r.Remedy = advice[r.ID]
			}
			for _, t := range texts {
				if t.names(r.ID) || kinds[r.ID] != "" && t.words[kinds[r.ID]] {
					r.Tests = append(r.Tests, t.file)
				}
			}
		}
		rules = append(rules, list...)
	}
	return rules, nil
}

var inCode = regexp.MustCompile("`([^`]*)`")

// rows reads the tables of a page whose first column has ids.
func (s *Sheet) rows(file string) (rules []Rule, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // the file was opened only for reading
	inside := false                  // inside a table of rules
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		cells := strings.Split(strings.TrimSuffix(line, " |"), " | ")
		switch {
		case !strings.HasPrefix(line, "|"):
			inside = false
		case strings.HasPrefix(line, "| id |"), strings.HasPrefix(line, "| rule |"):
			inside = true
		case inside && len(cells) > 1:
			rules = append(rules, s.row(strings.TrimPrefix(cells[0], "| "), cells[1:])...)
		}
	}
	return rules, nil
}

// row reads a row of a table. If it has a text for each of its ids, separated by semicolons, each
// id gets its own text.
func (s *Sheet) row(first string, said []string) (rules []Rule) {
	text := said[0]
	if len(said) > 1 && isSeverity(text) {
		text += ": " + said[1]
	}
	ids := strings.Split(first, ", ")
	texts := strings.Split(text, "; ")
	for k, id := range ids {
		id = inCode.ReplaceAllString(id, "$1")
		if !s.ids.MatchString(id) {
			continue
		}
		r := Rule{ID: s.prefix + id, Says: text}
		if len(texts) == len(ids) {
			r.Says = texts[k]
			if severity, _, found := strings.Cut(text, ": "); found && k > 0 &&
				isSeverity(severity) {
				r.Says = severity + ": " + texts[k]
			}
		}
		if s.Page == "SIMAPI.md" { // its table has remedies
			r.Remedy = said[1:2]
		}
		rules = append(rules, r)
	}
	return rules
}

var constant = regexp.MustCompile(`([A-Z]\w+):\s+"([^"]+)"`)

// constants returns the names of the constants of ids, by the texts of the ids.
func (s *Sheet) constants(root string) (map[string]string, error) {
	if s.kinds == "" {
		return nil, nil
	}
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(s.kinds)))
	names := map[string]string{"file": "FileProblem"}
	for _, m := range constant.FindAllStringSubmatch(string(text), -1) {
		names[strings.ReplaceAll(strings.ToLower(m[2]), " ", "-")] = m[1]
	}
	return names, err
}

func isSeverity(text string) bool {
	for word := range strings.SplitSeq(text, ", ") {
		if word != "error" && word != "warning" && word != "note" {
			return false
		}
	}
	return true
}

// walk calls the function what with the content of each file below the folders of a sheet.
func (s *Sheet) walk(root string, what func(name string, text string) error) error {
	for _, folder := range s.Folder {
		err := fs.WalkDir(os.DirFS(root), folder, func(name string, d fs.DirEntry,
			err error) error {
			if err != nil || d.IsDir() || !slices.Contains([]string{".go", ".txtar", ".py"},
				path.Ext(name)) {
				return err
			}
			text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
			if err != nil {
				return err
			}
			return what(name, string(text))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// testFile is a test file with the words that it contains.
type testFile struct {
	file  string
	words map[string]bool
	text  string
}

var word = regexp.MustCompile(`[A-Za-z0-9_.-]*[A-Za-z0-9]`)

var englishWord = regexp.MustCompile(`^[a-z]+$`)

func testsOf(root string, s *Sheet) (list []testFile, err error) {
	err = s.walk(root, func(name, text string) error {
		code := strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go")
		if code || strings.Contains(name, "rulebook") {
			return nil
		}
		list = append(list, newTestFile(name, text))
		return nil
	})
	return list, err
}

func newTestFile(name, text string) testFile {
	t := testFile{file: name, words: map[string]bool{}, text: text}
	for _, w := range word.FindAllString(text, -1) {
		t.words[w] = true
		for part := range strings.SplitSeq(w, "_") { // as in TestA8_EachRole
			t.words[strings.TrimPrefix(part, "Test")] = true
		}
	}
	return t
}

// names reports whether a test file mentions a rule, or any rule of a family. An id that is an
// English word, such as file, has to be a text of its own.
func (t testFile) names(id string) bool {
	if englishWord.MatchString(id) {
		return strings.Contains(t.text, `"`+id+`"`)
	}
	if row, is := strings.CutPrefix(id, "FMI<version>-"); is {
		return t.words["FMI1-"+row] || t.words["FMI2-"+row] || t.words["FMI3-"+row]
	}
	if k := strings.IndexAny(id, "<*"); k > 0 {
		return strings.Contains(t.text, `"`+id[:k])
	}
	if k := strings.LastIndexByte(id, ':'); k > 0 { // as in asam.net:xosc:1.0.0:xml.valid_schema
		_, last, _ := strings.Cut(id[k+1:], ".")
		return t.words[id[k+1:]] || t.words[last]
	}
	return t.words[id] || t.words[strings.TrimPrefix(id, "OSMP-")]
}
