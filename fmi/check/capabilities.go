package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gosmp/fmi"
	"gosmp/fmi/archive"
	"gosmp/internal/fault"
	"gosmp/internal/xmldoc"
)

// capabilities checks interface flags that depend on each other (C1, C3 to C5).
func (x *examiner) capabilities() {
	for k := range x.model.Interfaces {
		i := &x.model.Interfaces[k]
		n := x.root.Child(string(i.Kind))
		if x.major == fmi.FMI1 {
			n = x.root
		}
		for _, state := range []string{"FMUstate", "FMUState"} {
			if i.Capabilities.Has("canSerialize"+state) &&
				!i.Capabilities.Has("canGetAndSet"+state) {
				x.error("C1", x.at(n), fact{what: "canSerialize" + state + " without canGetAndSet" +
					state,
					expected: "both", remedy: "a state has to be obtained before it is serialized"})
			}
		}
		if i.Capabilities.Has("needsExecutionTool") {
			x.remark("C2", x.at(n), fact{what: "the FMU needs a tool to run",
				found:  orNothingText(x.model.GenerationTool),
				remedy: "name it in the documentation"})
		}
		for _, flag := range []string{"canRunAsynchronuously", "canInterpolateInputs"} {
			if i.Capabilities.Has(flag) {
				x.remark("C3", x.at(n), fact{what: flag, remedy: "few hosts support it"})
			}
		}
		if x.major == fmi.FMI3 {
			x.capabilities3(i, n)
		}
	}
	if x.major == fmi.FMI3 {
		x.clocks()
		x.updates()
	}
}

func orNothingText(text string) string { return pick(text == "", "no generationTool", text) }

// capabilities3 checks flags that FMI 3.0 added.
func (x *examiner) capabilities3(i *archive.Interface, n *xmldoc.Node) {
	has := i.Capabilities.Has
	if has("canReturnEarlyAfterIntermediateUpdate") && !has("providesIntermediateUpdate") {
		x.error("C1", x.at(n), fact{
			what:     "canReturnEarlyAfterIntermediateUpdate without providesIntermediateUpdate",
			expected: "both"})
	}
	if inner, is := numeric(fmi.Float64, n.Value("fixedInternalStepSize")); is && inner <= 0 {
		x.error("C1", x.at(n), fact{what: "fixedInternalStepSize", found: number(inner),
			expected: "more than 0"})
	}
	array := func(v *variable) bool { return len(v.Dimensions) > 0 }
	if has("providesPerElementDependencies") && !slices.ContainsFunc(x.variables, array) {
		x.error("C1", x.at(n), fact{what: "providesPerElementDependencies without arrays",
			remedy: "leave the flag out: the functions are for elements of arrays"})
	}
	if has("mightReturnEarlyFromDoStep") && !has("canHandleVariableCommunicationStepSize") {
		x.warn("C5", x.at(n), fact{
			what:     "mightReturnEarlyFromDoStep without canHandleVariableCommunicationStepSize",
			expected: "both", remedy: "after an early return, the next step has a different size"})
	}
}

// clocks checks the clocks of the model (C4).
func (x *examiner) clocks() {
	cs := x.model.Interface(fmi.CoSimulation)
	for _, v := range x.variables {
		if v.Type != fmi.Clock {
			continue
		}
		if cs != nil && !cs.Capabilities.Has("hasEventMode") {
			x.error("C4", x.at(v.node), fact{what: "a Clock in an FMU without Event Mode",
				found:    `CoSimulation without hasEventMode="true"`,
				expected: "Event Mode, in which clocks tick", remedy: `set hasEventMode="true"`})
			cs = nil // one finding per cause
		}
		x.interval(v)
	}
}

// interval checks that the attributes of a clock fit its kind.
func (x *examiner) interval(v *variable) {
	place := x.at(v.node)
	kind := v.IntervalVariability
	_, decimal := v.typed.Attribute("intervalDecimal")
	_, counter := v.typed.Attribute("intervalCounter")
	article := map[fmi.Causality]string{fmi.Output: "an", fmi.Local: "a"}[v.Causality]
	if article != "" && kind != "" && kind != "triggered" {
		x.error("C4", place, fact{what: fmt.Sprintf("%s %s Clock with intervalVariability %s",
			article, v.Causality, kind), expected: "triggered",
			remedy: "a time-based Clock is an input, because the importer lets it tick"})
	}
	if _, prior := v.typed.Attribute("priority"); prior && v.Causality == fmi.Output {
		x.error("C4", place, fact{what: "priority of an output Clock", expected: "none",
			remedy: "the FMU decides when it ticks"})
	}
	switch kind {
	case "constant":
		if v.Timing != nil && v.Timing.Interval == nil && v.Timing.IntervalCounter == 0 {
			x.error("C4", place, fact{what: "a Clock with intervalVariability " + kind,
				found:    "no interval",
				expected: "intervalDecimal, or intervalCounter and resolution"})
			return
		}
	case "triggered", "changing", "countdown":
		if decimal || counter {
			x.error("C4", place, fact{what: "interval of a Clock with intervalVariability " + kind,
				expected: "none", remedy: "omit intervalDecimal and intervalCounter"})
			return
		}
	}
	if v.Timing != nil {
		x.timing(v, place, counter || v.Timing.IntervalCounter > 0)
	}
}

