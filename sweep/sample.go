package sweep

import (
	"math/bits"
	"math/rand/v2"
)

// sobolDimensions is the number of supported dimensions of the Sobol sequence.
const sobolDimensions = 21

// direction defines a dimension of the Sobol sequence: the degree and the inner coefficients of a
// primitive polynomial, and the first direction numbers. The numbers come from Joe and Kuo,
// "Constructing Sobol sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30
// (2008), file new-joe-kuo-6.
type direction struct {
	degree, coefficients int
	first                []uint32
}

var directions = []direction{
	{1, 0, []uint32{1}},
	{2, 1, []uint32{1, 3}},
	{3, 1, []uint32{1, 3, 1}},
	{3, 2, []uint32{1, 1, 1}},
	{4, 1, []uint32{1, 1, 3, 3}},
	{4, 4, []uint32{1, 3, 5, 13}},
	{5, 2, []uint32{1, 1, 5, 5, 17}},
	{5, 4, []uint32{1, 1, 5, 5, 5}},
	{5, 7, []uint32{1, 1, 7, 11, 19}},
	{5, 11, []uint32{1, 1, 5, 1, 1}},
	{5, 13, []uint32{1, 1, 1, 3, 11}},
	{5, 14, []uint32{1, 3, 5, 5, 31}},
	{6, 1, []uint32{1, 3, 3, 9, 7, 49}},
	{6, 13, []uint32{1, 1, 1, 15, 21, 21}},
	{6, 16, []uint32{1, 3, 1, 13, 27, 49}},
	{6, 19, []uint32{1, 1, 1, 15, 7, 5}},
	{6, 22, []uint32{1, 3, 1, 15, 13, 25}},
	{6, 25, []uint32{1, 1, 5, 5, 19, 61}},
	{7, 1, []uint32{1, 3, 7, 11, 23, 15, 103}},
	{7, 4, []uint32{1, 3, 7, 13, 13, 15, 69}},
}

// sobol returns the direction numbers of a dimension; dimensions count from 0.
func sobol(dimension int) (v [32]uint32) {
	if dimension == 0 {
		for k := range v {
			v[k] = 1 << (31 - k)
		}
		return v
	}
	d := directions[dimension-1]
	for k := range v {
		if k < d.degree {
			v[k] = d.first[k] << (31 - k)
			continue
		}
		v[k] = v[k-d.degree] ^ v[k-d.degree]>>d.degree
		for i := 1; i < d.degree; i++ {
			if d.coefficients>>(d.degree-1-i)&1 == 1 {
				v[k] ^= v[k-i]
			}
		}
	}
	return v
}

// draws returns count points in the unit cube, which has a dimension for each stream. The result
// has a column for each dimension. A column depends only on the seed and the number of the stream.
func (s Sampling) draws(streams []uint64) [][]float64 {
	columns := make([][]float64, len(streams))
	for d := range columns {
		columns[d] = make([]float64, s.Count)
		random := rand.NewPCG(s.Seed, streams[d]) // its documentation fixes the sequence
		switch s.Method {
		case Sobol:
			s.sobol(columns[d], d, random)
		case LatinHypercube:
			s.latin(columns[d], random)
		default:
			for k := range columns[d] {
				columns[d][k] = unit(random)
			}
		}
	}
	return columns
}

// unit returns a number x with 0 <= x < 1.
func unit(random *rand.PCG) float64 { return float64(random.Uint64()>>11) / (1 << 53) }

// below returns a number x with 0 <= x < n.
func below(random *rand.PCG, n int) int {
	high, _ := bits.Mul64(random.Uint64(), uint64(n))
	return int(high)
}

// latin puts one point into each of as many layers of equal width.
func (s Sampling) latin(column []float64, random *rand.PCG) {
	layers := make([]int, len(column))
	for k := range layers {
		layers[k] = k
	}
	for k := len(layers) - 1; k > 0; k-- {
		i := below(random, k+1)
		layers[k], layers[i] = layers[i], layers[k]
	}
	for k, layer := range layers {
		column[k] = (float64(layer) + unit(random)) / float64(len(column))
	}
}

// sobol fills a column with the sequence in Gray code order, starting with its first point. A seed
// other than 0 shifts it digit by digit, which keeps its properties.
func (s Sampling) sobol(column []float64, dimension int, random *rand.PCG) {
	v := sobol(dimension)
	var x, shift uint32
	if s.Seed != 0 {
		shift = uint32(random.Uint64() >> 32)
	}
	for k := range column {
		column[k] = float64(x^shift) / (1 << 32)
		x ^= v[bits.TrailingZeros32(^uint32(k))&31]
	}
}
