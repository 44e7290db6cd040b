package experiment

import (
	"fmt"
	"slices"

	"gosmp/experiment/scxml"
)

// environment checks EX08.
func (r *reader) environment(e *scxml.Element) {
	r.known(e, "src", "model")
	env := Environment{Src: r.required(e, "src", "EX08"), Position: e.Position}
	env.Simulator, _ = ownAttr(e, "simulator")
	if model, given := e.Attr("model"); given {
		env.Model = model
		r.deviates("EX21", e.At("model"),
			"the attribute model of <environmentModel> is used in practice, but the schema "+
				"does not define it", "remove it if the file has to follow the schema")
	}
	seen, standard := map[string]bool{}, 0
	for _, p := range e.Elements() {
		own := p.Space == NamespaceOwn
		if p.Name != "robotPose" || p.Space != r.space && !own {
			if !r.misnamed("EX08", p, "robotPose") {
				r.unexpected("EX08", []*scxml.Element{p})
			}
			continue
		}
		pose := r.robotPose(p, "EX08")
		if pose.Own = own; !own {
			standard++
		}
		if seen[pose.Robot] {
			r.broken("EX08", p.Position, fmt.Sprintf("two robots have the robotId %q", pose.Robot),
				"give each its own")
		}
		seen[pose.Robot] = true
		env.Poses = append(env.Poses, pose)
	}
	if standard != 1 && !IsScenario(env.Src) {
		r.deviates("EX08", e.Position,
			fmt.Sprintf("<environmentModel> has %d <robotPose>, expected one", standard),
			"give it one if the file has to follow the schema")
	}
	r.d.Environment = env
}

var angles = []string{"roll", "pitch", "yaw"}

// robotPose reads a position with an orientation, in the schema's form or the old one.
func (r *reader) robotPose(e *scxml.Element, id string) RobotPose {
	p := RobotPose{Position: e.Position}
	xyz := r.numbers(e, id, "x", "y", "z")
	p.X, p.Y, p.Z = xyz[0], xyz[1], xyz[2]
	if robot, given := ownAttr(e, "robotId"); given {
		p.Robot, p.OwnName = robot, true
	} else if robot, given := e.Attr("robotId"); given && e.Space == NamespaceOwn {
		p.Robot = robot
	} else if given {
		p.Robot = robot
		r.deviates("EX21", e.At("robotId"),
			fmt.Sprintf(
				"the attribute robotId of <%s> is used in practice, but the schema "+
					"does not define it", e.Name), "remove it if the file has to follow the schema")
	}
	if _, old := e.Attr("theta"); old {
		q := r.numbers(e, id, "ux", "uy", "uz", "theta")
		p.Axis = &[4]float64{q[0], q[1], q[2], q[3]}
		r.deviates(id, e.At("theta"),
			fmt.Sprintf(
				"<%s> gives its orientation as ux, uy, uz and theta, expected roll, pitch and yaw",
				e.Name), "write angles in rad")
	}
	given := slices.ContainsFunc(angles, func(name string) bool {
		_, ok := e.Attr(name)
		return ok
	})
	if p.Axis == nil && !given {
		r.deviates(id, e.Position, fmt.Sprintf("<%s> has no roll, pitch and yaw; they are 0",
			e.Name), "add them")
	}
	if given {
		rpy := r.numbers(e, id, angles...)
		p.Roll, p.Pitch, p.Yaw, p.Angles = rpy[0], rpy[1], rpy[2], true
	}
	r.known(e, "x", "y", "z", "roll", "pitch", "yaw", "robotId", "ux", "uy", "uz", "theta")
	return p
}

// camera checks EX16.
func (r *reader) camera(e *scxml.Element) {
	found, others := r.children(e, "cameraPosition", "cameraLookAt")
	r.unexpected("EX16", others)
	c := &Camera{}
	for i, name := range []string{"cameraPosition", "cameraLookAt"} {
		to := []*[3]float64{&c.From, &c.At}[i]
		if len(found[name]) != 1 {
			r.deviates("EX16", e.Position, fmt.Sprintf("<cameraPose> has %d <%s>, expected one",
				len(found[name]), name), "give it one")
		}
		if len(found[name]) > 0 {
			r.known(found[name][0], "x", "y", "z")
			copy(to[:], r.numbers(found[name][0], "EX16", "x", "y", "z"))
		}
	}
	r.d.Camera = c
}

func (r *reader) bridge(e *scxml.Element) {
	b := &Bridge{}
	names := []string{"pose_update_delta_translation", "pose_update_delta_rotation",
		"pose_update_early_threshold"}
	found, others := r.children(e, names...)
	r.unexpected("EX21", others)
	for i, to := range []*string{&b.Translation, &b.Rotation, &b.Early} {
		if list := found[names[i]]; len(list) > 0 {
			*to = text(list[0])
		}
	}
	r.d.Bridge = b
}