// timing checks the interval and the shift of a periodic clock. counter reports whether the clock
// or its type has an intervalCounter.
func (x *examiner) timing(v *variable, place fault.Place, counter bool) {
	kind, t := v.IntervalVariability, v.Timing
	if t.Interval != nil && *t.Interval <= 0 && (kind == "constant" || kind == "fixed" ||
		kind == "tunable") {
		x.error("C4", place, fact{what: "intervalDecimal", found: number(*t.Interval),
			expected: "more than 0"})
	}
	switch {
	case counter && t.Resolution == 0:
		x.error("C4", place, fact{what: "intervalCounter without resolution", expected: "both",
			remedy: "the interval is intervalCounter / resolution"})
	case t.SupportsFraction && t.Resolution == 0:
		x.error("C4", place, fact{what: "supportsFraction without resolution", expected: "both"})
	case counter && t.IntervalCounter == 0:
		x.error("C4", place, fact{what: "intervalCounter", found: "0", expected: "more than 0"})
	}
	x.fractions(v, place)
	if _, shifted := v.typed.Attribute("shiftCounter"); shifted && !counter {
		x.error("C4", place, fact{what: "shiftCounter without intervalCounter", expected: "both"})
	}
	_, shifted := v.typed.Attribute("shiftDecimal")
	switch {
	case shifted && t.Interval == nil:
		x.error("C4", place, fact{what: "shiftDecimal without intervalDecimal", expected: "both"})
	case t.Shift < 0:
		x.error("C4", place, fact{what: "shiftDecimal", found: number(t.Shift),
			expected: "0 or more"})
	}
}

// fractions checks that the numbers of a clock and its fractions agree.
func (x *examiner) fractions(v *variable, place fault.Place) {
	t := v.Timing
	if t.Resolution == 0 || t.IntervalCounter == 0 || t.Interval == nil || *t.Interval <= 0 {
		return
	}
	resolution := float64(t.Resolution)
	interval := float64(t.IntervalCounter) / resolution
	text, _ := v.typed.Attribute("intervalDecimal")
	if !rounds(text, *t.Interval, interval, *t.Interval) {
		x.error("C4", place, fact{what: "intervalCounter / resolution", found: number(interval),
			expected: "intervalDecimal, " + number(*t.Interval)})
		return // the shift has the same resolution
	}
	shift := float64(t.ShiftCounter) / resolution
	text, _ = v.typed.Attribute("shiftDecimal")
	if !rounds(text, t.Shift, shift, *t.Interval) {
		x.error("C4", place, fact{what: "shiftCounter / resolution", found: number(shift),
			expected: "shiftDecimal, " + number(t.Shift)})
	}
}

// rounds reports whether a decimal number is an exact one, rounded to the digits that its text has.
// It may also be cut off after them if this changes little, compared with the interval of a clock.
func rounds(text string, decimal, exact, interval float64) bool {
	const single, cut = 1e-6, 1e-4 // single: exporters compute with 32 bits
	deviation, unit := math.Abs(exact-decimal), 0.0
	if decimal != 0 {
		unit = lastPlace(text)
	}
	return deviation <= max(single*interval, 0.501*unit, min(unit, cut*interval))
}

// lastPlace returns the unit of the last written place of a decimal number, for example 0.01 for
// 2.50, and 0 if no place is written.
func lastPlace(text string) float64 {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(strings.TrimSpace(text)), "e")
	power, err := strconv.Atoi(cmp.Or(exponent, "0"))
	if err != nil {
		return 0
	}
	_, places, _ := strings.Cut(mantissa, ".")
	return math.Pow10(power - len(places))
}

// updates checks that no variable promises intermediate updates that the FMU does not support (C5).
func (x *examiner) updates() {
	cs := x.model.Interface(fmi.CoSimulation)
	if cs == nil || cs.Capabilities.Has("providesIntermediateUpdate") {
		return
	}
	var names []string
	var first *variable
	for _, v := range x.variables {
		if update,
			_ := fmi.ParseBoolean(strings.TrimSpace(v.node.Value("intermediateUpdate"))); update {
			if names = append(names, v.Name); first == nil {
				first = v
			}
		}
	}
	if first != nil {
		x.warn("C5", x.at(first.node), fact{what: fmt.Sprintf("intermediateUpdate of %s",
			listed(names)),
			found: "CoSimulation without providesIntermediateUpdate", expected: "both"})
	}
}
