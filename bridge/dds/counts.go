package dds

import (
	"fmt"

	"gosmp/internal/quantity"
)

// Counts contains the numbers of messages that a participant sent, received and lost.
type Counts struct {
	Peers     int    `json:"peers"`     // participants currently present
	Met       int    `json:"met"`       // all participants met so far
	Published uint64 `json:"published"` // samples of this participant
	Sent      uint64 `json:"sent"`      // of them, samples for which there were readers
	Repeated  uint64 `json:"repeated"`  // samples or fragments that were sent again
	Dropped   uint64 `json:"dropped"`   // samples that could not be sent in time
	Late      uint64 `json:"late"`      // samples that a reader requested too late
	Received  uint64 `json:"received"`  // samples of others
	Missed    uint64 `json:"missed"`    // samples from others that did not arrive
	Deadlines uint64 `json:"deadlines"` // times that a publisher was silent beyond its deadline
	Leases    uint64 `json:"leases"`    // leases that expired, of participants and publishers
	Rejected  uint64 `json:"rejected"`  // packets and announcements damaged or beyond limits
}

// Counts returns the participant's counts so far, without discovery.
func (p *Participant) Counts() Counts {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.counts
	c.Peers = len(p.peers)
	return c
}

// String returns the counts as one readable line.
func (c Counts) String() string {
	text := fmt.Sprintf("%s met; %s published, %d with subscribers, %d sent once more, %d lost; "+
		"%d received, %d missed", quantity.Of(c.Met, "other participant"), quantity.Of(c.Published,
		"message"), c.Sent, c.Repeated, c.Dropped+c.Late, c.Received, c.Missed)
	if c.Deadlines > 0 {
		text += "; " + quantity.Of(c.Deadlines, "deadline") + " missed"
	}
	if c.Leases > 0 {
		text += "; " + quantity.Of(c.Leases, "lease") + " expired"
	}
	if c.Rejected > 0 {
		text += "; " + quantity.Of(c.Rejected, "packet") + " rejected"
	}
	return text
}
