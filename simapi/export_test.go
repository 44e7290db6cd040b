package simapi

// StatesReader is the reader of replies of get_actors_states, for tests.
type StatesReader struct{ r statesReader }

// Copy copies a reply.
func (s *StatesReader) Copy(r *GetActorsStatesReply) *GetActorsStatesReply { return s.r.copy(r) }

// Read reads a reply.
func (s *StatesReader) Read(b []byte) (*GetActorsStatesReply, error) { return s.r.read(b) }
