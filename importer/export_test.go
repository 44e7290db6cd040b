package importer

import "time"

func init() { trialTime, lifeTime, worthTrying = time.Minute, 10*time.Minute, 10*time.Minute }

// Waiting returns the number of processes in a reserve that wait for a run.
func (r *Reserve) Waiting() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.ready)
}

// Originals returns the number of processes copied by a reserve.
func (r *Reserve) Originals() int {
	r.stock.mu.Lock()
	defer r.stock.mu.Unlock()
	return len(r.stock.all)
}

// Ahead returns the number of steps that the instance has taken before the engine asked for them.
func (i *Instance) Ahead() int64 { return i.flight.step }

// Idle reports whether a reserve has carried out all orders.
func (r *Reserve) Idle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.current == nil && len(r.orders) == 0
}

// Lives returns the largest number of instances that a waiting process has served.
func (r *Reserve) Lives() (most int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.ready {
		most = max(most, p.lives)
	}
	return most
}
