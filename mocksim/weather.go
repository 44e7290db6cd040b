package mocksim

import (
	"time"

	"gosmp/timebase"
)

// Weather is the state of the air, the same everywhere.
type Weather struct {
	Pressure      float64 // at z = 0, Pa
	Temperature   float64 // at z = 0, K
	Humidity      float64 // relative, percent
	Visibility    float64 // m
	Precipitation float64 // rain, mm/h
	Snow          float64 // mm/h of water
	Cloudiness    float64 // covered part of the sky, 0 to 1
	WindSpeed     float64 // m/s
	WindYaw       float64 // the direction in which the wind blows, rad
	Sun           Sun
}

// Sun is the position and brightness of the sun.
type Sun struct {
	Known       bool    // false: brightness depends only on the time of day
	Azimuth     float64 // rad, clockwise from the north
	Elevation   float64 // above the horizon, rad
	Illuminance float64 // of direct sunlight, lux
}

// FairWeather returns the initial weather of a world: the standard atmosphere, dry and clear.
func FairWeather() Weather {
	return Weather{Pressure: 101325, Temperature: 288.15, Humidity: 50, Visibility: 40_000}
}

// noon is the time of day at which a world starts.
const noon = 12 * 3600 * timebase.Second

const day = 24 * 3600 * timebase.Second

// Weather returns the current weather.
func (w *World) Weather() Weather { return w.weather }

// SetWeather changes the weather at once. It fails with [ErrValue] for weather that OSI cannot
// express.
func (w *World) SetWeather(v Weather) error {
	for _, c := range [...]struct {
		name             string
		value, low, high float64
		expected         string
	}{
		{"atmospheric_pressure", v.Pressure, 80_000, 120_000, "80000 to 120000 Pa"},
		{"temperature", v.Temperature, 170, 340, "170 to 340 K"},
		{"relative_humidity", v.Humidity, 0, 100, "0 to 100 %"},
		{"visibility", v.Visibility, 0, 1e6, "0 to 1e6 m"},
		{"rain", v.Precipitation, 0, 1000, "0 to 1000 mm/h"},
		{"snow", v.Snow, 0, 1000, "0 to 1000 mm/h of water"},
		{"wind_speed", v.WindSpeed, 0, 150, "0 to 150 m/s"},
		{"wind_yaw", v.WindYaw, -100, 100, "an angle in rad"},
		{"cloud_cover", v.Cloudiness, 0, 1, "0 to 1"},
		{"sun_azimuth", v.Sun.Azimuth, -100, 100, "an angle in rad"},
		{"sun_elevation", v.Sun.Elevation, -100, 100, "an angle in rad"},
		{"sun_illuminance", v.Sun.Illuminance, 0, 1e6, "0 to 1e6 lux"},
	} {
		if !(c.value >= c.low && c.value <= c.high) {
			return invalid("set_weather."+c.name, c.value, c.expected)
		}
	}
	w.weather = v
	return nil
}

// TimeOfDay returns the time since midnight, which advances with the simulation.
func (w *World) TimeOfDay() timebase.Time {
	t := (w.midnight + w.now) % day
	if t < 0 {
		t += day
	}
	return t
}

// Date returns the current date, in days since 1970-01-01; ok is false if no date was set.
func (w *World) Date() (days int64, ok bool) {
	passed := (w.midnight + w.now) / day
	if (w.midnight+w.now)%day < 0 {
		passed--
	}
	return w.date + int64(passed), w.dated
}

// SetDate sets the current date, in days since 1970-01-01. It fails with [ErrValue] for dates
// before 1970 or after 9999.
func (w *World) SetDate(days int64) error {
	const last = 2_932_896 // 9999-12-31
	if days < 0 || days > last {
		return invalid("set_time_of_day.date",
			time.Unix(0, 0).UTC().AddDate(0, 0, int(days)).Format(time.DateOnly),
			"a date from 1970 to 9999")
	}
	w.date, w.dated = 0, true
	now, _ := w.Date()
	w.date = days - now
	return nil
}

// SetTimeOfDay sets the current time since midnight, on the current date.
func (w *World) SetTimeOfDay(t timebase.Time) error {
	if t < 0 || t >= day {
		return invalid("set_time_of_day", t, "0 to below 24 h")
	}
	w.date, _ = w.Date()
	w.midnight = t - w.now
	return nil
}
