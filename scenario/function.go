package scenario

import (
	"math"

	"gosmp/internal/portable"
)

// function is one of the standard's functions of one or two numbers.
type function struct {
	operands int
	compute  func(a, b float64) float64
}

const functionNames = "round floor ceil sqrt pow sin cos tan asin acos atan sign abs max min"

func one(f func(float64) float64) function {
	return function{1, func(a, _ float64) float64 { return f(a) }}
}

var functions = map[string]function{
	"round": one(math.Round), "floor": one(math.Floor), "ceil": one(math.Ceil),
	"sqrt": one(math.Sqrt), "abs": one(math.Abs), "sign": one(sign),
	"sin": one(portable.Sin), "cos": one(portable.Cos), "tan": one(portable.Tan),
	"asin": one(portable.Asin), "acos": one(portable.Acos), "atan": one(portable.Atan),
	"pow": {2, portable.Pow}, "max": {2, math.Max}, "min": {2, math.Min},
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}
