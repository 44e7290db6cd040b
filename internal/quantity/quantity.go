// Package quantity formats counts for people to read.
package quantity

import "fmt"

// Number is a type that counts things.
type Number interface{ ~int | ~int64 | ~uint64 }

// Grouped writes a number with a blank between thousands, "1 186".
func Grouped[N Number](n N) string {
	text := fmt.Sprint(n)
	first := 0
	if n < 0 {
		first = 1
	}
	for k := len(text) - 3; k > first; k -= 3 {
		text = text[:k] + " " + text[k:]
	}
	return text
}

// Of returns a number with its noun, such as "1 message" or "2 000 messages".
func Of[N Number](n N, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Grouped(n) + " " + noun
}
