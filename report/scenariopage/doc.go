// Package scenariopage writes the report of a run of a scenario as a single HTML file: verdicts,
// the storyboard as a timeline, curves of the entities, and a playback from above. The file works
// offline.
//
//	rec := scenariopage.NewRecorder(resolved, world)
//	player.Watch(rec.Look)
//	...
//	err := scenariopage.Write(file, result, rec, roads)
package scenariopage
