// Package pause waits for a time that something else may cut short, and limits how long others
// take.
//
// Functions: [For], [Limit], [Late], [Within]. Types: [Repeated], [Allowance].
package pause

import "time"

// For waits for d. It returns false if end is closed first; then, d is not waited for.
func For(d time.Duration, end <-chan struct{}) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-end:
		return false
	}
}
