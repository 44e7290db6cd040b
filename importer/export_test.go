package importer

// Waiting is how many processes of a reserve wait for a run.
func (r *Reserve) Waiting() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.ready)
}
