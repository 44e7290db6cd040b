package run

import (
	"gosmp/mocksim/support"
	"gosmp/scenario/served"
	"gosmp/timebase"
)

// ServedScenario returns the scenario of the options as a simulator that a director steps; see
// package served. It fails if the scenario requests impossible things.
func ServedScenario(o Options) (*support.Simulator, error) {
	scene, err := o.scene()
	if err != nil {
		return nil, err
	}
	resolved, err := scene.Resolve()
	if err != nil {
		return nil, err
	}
	roads, err := mapOf(resolved)
	if err != nil {
		return nil, err
	}
	settings := served.Options{Map: roads, DisableControllers: o.DisableControllers}
	tried, err := served.New(resolved, o.Seed, timebase.Every(0.01), settings)
	if err != nil {
		return nil, err
	}
	defer tried.Close()
	return support.New(support.Options{Map: tried.World().Map(), SceneFile: resolved.File,
		Scene: served.Maker(resolved, settings)}), nil
}
