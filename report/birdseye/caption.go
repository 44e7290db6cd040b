package birdseye

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"gosmp/proto/osi3"
	"gosmp/sensor/objects"
)

// title sets the title: a description of the picture, followed by lines about the sensor.
func title(p *plot.Plot, s *Snapshot, inView *sighted) {
	p.Title.TextStyle = textStyle(titleSize, color.Black)
	p.Title.Text = fitted(s.title(inView), p.Title.TextStyle)
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = draw.XCenter, draw.YTop
	p.Title.TextStyle.Handler = heading{plot.DefaultTextHandler}
	p.Title.Padding = vg.Points(3)
}

func (s *Snapshot) title(inView *sighted) string {
	truth := s.View.GetGlobalGroundTruth()
	there := fmt.Sprintf("%d moving and %d stationary objects", len(truth.GetMovingObject()),
		len(truth.GetStationaryObject()))
	switch {
	case s.Sensor != nil:
		return s.titleOfSensor(inView)
	case s.Data != nil:
		return s.titleOfData(there)
	case s.Kind == "" && truth == nil:
		return s.origin("SensorView", s.View.GetTimestamp()) + ": no ground truth" + s.counted() +
			s.mounted(s.View.GetSensorId(), s.View.GetMountingPosition(),
				s.View.GetHostVehicleId())
	case s.Kind != "":
		return s.origin(s.Kind, s.View.GetTimestamp()) + ": " + there
	}
	return s.origin("SensorView", s.View.GetTimestamp()) + ": " + there + s.counted() +
		s.mounted(s.View.GetSensorId(), s.View.GetMountingPosition(), s.View.GetHostVehicleId())
}

// fitted breaks the first line of a title after its colon if it is too long for the picture.
func fitted(title string, style text.Style) string {
	first, rest, _ := strings.Cut(title, "\n")
	origin, content, found := strings.Cut(first, ": ")
	if !found || style.Width(first) < Width-2*legendMargin {
		return title
	}
	content = strings.ToUpper(content[:1]) + content[1:] + "."
	return strings.TrimRight(origin+"\n"+content+"\n"+rest, "\n")
}

// origin returns the kind of a message, its channel, its number and its time.
func (s *Snapshot) origin(kind string, t *osi3.Timestamp) string {
	if s.Channel != "" {
		kind += " of channel " + s.Channel
	}
	if s.Channels != "" {
		kind += " of channels " + s.Channels
	}
	if s.Message > 0 {
		kind += fmt.Sprintf(", message %d,", s.Message)
	}
	if t == nil {
		return kind + " without a timestamp"
	}
	return fmt.Sprintf("%s at t = %.2f s", kind, seconds(t))
}

// mounted returns a line about the sensor that a message names, or "" if it names none.
func (s *Snapshot) mounted(sensor *osi3.Identifier, m *osi3.MountingPosition,
	host *osi3.Identifier) string {
	var parts []string
	if sensor != nil {
		parts = append(parts, fmt.Sprintf("sensor %d", sensor.GetValue()))
	}
	if host != nil {
		parts = append(parts, fmt.Sprintf("host vehicle %d", host.GetValue()))
	}
	if p := m.GetPosition(); p != nil {
		parts = append(parts, fmt.Sprintf("mounted at x = %.4g, y = %.4g, z = %.4g m, yaw %.4g°",
			p.GetX(), p.GetY(), p.GetZ(), m.GetOrientation().GetYaw()*180/math.Pi))
	}
	if len(parts) == 0 {
		return ""
	}
	text := strings.Join(parts, ", ")
	return "\n" + strings.ToUpper(text[:1]) + text[1:] + "."
}

// titleOfData returns the title of a SensorData. there describes the truth.
func (s *Snapshot) titleOfData(there string) string {
	d := s.Data
	text := fmt.Sprintf("%s: %d moving and %d stationary objects detected",
		s.origin("SensorData", d.GetTimestamp()), len(d.GetMovingObject()),
		len(d.GetStationaryObject()))
	text += s.counted()
	text += s.mounted(d.GetSensorId(), d.GetMountingPosition(), s.View.GetHostVehicleId())
	switch n := len(d.GetSensorView()); {
	case n == 0:
		return text + "\nIt contains no SensorView: the truth is not known."
	case s.View.GetGlobalGroundTruth() == nil:
		return text + "\nThe SensorView that it contains has no ground truth."
	case n > 1:
		return text + fmt.Sprintf("\nIn the first of the %d SensorViews that it contains: %s.", n,
			there)
	}
	return text + "\nIn the SensorView that it contains: " + there + "."
}

