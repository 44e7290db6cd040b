package mocksim

import (
	"gosmp/timebase"
)

// Weather is what the air is like, everywhere.
type Weather struct {
	Pressure      float64 // at z = 0, Pa
	Temperature   float64 // at z = 0, K
	Humidity      float64 // relative, percent
	Visibility    float64 // m
	Precipitation float64 // mm/h
	Cloudiness    float64 // covered part of the sky, 0 to 1
}

// FairWeather is what a world begins with: the standard atmosphere, dry and clear.
func FairWeather() Weather {
	return Weather{Pressure: 101325, Temperature: 288.15, Humidity: 50, Visibility: 40_000}
}

// noon is the time of day with which a world begins.
const noon = 12 * 3600 * timebase.Second

const day = 24 * 3600 * timebase.Second

// Weather returns the present weather.
func (w *World) Weather() Weather { return w.weather }

// SetWeather changes the weather at once. It fails with [ErrValue] for what OSI cannot express.
func (w *World) SetWeather(v Weather) error {
	for _, c := range [...]struct {
		name             string
		value, low, high float64
		expected         string
	}{
		{"pressure", v.Pressure, 80_000, 120_000, "80000 to 120000 Pa"},
		{"temperature", v.Temperature, 170, 340, "170 to 340 K"},
		{"humidity", v.Humidity, 0, 100, "0 to 100 %"},
		{"visibility", v.Visibility, 0, 1e6, "0 to 1e6 m"},
		{"precipitation", v.Precipitation, 0, 1000, "0 to 1000 mm/h"},
		{"cloudiness", v.Cloudiness, 0, 1, "0 to 1"},
	} {
		if !(c.value >= c.low && c.value <= c.high) {
			return invalid("set_weather."+c.name, c.value, c.expected)
		}
	}
	w.weather = v
	return nil
}

// TimeOfDay is the time since midnight. It goes on with the simulation.
func (w *World) TimeOfDay() timebase.Time {
	t := (w.midnight + w.now) % day
	if t < 0 {
		t += day
	}
	return t
}

// SetTimeOfDay sets the present time since midnight.
func (w *World) SetTimeOfDay(t timebase.Time) error {
	if t < 0 || t >= day {
		return invalid("set_time_of_day", t, "0 to below 24 h")
	}
	w.midnight = t - w.now
	return nil
}
