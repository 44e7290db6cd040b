package main

import "math"

// assign pairs n rows with m columns so that the sum of the costs is least, where a row or column may stay alone: a
// pair that is not formed costs limit, and one that costs limit or more is never formed. It returns the column of each
// row, -1 for none.
//
// This is the Hungarian method with shortest augmenting paths: n rows enter one after another, prices keep all reduced
// costs at zero or above. It takes n² m steps at most. Between equally good pairings the order of rows and columns
// decides.
func assign(n, m int, limit float64, cost func(row, column int) float64) []int {
	if n > m {
		rows := make([]int, n)
		for i := range rows {
			rows[i] = -1
		}
		for column, row := range assign(m, n, limit, func(column, row int) float64 { return cost(row, column) }) {
			if row >= 0 {
				rows[row] = column
			}
		}
		return rows
	}
	h := hungarian{costs: make([]float64, n*m), m: m, rowPrice: make([]float64, n), price: make([]float64, m+1),
		row: make([]int, m+1), least: make([]float64, m), from: make([]int, m), done: make([]bool, m+1)}
	for k := range h.row {
		h.row[k] = -1
	}
	for i := range n {
		for j := range m {
			h.costs[i*m+j] = limit
			if c := cost(i, j); c < limit {
				h.costs[i*m+j] = c
			}
		}
	}
	for i := range n {
		h.enter(i)
	}
	columns := make([]int, n)
	for j, i := range h.row[:m] {
		if i < 0 {
			continue
		}
		if columns[i] = j; h.costs[i*m+j] >= limit {
			columns[i] = -1
		}
	}
	return columns
}

// hungarian is an assignment in the making. Column m stands for the row that is looking for one.
type hungarian struct {
	costs           []float64
	m               int
	rowPrice, price []float64
	row             []int     // of each column, -1 for none
	least           []float64 // reduced cost to get to a column
	from            []int     // column on the way there
	done            []bool
}

// enter finds a column for row i by the cheapest exchange among those that have entered.
func (h *hungarian) enter(i int) {
	for j := range h.least {
		h.least[j], h.done[j] = math.Inf(1), false
	}
	h.done[h.m] = false
	h.row[h.m] = i
	at := h.m
	for h.row[at] >= 0 {
		at = h.advance(at)
	}
	for at != h.m {
		h.row[at] = h.row[h.from[at]]
		at = h.from[at]
	}
}

// advance settles column at and returns the nearest one that is not settled.
func (h *hungarian) advance(at int) (next int) {
	h.done[at] = true
	i, delta := h.row[at], math.Inf(1)
	for j := range h.m {
		if h.done[j] {
			continue
		}
		if reduced := h.costs[i*h.m+j] - h.rowPrice[i] - h.price[j]; reduced < h.least[j] {
			h.least[j], h.from[j] = reduced, at
		}
		if h.least[j] < delta {
			delta, next = h.least[j], j
		}
	}
	for j := range h.done {
		switch {
		case h.done[j]:
			h.rowPrice[h.row[j]] += delta
			h.price[j] -= delta
		case j < h.m:
			h.least[j] -= delta
		}
	}
	return next
}
