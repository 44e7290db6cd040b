package view

import "time"

// Pages get at most a part of the run's time, because the run waits while their data is encoded.
const (
	part  = 0.25
	saved = time.Second // an unused share that pages may save up
	// longest is the longest time that counts for the data of a page. This process was suspended if
	// it took much longer, which is no reason to keep pages waiting for a multiple of that time.
	longest = 5 * time.Second
)

// share limits the time for the data of all pages together.
type share struct {
	next time.Time // until which the time that they have used takes up their share
}

// due returns how long the next page has to wait.
func (s *share) due(now time.Time) time.Duration { return s.next.Sub(now) }

// used counts time for the data of a page.
func (s *share) used(now time.Time, took time.Duration) {
	if earliest := now.Add(-saved); s.next.Before(earliest) {
		s.next = earliest
	}
	s.next = s.next.Add(time.Duration(float64(min(took, longest)) / part))
}
