package finding

import "fmt"

// MostAlike is the maximum number of findings of the same kind that a check keeps. A damaged file
// can have millions, but nobody reads that many.
const MostAlike = 1000

// Tally adds the findings of a check to a list. It keeps the first 1000 of each rule and severity;
// one of these states the number of further ones, which only count. The zero Tally is usable.
type Tally struct{ kinds map[kind]*tallied }

// kind describes findings that have the same effect on a result.
type kind struct {
	id       string
	severity Severity
	blind    bool
}

type tallied struct {
	kept int
	last int // index in the list, if the list was not changed since
}

func (f *Finding) kind() kind { return kind{f.ID, f.Severity, f.Blind} }

// Add adds a finding to the list.
func (t *Tally) Add(l *List, f Finding) {
	if t.kinds == nil {
		t.kinds = map[kind]*tallied{}
	}
	k := f.kind()
	of := t.kinds[k]
	if of == nil {
		of = &tallied{}
		t.kinds[k] = of
	}
	if of.kept >= MostAlike {
		if of.find(*l, k) {
			(*l)[of.last].More += 1 + f.More
			return
		}
		of.kept = 0 // all of them were removed from the list
	}
	of.kept, of.last = of.kept+1, len(*l)
	*l = append(*l, f)
}

// find finds the last finding of a kind, which has another index if the list was changed.
func (of *tallied) find(l List, k kind) bool {
	if of.last < len(l) && l[of.last].kind() == k {
		return true
	}
	for of.last = len(l) - 1; of.last >= 0; of.last-- {
		if l[of.last].kind() == k {
			return true
		}
	}
	return false
}

// further returns a note about findings that were left out.
func (f *Finding) further() string {
	if f.More == 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d more findings of this rule)", f.More)
}
