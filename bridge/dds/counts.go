package dds

// Counts are what a participant has done.
type Counts struct {
	Peers     int    // participants that are there now
	Published uint64 // samples of this participant
	Sent      uint64 // of them, those that readers were there for
	Repeated  uint64 // samples or fragments that were sent once more
	Dropped   uint64 // samples that could not be sent in time
	Late      uint64 // samples that a reader asked for when they were gone
	Received  uint64 // samples of others
	Missed    uint64 // samples of others that did not come
	Rejected  uint64 // packets and announcements that are damaged or too much
}

// Counts returns what the participant has done so far. Discovery is not counted.
func (p *Participant) Counts() Counts {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.counts
	c.Peers = len(p.peers)
	return c
}
