package cosim

import "slices"

// Near lists up to three of the names that are similar to name: equal except for case, or at most
// two characters different.
func Near(name string, names []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var list []candidate
	for _, n := range names {
		if d := distance(name, n); d <= 2 && 2*d <= min(len(name), len(n)) {
			list = append(list, candidate{n, d})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return a.distance - b.distance })
	var near []string
	for _, c := range list[:min(3, len(list))] {
		near = append(near, c.name)
	}
	return near
}

// distance is the number of characters that have to be changed, added or removed to turn a into b;
// a change of case is free.
func distance(a, b string) int {
	if d := len(a) - len(b); d > 2 || d < -2 {
		return 3
	}
	row := make([]int, len(b)+1)
	for k := range row {
		row[k] = k
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for k := range len(b) {
			change := before
			if lower(a[i]) != lower(b[k]) {
				change++
			}
			before = row[k+1]
			row[k+1] = min(change, row[k]+1, row[k+1]+1)
		}
	}
	return row[len(b)]
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
