package importer

// Waiting returns the number of processes of a reserve that are waiting for a run.
func (r *Reserve) Waiting() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.ready)
}
