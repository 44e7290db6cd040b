package check

import (
	"cmp"
	"slices"
	"strings"

	"gosmp/osmp"
)

// checkIndices requires indices 1, 2 ... if there are several variables of a well-known name, and
// no index if there is only one.
func (x *examiner) checkIndices() {
	groups := map[string][]*Variable{}
	var names []string
	for k := range x.report.Variables {
		n := &x.report.Variables[k]
		name, _ := osmp.SplitPrefix(n.Name)
		if _, isKnown := osmp.Named(name); !isKnown {
			continue
		}
		if groups[name] == nil {
			names = append(names, name)
		}
		groups[name] = append(groups[name], n)
	}
	for _, name := range names {
		x.checkGroup(name, groups[name])
	}
}

func (x *examiner) checkGroup(name string, group []*Variable) {
	kind, _ := osmp.Named(name)
	rule := rulesOf(kind).index
	if len(group) == 1 {
		if group[0].Name != name {
			x.wrong(rule, group[0], "the only one of its kind, expected no index: %s",
				name)
		}
		return
	}
	group = slices.Clone(group)
	slices.SortStableFunc(group, func(a, b *Variable) int {
		_, i := osmp.SplitPrefix(a.Name)
		_, k := osmp.SplitPrefix(b.Name)
		return cmp.Compare(i, k)
	})
	for k, n := range group {
		if _, index := osmp.SplitPrefix(n.Name); index != k+1 {
			x.wrong(rule, n,
				"%d variables of this kind, expected the indices 1 to %d without gaps: here %s[%d]",
				len(group), len(group), name, k+1)
			return
		}
	}
}

// checkConfiguration requires that requests, configurations and inputs match.
func (x *examiner) checkConfiguration() {
	input, request, config := osmp.SensorViewIn.Prefix, osmp.SensorViewInConfigRequest.Prefix,
		osmp.SensorViewInConfig.Prefix
	find := func(name string) *Variable {
		if at, found := x.at[name]; found {
			return &x.report.Variables[at]
		}
		return nil
	}
	for k := range x.report.Variables {
		n := &x.report.Variables[k]
		index := strings.TrimPrefix(n.Name, osmp.BaseName(n.Name))
		switch osmp.BaseName(n.Name) {
		case request:
			partner := find(config + index)
			switch {
			case partner == nil:
				x.wrong("OSMP-C1", n, "there is a request, but no %s%s", config, index)
			case partner.Variability != n.Variability:
				x.wrong("OSMP-C3", n,
					"variability is %s, but the variability of %s is %s: they have to be equal",
					n.Variability, partner.Name, partner.Variability)
			}
			fallthrough
		case config:
			if find(input+index) == nil {
				x.wrong("OSMP-G2", n, "there is no corresponding input %s%s", input, index)
			}
		}
	}
}
