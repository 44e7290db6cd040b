package foxglove

import (
	"encoding/json"
	"slices"

	"gosmp/trace"
)

// panel is a panel of a layout: its id, which begins with its kind, and its settings.
type panel struct {
	id     string
	config map[string]any
}

// split places panels side by side ("row") or one below the other ("column"); percentage is the
// size of the first one.
func split(direction string, percentage int, first, second any) map[string]any {
	return map[string]any{"direction": direction, "first": first, "second": second,
		"splitPercentage": percentage}
}

// Layout returns a layout of panels for the topics of a recording, as the JSON that Lichtblick and
// Foxglove import: the scene in 3D around the host vehicle, its speed over time, the log, and a map
// if there are geographic positions.
func Layout(source, drawn []*trace.Channel) ([]byte, error) {
	panels := []panel{scenePanel(drawn)}
	var tree any = panels[0].id
	add := func(direction string, percentage int, p panel) {
		panels = append(panels, p)
		tree = split(direction, percentage, tree, p.id)
	}
	if paths := speeds(source); len(paths) > 0 {
		add("column", 70, panel{"Plot!speed", map[string]any{"paths": paths, "showLegend": true,
			"xAxisVal": "timestamp", "isSynced": true, "legendDisplay": "floating"}})
	}
	side := []panel{{"RosOut!log", map[string]any{"topicToRender": TopicLog, "searchTerms": []any{},
		"minLogLevel": 1}}}
	if places := topicsOf(drawn, "LocationFix"); len(places) > 0 {
		side = append(side, panel{"map!map", map[string]any{"center": nil, "layer": "map",
			"zoomLevel": 16, "followTopic": places[0], "disabledTopics": []any{}}})
	}
	var right any = side[0].id
	if len(side) > 1 {
		right = split("column", 30, side[0].id, side[1].id)
	}
	panels = append(panels, side...)
	configs := map[string]any{}
	for _, p := range panels {
		configs[p.id] = p.config
	}
	return json.MarshalIndent(map[string]any{"configById": configs,
		"globalVariables": map[string]any{}, "userNodes": map[string]any{},
		"playbackConfig": map[string]any{"speed": 1}, "layout": split("row", 74, tree, right)}, "",
		"  ")
}

// scenePanel returns a panel that follows the host vehicle and shows everything drawn.
func scenePanel(drawn []*trace.Channel) panel {
	topics := map[string]any{}
	for _, c := range drawn {
		settings := map[string]any{"visible": true}
		switch c.Type {
		case "foxglove.PointCloud":
			settings["pointSize"], settings["colorMode"] = 4, "colormap"
			settings["colorField"], settings["colorMap"] = "z", "turbo"
		case "foxglove.SceneUpdate":
		default:
			continue
		}
		topics[c.Topic] = settings
	}
	return panel{"3D!scene", map[string]any{
		"cameraState": map[string]any{"distance": 60, "perspective": true, "phi": 55,
			"thetaOffset": 90, "fovy": 45, "near": 0.5, "far": 5000, "target": []int{0, 0, 0},
			"targetOffset": []int{0, 0, 0}, "targetOrientation": []int{0, 0, 0, 1}},
		"followMode": "follow-pose", "followTf": Vehicle, "scene": map[string]any{},
		"transforms": map[string]any{}, "topics": topics,
		"layers": map[string]any{"grid": map[string]any{"layerId": "foxglove.Grid",
			"instanceId": "grid", "label": "Grid", "visible": true, "frameId": World, "size": 200,
			"divisions": 20, "lineWidth": 1, "color": "#248eff40", "position": []int{0, 0, 0},
			"rotation": []int{0, 0, 0}}},
		"publish": map[string]any{}, "imageMode": map[string]any{}}}
}

// speeds returns the paths of the speed plot: all objects of the first channel with a truth.
func speeds(source []*trace.Channel) []any {
	prefix := map[string]string{"osi3.GroundTruth": "", "osi3.SensorView": ".global_ground_truth"}
	k := slices.IndexFunc(source, func(c *trace.Channel) bool {
		_, truth := prefix[c.Type]
		return truth && c.IsOSI()
	})
	if k < 0 {
		return nil
	}
	c := source[k]
	var paths []any
	for _, axis := range []string{"x", "y"} {
		paths = append(paths, map[string]any{"enabled": true, "timestampMethod": "receiveTime",
			"value": quoted(c.Topic) + prefix[c.Type] + ".moving_object[0].base.velocity." + axis})
	}
	return paths
}

// quoted returns a topic for use in a message path, in quotes if it contains characters that are
// not allowed in names.
func quoted(topic string) string {
	for _, r := range topic {
		plain := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			r == '_' || r == '/' || r == '-'
		if !plain {
			text, _ := json.Marshal(topic) // never fails for a string
			return string(text)
		}
	}
	return topic
}
