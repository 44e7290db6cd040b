package page

import (
	"math"
	"slices"
	"strconv"
)

// Playback holds the data that a page plays back. Its members are a contract with the scripts in
// kit/. Times are in seconds.
type Playback struct {
	First   float64   `json:"first"`
	Last    float64   `json:"last"`
	Scene   any       `json:"scene,omitempty"` // a *Scene, or a type that extends it
	Lanes   []Lane    `json:"lanes,omitempty"`
	Curves  *Curves   `json:"curves,omitempty"`
	Chosen  []int     `json:"chosen,omitempty"`  // the curves shown at first
	Changes []float64 `json:"changes,omitempty"` // times at which something happened, in order
	Live    bool      `json:"live,omitempty"`    // more data will come
}

// Curves holds the curves among which a reader chooses.
type Curves struct {
	// of curves without their own times
	Times    []float64            `json:"times"`
	Channels map[string][]float64 `json:"channels,omitempty"` // times of the curves of a channel
	List     []Curve              `json:"list"`
}

// Curve is a number over time.
type Curve struct {
	Channel string            `json:"channel,omitempty"`
	Path    string            `json:"path"`
	Unit    string            `json:"unit,omitempty"`  // if it is not in the path
	Group   string            `json:"group,omitempty"` // curves of one group share a panel
	Times   []float64         `json:"times,omitempty"` // if they differ from Curves.Times
	Values  []any             `json:"values"`          // null, a number, or [minimum, maximum]
	Names   map[string]string `json:"names,omitempty"` // of the values of an enumeration
	Steps   bool              `json:"steps,omitempty"` // a value holds until the next one
	Color   string            `json:"color,omitempty"` // "" means a color of the page
}

// Named returns a name with its unit, as shown to the reader of a curve.
func Named(name, unit string) string {
	if unit == "" || unit == "1" { // "1" is the unit of plain numbers in FMUs
		return name
	}
	return name + ", " + unit
}

// Scene shows what happens in the world.
type Scene struct {
	Bodies []Body  `json:"bodies"`
	Frames []Frame `json:"frames"`
}

// Body is an object in a scene, with its size in m, and its center relative to its position.
type Body struct {
	ID     string  `json:"id"`
	Name   string  `json:"name,omitempty"`
	Kind   string  `json:"kind"` // vehicle, person, ...
	Length float64 `json:"length"`
	Width  float64 `json:"width"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Color  string  `json:"color,omitempty"`
}

// Frame is a moment of a scene.
type Frame struct {
	Time    float64   `json:"t"`
	Host    int       `json:"host"`           // the body that the view follows, or -1
	Pose    []float64 `json:"pose,omitempty"` // x, y, yaw of the followed object
	Objects []float64 `json:"objects"`        // for each object: the body, x, y, yaw, speed
}

// Lane shows the activity of a machine, or of something else, over time.
type Lane struct {
	Name string `json:"name"`
	Bars []Bar  `json:"bars"`
}

// Bar is a period in which a state was active. Bars within a bar are drawn below it.
type Bar struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Text  string  `json:"text"`
	Kind  string  `json:"kind,omitempty"` // bad: it failed or was stopped
	Order int     `json:"order"`          // of bars with the same times: outer bars first
}

// Times returns the times at which bars of lanes begin, in order and without duplicates.
func Times(lanes []Lane) (list []float64) {
	for _, l := range lanes {
		for _, b := range l.Bars {
			list = append(list, b.From)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Round rounds the values of a curve to the number of digits of their range that a screen can show,
// but at least to seven, because geographic positions and calendar times are large and change
// little.
func (c *Curve) Round() {
	least, greatest := math.Inf(1), math.Inf(-1)
	count := func(x float64) {
		if x != 0 { // no digits; many curves are 0 until their first sample
			least, greatest = math.Min(least, x), math.Max(greatest, x)
		}
	}
	for _, v := range c.Values {
		switch x := v.(type) {
		case float64:
			count(x)
		case [2]float64:
			count(x[0])
			count(x[1])
		}
	}
	n := 7
	if most := math.Max(math.Abs(least), math.Abs(greatest)); greatest > least {
		n = min(17, max(n, 6+int(math.Ceil(math.Log10(most/(greatest-least))))))
	}
	for k, v := range c.Values {
		switch x := v.(type) {
		case float64:
			c.Values[k] = digits(x, n)
		case [2]float64:
			c.Values[k] = pair(digits(x[0], n), digits(x[1], n))
		}
	}
}

// pair returns the encoding of the minimum and maximum of an interval in a curve.
func pair(low, high float64) any {
	if low == high {
		return low
	}
	return [2]float64{low, high}
}

func digits(x float64, n int) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', n, 64), 64)
	if err != nil { // NaN can also be parsed
		return x
	}
	return short
}
