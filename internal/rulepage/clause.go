package rulepage

import (
	"os"
	"path/filepath"
	"regexp"
)

// clauseTable is a table in the code of a check that states the clauses of its rules.
type clauseTable struct {
	file      string         // "" if there is no table
	row       *regexp.Regexp // the id of a rule, and its clause in each of the standards
	standards []string
}

var (
	clausesOfArchives = clauseTable{
		file: "fmi/check/rules.go", standards: []string{"FMI 1.0", "FMI 2.0.5", "FMI 3.0.2"},
		row: regexp.MustCompile(`"([A-Z][0-9]+)": \{"([^"]*)", "([^"]*)", "([^"]*)"\}`),
	}
	clausesOfRuns = clauseTable{
		file:      "importer/examine/rule.go",
		standards: []string{"FMI 2.0.5", "FMI 3.0.2", "OSMP 1.6.0"},
		row: regexp.MustCompile(
			`\{"([A-Z0-9-]+)", (?:"[^"]*"[ +\n\t]*)+,\s+"([^"]*)", "([^"]*)", "([^"]*)",`),
	}
)

// read returns the clauses of each rule. An empty clause is omitted: the standard does not have the
// rule.
func (c clauseTable) read(root string) (map[string][]string, error) {
	if c.file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(c.file)))
	if err != nil {
		return nil, err
	}
	of := map[string][]string{}
	for _, row := range c.row.FindAllStringSubmatch(string(text), -1) {
		for k, standard := range c.standards {
			if clause := row[2+k]; clause != "" {
				of[row[1]] = append(of[row[1]], standard+", "+clause)
			}
		}
	}
	return of, nil
}
