// Package scenariopage writes the report of a run of a scenario as one HTML file: verdicts, the
// storyboard as a timeline, curves of the entities, and a playback from above. It needs no network.
//
//	rec := scenariopage.NewRecorder(resolved, world)
//	player.Watch(rec.Look)
//	...
//	err := scenariopage.Write(file, result, rec, roads)
package scenariopage
