package examine

import "gosmp/fmi"

// setTexts sets all settable texts and binaries to their start values and Binary inputs to other
// values.
func (p *play) setTexts() { p.setTextsOf(p.s.texts()) }

func (p *play) setTextsOf(list []*variable) {
	p.set(0, list, func(v *variable) []byte {
		if x := p.s.other(v, 1); x != nil {
			return x
		}
		return p.s.startOf(v)
	})
}

// setTextsSingly is like setTexts, with a separate call for each variable, so that each value can
// end at memory without access.
func (p *play) setTextsSingly() {
	list := p.s.texts()
	if len(list) > mostSingle {
		p.setTexts()
		return
	}
	for _, v := range list {
		p.setTextsOf([]*variable{v})
	}
}

// texts returns the text and binary variables that have start values.
func (s *subject) texts() (list []*variable) {
	for k := range s.variables {
		v := &s.variables[k]
		settable := v.Causality == fmi.Parameter || v.Causality == fmi.Input
		if v.size == 0 && settable && s.startOf(v) != nil {
			list = append(list, v)
		}
	}
	return list
}
