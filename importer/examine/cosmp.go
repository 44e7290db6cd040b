package examine

import (
	"fmt"
	"strings"

	"gosmp/importer/worker/probe"
)

// osmpStatement returns the statements that handle messages.
func (s *subject) osmpStatement(o *probe.Op, c string, a *pieces) string {
	list := cList(o.References)
	switch o.Code {
	case probe.Place:
		size, numbers := a.content(o.Data)
		return fmt.Sprintf("place(%d, %d, %s);", o.Slot, size, numbers)
	case probe.Protect:
		return fmt.Sprintf("mprotect(page[%d], span[%[1]d], %s);", o.Slot,
			[]string{"PROT_NONE", "PROT_READ", "PROT_READ | PROT_WRITE"}[o.Count])
	case probe.Send:
		if order := o.Count - probe.SendParts; order >= 0 {
			return s.partStatements(o, c, order)
		}
		return fmt.Sprintf("SET(fmi2SetInteger, int, %s, 3, L(%s), %s);", c, list,
			strings.NewReplacer("SIZE", fmt.Sprintf("l[%d]", o.State), "ADDRESS",
				fmt.Sprintf("(uintptr_t)m[%d]", o.State)).Replace(cSendings[o.Count]))
	case probe.Fetch:
		return fmt.Sprintf("FETCH(%s, %d, %s);", c, o.State, list)
	case probe.Peek:
		return fmt.Sprintf("look(%d); // again", o.State)
	}
	return ""
}

// partStatements returns the calls that set the three parts of an address one by one.
func (s *subject) partStatements(o *probe.Op, c string, order int) (text string) {
	orders := [...][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	for _, k := range orders[order] {
		text += fmt.Sprintf("SET(fmi2SetInteger, int, %s, 1, L(%d), (int)(%s));\n", c,
			o.References[k], []string{fmt.Sprintf("(uintptr_t)m[%d]", o.State),
				fmt.Sprintf("(uintptr_t)m[%d] >> 32", o.State),
				fmt.Sprintf("l[%d]", o.State)}[k])
	}
	return text
}

var cSendings = map[int]string{
	probe.SendBuffer:   "(int)ADDRESS, (int)(ADDRESS >> 32), (int)SIZE",
	probe.SendNothing:  "0, 0, 0",
	probe.SendNoBase:   "0, 0, 64",
	probe.SendNoSize:   "(int)ADDRESS, (int)(ADDRESS >> 32), 0",
	probe.SendNegative: "(int)ADDRESS, (int)(ADDRESS >> 32), -5",
	probe.SendNoLow:    "0, (int)(ADDRESS >> 32), 64",
}
