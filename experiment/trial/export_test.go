package trial

import "gosmp/timebase"

// Plot is the picture of a curve for tests.
func Plot(values ...float64) string {
	c := &curve{}
	for k, v := range values {
		c.Buckets = append(c.Buckets, bucket{timebase.Time(k), v, v, v})
	}
	return string(c.plot(timebase.Time(len(values)), nil))
}
