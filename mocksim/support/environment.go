package support

import (
	"context"
	"fmt"
	"time"

	"gosmp/simapi"
	"gosmp/timebase"
)

// SetWeather changes the fields given in the request.
func (s *Simulator) SetWeather(_ context.Context, r *simapi.SetWeather) error {
	v := s.w.Weather()
	set := func(to *float64, from *float64, factor float64) {
		if from != nil {
			*to = *from * factor
		}
	}
	set(&v.Temperature, r.Temperature, 1)
	set(&v.Pressure, r.AtmosphericPressure, 1)
	set(&v.Humidity, r.RelativeHumidity, 100)
	set(&v.Cloudiness, r.CloudCover, 1)
	set(&v.Precipitation, r.Rain, 1)
	set(&v.Visibility, r.Visibility, 1)
	set(&v.Snow, r.Snow, 1)
	set(&v.WindSpeed, r.WindSpeed, 1)
	set(&v.WindYaw, r.WindYaw, 1)
	if p := r.GetAdditionalProperty(); len(p) > 0 {
		return fmt.Errorf("%w: additional_property: found %q, expected none: the messages of "+
			"this simulator cannot contain it", simapi.Code_NOT_SUPPORTED, p[0].GetName())
	}
	return coded(s.w.SetWeather(v))
}

// SetTimeOfDay sets the time of day, and the date if one is given.
func (s *Simulator) SetTimeOfDay(_ context.Context, r *simapi.SetTimeOfDay) error {
	t, err := timebase.FromSeconds(r.GetSecondsSinceMidnight())
	if err != nil {
		return fmt.Errorf("%w: seconds_since_midnight: %w", simapi.Code_INVALID, err)
	}
	if r.GetDate() != "" {
		day, err := time.Parse(time.DateOnly, r.GetDate())
		if err != nil {
			return fmt.Errorf("%w: date: found %q, expected one such as 2026-05-17",
				simapi.Code_INVALID, r.GetDate())
		}
		if err := coded(s.w.SetDate(day.Unix() / 86400)); err != nil {
			return err
		}
	}
	return coded(s.w.SetTimeOfDay(t))
}
