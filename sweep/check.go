package sweep

import (
	"fmt"
	"regexp"
	"strings"

	"gosmp/internal/finding"
)

// Check returns findings about parts of a usable plan that look unintended.
func (p *Plan) Check() (list finding.List) {
	used := strings.Join(p.Constraints, "\n")
	for _, t := range p.Set {
		used += "\n" + t.Expression
	}
	words := map[string]bool{}
	for _, word := range regexp.MustCompile(`[\pL_$][\pL\pN_$]*`).FindAllString(used, -1) {
		words[word] = true
	}
	for _, x := range p.Parameters {
		if !x.Direct() && !words[x.Name] {
			key := "parameters." + x.Name
			list = append(list, finding.Finding{ID: "SW02", Severity: finding.Warning,
				Place: p.place(key),
				Message: fmt.Sprintf("no expression in set or constraints uses the parameter %s, "+
					"so that runs differ only in its value", x.Name),
				Remedy: "use it, or name it as what it is to set, with a dot"})
		}
	}
	if len(p.Parameters) == 0 && max(len(p.Seeds), len(p.rowSeeds)) < 2 {
		list = append(list, finding.Finding{ID: "SW02", Severity: finding.Warning,
			Place:   p.place("parameters"),
			Message: "the plan varies nothing, so that there is one run",
			Remedy:  "add parameters or seeds"})
	}
	return list
}
