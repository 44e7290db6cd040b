package simapi

import "google.golang.org/protobuf/proto"

// StatesReader is the reader of replies of get_actors_states, for tests.
type StatesReader struct{ r statesReader }

// Copy copies a reply.
func (s *StatesReader) Copy(r *GetActorsStatesReply) *GetActorsStatesReply { return s.r.copy(r) }

// Read reads a reply.
func (s *StatesReader) Read(b []byte) (*GetActorsStatesReply, error) { return s.r.read(b) }

// Messages returns the types of the request and the reply of a method.
func Messages(m Method) (request, reply proto.Message) { return table[m].request, table[m].reply }
