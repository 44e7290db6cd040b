package foxglove

import (
	"gosmp/frames"
	"gosmp/internal/portable"
	"gosmp/proto/foxglove"
	"gosmp/proto/osi3"
)

func rgb(hex uint32, alpha float64) *foxglove.Color {
	part := func(shift uint) float64 { return float64(hex>>shift&0xff) / 255 }
	return &foxglove.Color{R: part(16), G: part(8), B: part(0), A: alpha}
}

// Colors of drawn objects.
var (
	hostColor        = rgb(0x1f77d0, 0.9)
	vehicleColor     = rgb(0x8d9db0, 0.9)
	pedestrianColor  = rgb(0xf2a03d, 0.9)
	cyclistColor     = rgb(0x9b6fd6, 0.9)
	animalColor      = rgb(0x8a6d3b, 0.9)
	stationaryColor  = rgb(0x6b7580, 0.55)
	detectedColor    = rgb(0xe5484d, 0.45)
	detectedFixed    = rgb(0xd98324, 0.45)
	arrowColor       = rgb(0x35c26b, 0.95)
	labelColor       = rgb(0xffffff, 1)
	signColor        = rgb(0xe8e8e8, 0.9)
	centerLineColor  = rgb(0x4a90d9, 0.35)
	detectedLine     = rgb(0xff6b6b, 0.9)
	ultrasonicColor  = rgb(0x2ec4c4, 0.8)
	unknownLineColor = rgb(0xb0b8c0, 0.9)
)

func vector(v *osi3.Vector3D) frames.Vector {
	return frames.Vector{X: v.GetX(), Y: v.GetY(), Z: v.GetZ()}
}

func orientation(o *osi3.Orientation3D) frames.Orientation {
	return frames.Orientation{Roll: o.GetRoll(), Pitch: o.GetPitch(), Yaw: o.GetYaw()}
}

func mountOf(m *osi3.MountingPosition) frames.Pose {
	return frames.Pose{Position: vector(m.GetPosition()),
		Orientation: orientation(m.GetOrientation())}
}

// within transforms a pose from the frame of another pose to the parent of that frame.
func within(mount frames.Pose, at frames.Vector, o frames.Orientation) frames.Pose {
	r, child := mount.Orientation.Rotation(), o.Rotation()
	whole := r.Compose(&child)
	return frames.Pose{Position: r.Apply(at).Add(mount.Position),
		Orientation: whole.Orientation()}
}

func xyz(v frames.Vector) *foxglove.Vector3 { return &foxglove.Vector3{X: v.X, Y: v.Y, Z: v.Z} }

func point(v frames.Vector) *foxglove.Point3 { return &foxglove.Point3{X: v.X, Y: v.Y, Z: v.Z} }

func poseOf(p frames.Pose) *foxglove.Pose {
	x, y, z, w := p.Orientation.Quaternion()
	return &foxglove.Pose{Position: xyz(p.Position),
		Orientation: &foxglove.Quaternion{X: x, Y: y, Z: z, W: w}}
}

// slowest is the speed in m/s below which viewers show an object as stationary.
const slowest = 0.05

// arrow returns an arrow to the position that a velocity in the axes of the frame reaches in one
// second, or nil if there is no velocity.
func arrow(from, velocity frames.Vector) []*foxglove.ArrowPrimitive {
	const head, thick = 0.6, 0.18 // m
	speed := velocity.Length()
	if speed < slowest {
		return nil
	}
	o := frames.Orientation{Yaw: portable.Atan2(velocity.Y, velocity.X),
		Pitch: -portable.Asin(velocity.Z / speed)}
	tip := min(head, speed/2)
	return []*foxglove.ArrowPrimitive{{Pose: poseOf(frames.Pose{Position: from, Orientation: o}),
		ShaftLength: speed - tip, ShaftDiameter: thick, HeadLength: tip, HeadDiameter: 3 * thick,
		Color: arrowColor}}
}

// label returns a text above a position.
func label(text string, at frames.Vector, height float64) []*foxglove.TextPrimitive {
	at.Z += height/2 + 0.6
	return []*foxglove.TextPrimitive{{Pose: poseOf(frames.Pose{Position: at}), Billboard: true,
		FontSize: 0.8, Color: labelColor, Text: text}}
}

// box draws the box of an object. An object without a size becomes a ball of half a meter.
func box(e *foxglove.SceneEntity, p frames.Pose, d *osi3.Dimension3D, c *foxglove.Color) {
	const small = 0.5 // m
	if d.GetLength() <= 0 && d.GetWidth() <= 0 && d.GetHeight() <= 0 {
		e.Spheres = append(e.Spheres, &foxglove.SpherePrimitive{Pose: poseOf(p),
			Size: &foxglove.Vector3{X: small, Y: small, Z: small}, Color: c})
		return
	}
	const flat = 0.05
	e.Cubes = append(e.Cubes, &foxglove.CubePrimitive{Pose: poseOf(p), Color: c,
		Size: &foxglove.Vector3{X: max(flat, d.GetLength()), Y: max(flat, d.GetWidth()),
			Z: max(flat, d.GetHeight())}})
}
