package experiment

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// XML writes the description as a document in the order of the schema. Reading it returns an equal
// description, apart from positions. Comments are not kept.
func (d *Description) XML() string {
	w := &writer{}
	w.WriteString(xml.Header)
	own := ""
	if d.Environment.Simulator != "" {
		own = attribute("xmlns:g", NamespaceOwn)
	}
	for _, p := range d.Environment.Poses {
		if p.Own || p.OwnName {
			own = attribute("xmlns:g", NamespaceOwn)
		}
	}
	w.line(0, `<ExD xmlns="`+Namespace+`" xmlns:xsi="`+namespaceXSI+`"`+own+`>`)
	w.element(1, "name", d.Name)
	w.element(1, "thumbnail", d.Thumbnail)
	w.element(1, "description", d.Text)
	w.optional(1, "tags", d.Tags)
	if t := d.Timeout; t != nil {
		w.line(1, "<timeout"+attribute("time", t.Clock)+">"+number(t.Seconds)+"</timeout>")
	}
	for _, c := range d.Configurations {
		w.line(1, "<configuration"+attribute("type", c.Type)+attribute("src", c.Src)+"/>")
	}
	w.optional(1, "maturity", d.Maturity)
	w.environment(&d.Environment)
	w.models(d)
	w.machines("experimentControl", d.Control)
	w.machines("experimentEvaluation", d.Evaluation)
	w.settings(d)
	for _, e := range d.Extra {
		w.line(1, e.XMLWithin(Namespace))
	}
	w.line(0, "</ExD>")
	return w.String()
}

type writer struct{ strings.Builder }

func (w *writer) line(depth int, text string) {
	w.WriteString(strings.Repeat("  ", depth))
	w.WriteString(text)
	w.WriteByte('\n')
}

func (w *writer) element(depth int, name, text string) {
	w.line(depth, "<"+name+">"+escape(text)+"</"+name+">")
}

func (w *writer) optional(depth int, name, text string) {
	if text != "" {
		w.element(depth, name, text)
	}
}

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a strings.Builder never fails
	return b.String()
}

// attribute returns an attribute preceded by a space, or nothing if the value is empty.
func attribute(name, value string) string {
	if value == "" {
		return ""
	}
	return " " + name + `="` + escape(value) + `"`
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func numbers(names []string, values ...float64) (text string) {
	for i, name := range names {
		text += attribute(name, number(values[i]))
	}
	return text
}

func (p *Pose) attributes() string {
	text := numbers([]string{"x", "y", "z"}, p.X, p.Y, p.Z)
	if p.Angles {
		text += numbers(angles, p.Roll, p.Pitch, p.Yaw)
	}
	return text
}

func (w *writer) environment(e *Environment) {
	w.line(1, "<environmentModel"+attribute("src", e.Src)+attribute("model", e.Model)+
		attribute("g:simulator", e.Simulator)+">")
	for _, p := range e.Poses {
		element, name := "<robotPose", "robotId"
		if p.Own {
			element = "<g:robotPose"
		}
		if p.OwnName {
			name = "g:robotId"
		}
		text := element + attribute(name, p.Robot) + p.attributes()
		if p.Axis != nil {
			text += numbers([]string{"ux", "uy", "uz", "theta"}, p.Axis[:]...)
		}
		w.line(2, text+"/>")
	}
	w.line(1, "</environmentModel>")
}

func (w *writer) models(d *Description) {
	if v := d.Visual; v != nil {
		scale := ""
		if v.Scale != nil {
			scale = attribute("scale", number(*v.Scale))
		}
		w.line(1, "<visualModel"+attribute("src", v.Src)+scale+">")
		w.line(2, "<visualPose"+v.Pose.attributes()+"/>")
		w.line(1, "</visualModel>")
	}
	if s := d.Skin; s != nil {
		w.line(1, "<skinModel"+attribute("src", s.Src)+attribute("visual", s.Visual)+"/>")
	}
	processes := ""
	if d.BIBI.given || d.BIBI.Processes > 1 {
		processes = attribute("processes", strconv.Itoa(d.BIBI.Processes))
	}
	w.line(1, "<bibiConf"+attribute("src", d.BIBI.Src)+processes+"/>")
}

func (w *writer) machines(name string, list []Machine) {
	if len(list) == 0 {
		return
	}
	w.line(1, "<"+name+">")
	for _, m := range list {
		text := "<stateMachine" + attribute("id", m.ID) + attribute("xsi:type", string(m.Kind)) +
			attribute("src", m.Src)
		if m.Chart == nil {
			w.line(2, text+"/>")
		} else {
			w.line(2, text+">"+m.Chart.XMLWithin(Namespace)+"</stateMachine>")
		}
	}
	w.line(1, "</"+name+">")
}

func (w *writer) settings(d *Description) {
	if c := d.Camera; c != nil {
		w.line(1, "<cameraPose>")
		names := []string{"x", "y", "z"}
		w.line(2, "<cameraPosition"+numbers(names, c.From[:]...)+"/>")
		w.line(2, "<cameraLookAt"+numbers(names, c.At[:]...)+"/>")
		w.line(1, "</cameraPose>")
	}
	if d.Launch != nil {
		w.line(1, "<rosLaunch"+attribute("src", d.Launch.Src)+"/>")
	}
	if b := d.Bridge; b != nil {
		w.line(1, "<gzbridgesettings>")
		w.optional(2, "pose_update_delta_translation", b.Translation)
		w.optional(2, "pose_update_delta_rotation", b.Rotation)
		w.optional(2, "pose_update_early_threshold", b.Early)
		w.line(1, "</gzbridgesettings>")
	}
	if d.Seed != nil {
		w.element(1, "rngSeed", strconv.FormatUint(*d.Seed, 10))
	}
	w.optional(1, "physicsEngine", d.Physics)
	w.optional(1, "cloneDate", d.CloneDate)
}
