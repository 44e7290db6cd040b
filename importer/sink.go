package importer

import (
	"sync"

	"gosmp/importer/worker"
)

// sink stores what a process reports until it is known which instance the process serves.
type sink struct {
	mu      sync.Mutex
	log     func(worker.Record)
	print   func(line string)
	records []worker.Record
	lines   []string
	taken   bool
	spoke   bool // something has been printed
}

func (s *sink) record(r worker.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken {
		s.log(r)
	} else if len(s.records) < mostKept {
		s.records = append(s.records, r)
	}
}

func (s *sink) line(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spoke = true
	switch {
	case s.taken && s.print != nil:
		s.print(text)
	case !s.taken && len(s.lines) < mostKept:
		s.lines = append(s.lines, text)
	}
}

// disconnect ends what connect began.
func (s *sink) disconnect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log, s.print, s.taken = nil, nil, false
}

// isSilent reports whether nothing has been printed.
func (s *sink) isSilent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.spoke
}

// mostKept limits the memory used for a library that reports endlessly while it is being loaded.
const mostKept = 10_000

// connect forwards everything stored so far and everything that follows.
func (s *sink) connect(log func(worker.Record), show func(line string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log, s.print, s.taken = log, show, true
	for _, r := range s.records {
		log(r)
	}
	for _, text := range s.lines {
		if show != nil {
			show(text)
		}
	}
	s.records, s.lines = nil, nil
}
