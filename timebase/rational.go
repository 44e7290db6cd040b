package timebase

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"gosmp/internal/decimal"
)

// ErrSeconds reports a text that is neither a number of seconds nor a quotient of two numbers.
var ErrSeconds = errors.New("not a number of seconds")

// Rational is a number of seconds as a fraction, with which the points of a regular spacing are
// exact: 1/60 s is neither a whole number of nanoseconds nor a float64. Its zero value is 0 s.
type Rational struct {
	num int64
	den uint64 // 0 stands for 1
}

// largestPart limits numerator and denominator, so that products of three of them, and of one with
// a number of nanoseconds, fit in 128 bits.
const largestPart = 1 << 62

// NewRational returns num/den in lowest terms. It reports false if den is not positive.
func NewRational(num, den int64) (Rational, bool) {
	if den <= 0 || num == math.MinInt64 {
		return Rational{}, false
	}
	g := gcd(magnitude(num), uint64(den))
	return Rational{num / int64(g), uint64(den) / g}, true
}

// RationalOf returns the fraction that seconds stand for: the first convergent of its continued
// fraction that rounds to it. A float64 computed as 1.0/60 thus yields 1/60 s, and 0.1 yields a
// tenth. It fails with [ErrTimeRange] like [FromSeconds].
func RationalOf(seconds float64) (Rational, error) {
	if _, err := FromSeconds(seconds); err != nil {
		return Rational{}, err
	}
	return simplest(seconds), nil
}

// simplest is like [RationalOf] for a number below largestPart.
func simplest(seconds float64) Rational {
	x := math.Abs(seconds)
	if !(x >= 1e-12 && x < largestPart) { // far below a nanosecond, or refused by the caller
		return Rational{0, 1}
	}
	whole, rest := math.Modf(x)
	num, den := uint64(whole), uint64(1)
	if rest > 0 {
		num, den = convergent(x, num, rest)
	}
	r := Rational{int64(num), den}
	if seconds < 0 {
		r.num = -r.num
	}
	return r
}

// convergent returns the first convergent after whole/1 that rounds to x = whole + rest. It applies
// Euclid's algorithm to integers, starting with the two of which rest is the quotient.
func convergent(x float64, whole uint64, rest float64) (p, q uint64) {
	fraction, exponent := math.Frexp(rest)
	b := uint64(fraction * (1 << 53)) // rest = b / 2^j, without any rounding
	j := 53 - exponent
	high, low := uint64(0), uint64(0)
	if j >= 64 {
		high = 1 << (j - 64)
	} else {
		low = 1 << j
	}
	p0, q0, p1, q1 := uint64(1), uint64(0), whole, uint64(1)
	a, r := bits.Div64(high, low, b)
	for {
		p0, q0, p1, q1 = p1, q1, a*p1+p0, a*q1+q0
		if r == 0 || float64(p1)/float64(q1) == x {
			return p1, q1
		}
		low, b = b, r
		a, r = low/b, low%b
	}
}

// RationalOfMs is like [RationalOf] for a number of milliseconds: 16.666666666666668 yields 1/60 s.
func RationalOfMs(ms float64) (Rational, error) {
	if _, err := FromSeconds(ms / 1000); err != nil {
		return Rational{}, err
	}
	if r, fits := simplest(ms).over(Rational{1000, 1}); fits {
		return r, nil
	}
	return simplest(ms / 1000), nil
}

// Simplest returns the fraction with the smallest denominator between low and high, both positive,
// for example for a rate that is known only from rounded times.
func Simplest(low, high float64) Rational {
	p0, q0, p1, q1 := int64(0), int64(1), int64(1), int64(0)
	for range 40 {
		whole := math.Ceil(low)
		if last := whole <= high; !last {
			whole = math.Floor(low)
		}
		a := int64(whole)
		p0, q0, p1, q1 = p1, q1, a*p1+p0, a*q1+q0
		if whole >= low {
			break
		}
		low, high = 1/(high-whole), 1/(low-whole)
	}
	r, _ := NewRational(p1, q1)
	return r
}

// ParseSeconds reads a number of seconds, such as 0.02, 2e-2 or 1/60. It fails with [ErrSeconds],
// and with [ErrTimeRange] for a number outside the range of [Time].
func ParseSeconds(text string) (Rational, error) {
	above, below, isQuotient := strings.Cut(text, "/")
	r, isNumber := parseNumber(above)
	if isQuotient && isNumber {
		var divisor Rational
		if divisor, isNumber = parseNumber(below); isNumber {
			r, isNumber = r.over(divisor)
		}
	}
	if !isNumber {
		return Rational{}, fmt.Errorf("%s: %w", strconv.Quote(text), ErrSeconds)
	}
	_, err := FromSeconds(r.Seconds())
	return r, err
}

