package dds

// Lose has packets of a participant disappear. It is called before anything is sent to others.
func (p *Participant) Lose(loses func(packet []byte) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.net.loses = loses
}

// Handle has a participant handle a packet as if a peer had sent it.
func (p *Participant) Handle(b []byte) {
	e := effects{}
	p.mu.Lock()
	p.handle(b, &e)
	p.mu.Unlock()
	for k := range e.samples {
		e.samples[k].to(e.samples[k].sample)
	}
}