// titleOfSensor returns the title of a picture with a known sensor.
func (s *Snapshot) titleOfSensor(inView *sighted) string {
	text := fmt.Sprintf(
		"SensorView at t = %.2f s: %s and %s objects in view are detected\nSensor: %s.",
		seconds(s.View.GetTimestamp()),
		inView.count(objects.MovingObject, "moving"), inView.count(objects.StationaryObject,
			"stationary"), describe(s.Sensor))
	usual := objects.Default()
	if defaults := describe(&usual); defaults != describe(s.Sensor) {
		text += "\nThe default sensor, for comparison: " + defaults + "."
	}
	return text
}

func seconds(t *osi3.Timestamp) float64 {
	return float64(t.GetSeconds()) + float64(t.GetNanos())/1e9
}

// heading draws the first line in the given style, and the other lines as a caption.
type heading struct{ text.Handler }

// Draw writes the lines below each other, horizontally centered on the point.
func (h heading) Draw(c vg.Canvas, txt string, style text.Style, at vg.Point) {
	for k, line := range h.Lines(txt) {
		if k > 0 {
			style.Font = textStyle(captionSize, nil).Font
			at.Y -= 0.3 * style.Font.Size
		}
		at.Y -= style.Font.Size
		face := h.Cache().Lookup(style.Font, style.Font.Size)
		c.SetColor(style.Color)
		c.FillString(face, vg.Point{X: at.X - face.Width(line)/2, Y: at.Y}, line)
	}
}

// describe returns a line with the settings that determine which objects are detected and where.
func describe(c *objects.Config) string {
	parts := []string{
		fmt.Sprintf("half angle %.4g°", c.HalfAngle*180/math.Pi),
		fmt.Sprintf("range %.5g m", c.Range()),
		map[bool]string{true: "occlusion", false: "no occlusion"}[c.Occlusion],
	}
	if c.PositionNoise == 0 && c.VelocityNoise == 0 {
		parts = append(parts, "no noise")
	} else {
		parts = append(parts,
			fmt.Sprintf("noise of %.4g m and %.4g m/s (standard deviation of a coordinate)",
				c.PositionNoise, c.VelocityNoise))
	}
	if c.DetectionProbability < 1 {
		parts = append(parts, fmt.Sprintf("detection probability %.4g", c.DetectionProbability))
	}
	if c.DropoutProbability > 0 {
		parts = append(parts, fmt.Sprintf("dropout probability %.4g for %d cycles",
			c.DropoutProbability, c.DropoutCycles))
	}
	return strings.Join(parts, ", ")
}

// lossy reports whether the sensor loses objects in view at random.
func lossy(c *objects.Config) bool { return c.DetectionProbability < 1 || c.DropoutProbability > 0 }

// roundTicks returns ticks at multiples of a round number, for an axis of the given length in
// meters.
func roundTicks(span float64) plot.Ticker {
	decade := math.Pow(10, math.Floor(math.Log10(max(span, 1)/10)))
	step := 10 * decade
	for _, f := range []float64{1, 2.5, 5} {
		if span/(f*decade) <= 10 {
			step = f * decade
			break
		}
	}
	return plot.TickerFunc(func(low, high float64) []plot.Tick {
		const minor = 5
		var ticks []plot.Tick
		for k := math.Ceil(low / step * minor); k <= high/step*minor; k++ {
			t := plot.Tick{Value: k*step/minor + 0} // adding 0 turns a negative zero into zero
			if math.Mod(k, minor) == 0 {
				t.Label = strings.Replace(fmt.Sprintf("%g", t.Value), "-", "−", 1)
			}
			ticks = append(ticks, t)
		}
		return ticks
	})
}