// parseNumber reads a decimal number.
func parseNumber(text string) (Rational, bool) {
	text = strings.TrimSpace(text)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && magnitude(n) < largestPart {
		return Rational{n, 1}, true
	}
	x, err := decimal.Float(text, 64)
	return simplest(x), err == nil && math.Abs(x) < largestPart
}

// over returns r/s, and false if s is 0 or the result has too many digits.
func (r Rational) over(s Rational) (Rational, bool) {
	a, b := magnitude(r.num), r.denominator()
	c, d := magnitude(s.num), s.denominator()
	if c == 0 {
		return Rational{}, false
	}
	g, h := gcd(a, c), gcd(d, b)
	a, c, d, b = a/g, c/g, d/h, b/h
	high, num := bits.Mul64(a, d)
	more, den := bits.Mul64(b, c)
	if high|more != 0 || num >= largestPart || den >= largestPart {
		return Rational{}, false
	}
	q := Rational{int64(num), den}
	if (r.num < 0) != (s.num < 0) {
		q.num = -q.num
	}
	return q, true
}

// times returns r·n, and false if it has too many digits.
func (r Rational) times(n int64) (Rational, bool) {
	return r.over(Rational{1, uint64(max(n, 1))})
}

// Seconds returns the float64 nearest to r.
func (r Rational) Seconds() float64 {
	x := quotient(0, magnitude(r.num), r.denominator())
	if r.num < 0 {
		return -x
	}
	return x
}

// Time returns the instant nearest to r, or EndOfTime beyond the range.
func (r Rational) Time() Time { return NewScale(r, Grid{}).start }

// Parts returns the numerator and denominator of r, which must not be negative.
func (r Rational) Parts() (num, den uint64) { return magnitude(r.num), r.denominator() }

// SecondsAnd returns t plus part/den of a nanosecond, in seconds, rounded once if den has at most
// ten digits. part must be less than den, which must be at least 1.
func (t Time) SecondsAnd(part, den uint64) float64 {
	if part == 0 {
		return t.Seconds()
	}
	if over := bits.Len64(den) - 33; over > 0 {
		part, den = part>>over, den>>over
	}
	high, low := bits.Mul64(magnitude(int64(t)), den)
	var carry uint64
	if t < 0 {
		low, carry = bits.Sub64(low, part, 0)
		high, _ = bits.Sub64(high, 0, carry)
		return -quotient(high, low, den*uint64(Second))
	}
	low, carry = bits.Add64(low, part, 0)
	high, _ = bits.Add64(high, 0, carry)
	return quotient(high, low, den*uint64(Second))
}

// IsWhole reports whether r is a whole number of nanoseconds.
func (r Rational) IsWhole() bool { return uint64(Second)%r.denominator() == 0 }

// IsSimple reports whether r is a period that people choose, such as 1/60 or 1001/30000 s, rather
// than the result of rounding.
func (r Rational) IsSimple() bool { return magnitude(r.num) <= 1001 && r.denominator() <= 60_000 }

// IsZero reports whether r is 0 s.
func (r Rational) IsZero() bool { return r.num == 0 }

// String returns the shortest text that reads as r, which is a quotient unless r is a whole number
// of nanoseconds.
func (r Rational) String() string {
	if r.IsWhole() {
		return strconv.FormatFloat(r.Seconds(), 'f', -1, 64)
	}
	return strconv.FormatInt(r.num, 10) + "/" + strconv.FormatUint(r.den, 10)
}

func (r Rational) denominator() uint64 { return max(r.den, 1) }

// Exactly returns t as a fraction.
func (t Time) Exactly() Rational {
	g := gcd(magnitude(int64(t)), uint64(Second))
	return Rational{int64(t) / int64(g), uint64(Second) / g}
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// gcd returns the greatest common divisor of two numbers that are not both 0.
func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// exactIntegers is the bound up to which a float64 represents every integer.
const exactIntegers = 1 << 53

// quotient returns the float64 nearest to a quotient of integers, of which the first has 128 bits;
// ties go to the even one.
func quotient(high, low, den uint64) float64 {
	if high == 0 && low < exactIntegers && den < exactIntegers {
		return float64(low) / float64(den) // IEEE 754 rounds once
	}
	var words [4]uint64 // words of the quotient; the first two are before the point
	rest := uint64(0)
	for k, digit := range [4]uint64{high, low, 0, 0} {
		words[k], rest = bits.Div64(rest, digit, den)
	}
	k := 0
	for k < 2 && words[k] == 0 {
		k++
	}
	if words[k] == 0 {
		return 0 // less than 2^-64
	}
	shift := bits.LeadingZeros64(words[k])
	top, below := words[k]<<shift|words[k+1]>>(64-shift), words[k+1]<<shift
	for _, w := range words[k+2:] {
		below |= w
	}
	if below|rest != 0 {
		top |= 1 // rounds away from a tie
	}
	return math.Ldexp(float64(top), 64*(1-k)-shift)
}
