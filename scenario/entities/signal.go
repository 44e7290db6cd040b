package entities

import (
	"slices"
	"strconv"
	"strings"

	"gosmp/mocksim"
	"gosmp/scenario/storyboard"
)

// Signal shows the state of a traffic signal. For a signal that is not a light on the map, it adds
// a note once, because only conditions can see the signal's state.
func (w *World) Signal(id, state string) {
	if err := w.sim.SetLight(id, colour(state)); err == nil || slices.Contains(w.unlit, id) {
		return
	}
	w.unlit = append(w.unlit, id)
	w.Tell(storyboard.NoEntity, "not shown", "the state of the signal "+strconv.Quote(id)+
		", which is not a traffic light on the map")
}

// colour reads the state of a light: one word, or one for each of the bulbs red, yellow and green.
func colour(state string) mocksim.Light {
	if bulbs := strings.Split(state, ";"); len(bulbs) == 3 {
		for k, c := range [...]mocksim.Light{mocksim.LightRed, mocksim.LightYellow,
			mocksim.LightGreen} {
			switch strings.TrimSpace(bulbs[k]) {
			case "on", "1", "true", "flashing":
				return c
			}
		}
		return mocksim.LightOff
	}
	word := strings.ToLower(strings.TrimSpace(state))
	switch {
	case strings.Contains(word, "red") || word == "stop":
		return mocksim.LightRed
	case strings.Contains(word, "yellow") || strings.Contains(word, "amber"):
		return mocksim.LightYellow
	case strings.Contains(word, "green") || word == "go":
		return mocksim.LightGreen
	}
	return mocksim.LightOff
}
