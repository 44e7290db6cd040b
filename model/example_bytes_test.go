package model_test

import (
	"errors"
	"fmt"

	"gosmp/fmi"
	"gosmp/model"
	"gosmp/model/modeltest"
	"gosmp/osmp"
	"gosmp/timebase"
)

// frame returns a kind defined by the author: OSMP permits binary variables with any MIME type.
func frame(causality fmi.Causality, prefix string) osmp.Kind {
	return osmp.Kind{Prefix: prefix, MIMEType: "application/x-frame", Causality: causality,
		Description: "a frame of pixels"}
}

// inverter inverts the pixels of a frame.
type inverter struct {
	model.Stateless

	in  *model.Input
	out *model.Output
}

func newInverter(d *model.Declaration) model.Model {
	return &inverter{in: d.Input(frame(fmi.Input, "FrameIn")),
		out: d.Output(frame(fmi.Output, "FrameOut"))}
}

func (i *inverter) Setup(model.Environment) error { return nil }

func (i *inverter) Step(timebase.Span) error {
	pixels := i.in.Bytes() // the host's memory: read it now and keep nothing
	if len(pixels) > 4 {
		i.in.Reject(errors.New("a frame has at most 4 pixels"))
		return nil // publishing nothing means "no data"
	}
	turned := i.out.Buffer() // the FMU's memory: appending to it avoids a copy
	for _, p := range pixels {
		turned = append(turned, 255-p)
	}
	return i.out.Publish(turned)
}

// Write a model that uses bytes instead of messages. Nothing is decoded, copied or allocated.
func ExampleOutput_Publish() {
	rig := modeltest.New(printer{}, model.Definition{Identifier: "Inverter", New: newInverter})
	rig.Start()
	rig.Write("FrameIn", []byte{0, 1, 255})
	fmt.Printf("%v %v\n", rig.TryStep(0.02), rig.Read("FrameOut"))
	rig.Write("FrameIn", make([]byte, 5))
	fmt.Printf("%v %v\n", rig.TryStep(0.02), rig.Read("FrameOut"))
	fmt.Println(rig.Log()[0])
	// Output:
	// fmi2OK [255 254 0]
	// fmi2Warning []
	// fmi2DoStep: FrameIn: 5 bytes that cannot be used: a frame has at most 4 pixels; the step continues without them, and later ones are not reported
}
