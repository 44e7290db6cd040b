package importer

// Waiting returns the number of processes of a reserve that are waiting for a run.
func (r *Reserve) Waiting() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.ready)
}

// Originals returns the number of processes that a reserve copies.
func (r *Reserve) Originals() int {
	r.stock.mu.Lock()
	defer r.stock.mu.Unlock()
	return len(r.stock.all)
}

// Ahead returns how many steps the instance has made ahead of the engine.
func (i *Instance) Ahead() int64 { return i.flight.step }
