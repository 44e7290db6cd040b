package sweep

import (
	"errors"
	"math"
	"sort"

	"gosmp/internal/portable"
)

func uniform(a, b float64) distribution {
	return distribution{
		below:    func(x float64) float64 { return min(max((x-a)/(b-a), 0), 1) },
		quantile: func(u float64) float64 { return a + float64(u*(b-a)) },
	}
}

// smallest keeps quantiles of unbounded distributions finite.
const smallest = 1e-12

func inner(u float64) float64 { return min(max(u, smallest), 1-smallest) }

func normal(mean, deviation float64) distribution {
	return distribution{
		below: func(x float64) float64 { return belowNormal((x - mean) / deviation) },
		quantile: func(u float64) float64 {
			return mean + float64(deviation*normalQuantile(inner(u)))
		},
	}
}

func lognormal(mean, deviation float64) distribution {
	y := normal(mean, deviation)
	return distribution{
		below: func(x float64) float64 {
			if x <= 0 {
				return 0
			}
			return y.below(portable.Log(x))
		},
		quantile: func(u float64) float64 { return exp(y.quantile(u)) },
	}
}

func triangular(a, mode, b float64) distribution {
	share := (mode - a) / (b - a)
	return distribution{
		below: func(x float64) float64 {
			switch {
			case x <= a:
				return 0
			case x >= b:
				return 1
			case x < mode:
				return (x - a) * (x - a) / (b - a) / (mode - a)
			}
			return 1 - (b-x)*(b-x)/(b-a)/(b-mode)
		},
		quantile: func(u float64) float64 {
			if u < share {
				return a + math.Sqrt(u*(b-a)*(mode-a))
			}
			return b - math.Sqrt((1-u)*(b-a)*(b-mode))
		},
	}
}

func exponential(mean float64) distribution {
	return distribution{
		below:    func(x float64) float64 { return 1 - exp(-max(x, 0)/mean) },
		quantile: func(u float64) float64 { return -mean * log1p(-inner(u)) },
	}
}

// poisson returns a distribution of counts, whose below returns the share up to and including x.
func poisson(mean float64) distribution {
	var shares []float64 // up to and including k
	for p, sum, k := exp(-mean), 0.0, 0; k < 4000 && sum < 1-smallest; k++ {
		sum += p
		shares = append(shares, sum)
		p *= mean / float64(k+1)
	}
	return distribution{
		below: func(x float64) float64 {
			k := int(math.Floor(x))
			switch {
			case k < 0:
				return 0
			case k >= len(shares):
				return 1
			}
			return shares[k]
		},
		quantile: func(u float64) float64 {
			return float64(min(sort.SearchFloat64s(shares, u), len(shares)-1))
		},
	}
}

// histogram returns a distribution that is uniform within each bin.
func histogram(bins []bin) (distribution, error) {
	edges, total := []float64{0}, 0.0
	for k, b := range bins {
		if !finite(b.From, b.To, b.Weight) || b.From >= b.To || b.Weight < 0 ||
			k > 0 && b.From < bins[k-1].To {
			return distribution{},
				errors.New("expected bins with from < to and non-negative weights, in " +
					"ascending order")
		}
		total += b.Weight
		edges = append(edges, total)
	}
	if !(total > 0) {
		return distribution{}, errors.New("expected a bin with a weight above 0")
	}
	return distribution{
		below: func(x float64) (sum float64) {
			for _, b := range bins {
				sum += float64(b.Weight * min(max((x-b.From)/(b.To-b.From), 0), 1))
			}
			return sum / total
		},
		quantile: func(u float64) float64 {
			u = float64(u * total)
			k := max(sort.Search(len(edges), func(k int) bool { return edges[k] > u })-1, 0)
			// u is at the end of the last bin with a weight
			for k = min(k, len(bins)-1); bins[k].Weight == 0; k-- {
			}
			return bins[k].From + float64((u-edges[k])/bins[k].Weight*(bins[k].To-bins[k].From))
		},
	}, nil
}
