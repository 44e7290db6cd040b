package scaffold

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gosmp/internal/fault"
)

// Kind is a kind of model that can be generated.
type Kind struct {
	Name    string
	Article string // what the model is, with an article
	Does    string // a sentence
	Usual   int    // number of inputs unless the request sets it
	What    string // what an input is
	Gives   string // what an output is
	New     string // the function that creates the model
	OSMP    bool   // whether it has binary variables

	outputs func(inputs int) (least, most int)
}

func same(inputs int) (least, most int) { return inputs, inputs }
func one(int) (least, most int)         { return 1, 1 }
func upTo(inputs int) (least, most int) { return 1, inputs }

var kinds = []Kind{
	{
		Name: "sensor", Article: "a sensor model", Usual: 1, What: "SensorView",
		Gives: "SensorData", New: "newSensor", OSMP: true,
		Does: "It detects the moving objects of its SensorViews within a range and " +
			"passes the views on.",
		outputs: upTo,
	},
	{
		Name: "logical", Article: "a logical model", Usual: 2, What: "SensorData",
		Gives: "SensorData", New: "newFusion", OSMP: true,
		Does:    "It merges the objects of several SensorData into one list in the vehicle frame.",
		outputs: one,
	},
	{
		Name: "environment", Article: "an environmental effect model", Usual: 1, What: "SensorView",
		Gives: "SensorView",
		New:   "newEffect", OSMP: true,
		Does:    "It removes objects beyond the visibility from a SensorView.",
		outputs: same,
	},
	{
		Name: "traffic", Article: "a traffic participant model", Usual: 1, What: "TrafficCommand",
		Gives: "TrafficUpdate",
		New:   "newTraffic", OSMP: true,
		Does:    "It moves vehicles at a set speed that TrafficCommands change.",
		outputs: same,
	},
	{
		Name: "plain", Article: "a model of plain numbers", Usual: 1, What: "Real", Gives: "Real",
		New:     "newLag",
		Does:    "Its outputs follow its inputs with a first-order lag.",
		outputs: same,
	},
}

// Kinds returns the kinds of models, the default first.
func Kinds() []Kind { return slices.Clone(kinds) }

// KindNamed returns the kind with the given name.
func KindNamed(name string) (Kind, error) {
	var names []string
	for _, k := range kinds {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Kind{}, fault.New(ErrUsage, fault.At("--kind"), strconv.Quote(name),
		strings.Join(names, ", "))
}

// mostInputs is the maximum number of inputs; a larger number is probably a typo.
const mostInputs = 99

// checkCounts compares the numbers of inputs and outputs with what the kind supports.
func (k Kind) checkCounts(inputs, outputs int) error {
	if inputs < 1 || inputs > mostInputs {
		return fault.New(ErrUsage, fault.At("--inputs"), fmt.Sprintf("%d inputs", inputs),
			fmt.Sprintf("1 to %d", mostInputs))
	}
	least, most := k.outputs(inputs)
	if least <= outputs && outputs <= most {
		return nil
	}
	expected := strconv.Itoa(least)
	if least < most {
		expected += fmt.Sprintf(" to %d", most)
	}
	expected += fmt.Sprintf(" for %s with %s", k.Article, counted(inputs, k.What+" input"))
	return fault.New(ErrUsage, fault.At("--outputs"), fmt.Sprintf("%d outputs", outputs), expected).
		WithHint("declare more in model.go")
}

// counted formats a number of things in words.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
