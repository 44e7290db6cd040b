package osifile

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gosmp/internal/fault"
	"gosmp/proto/field"
	"gosmp/proto/wire"
)

// ErrName reports a file name that does not follow OSI's recommendation.
var ErrName = errors.New("not a name of an OSI trace file")

// ProtobufVersion is the protobuf release stated in the names and metadata of traces: the release
// of the Go module that go.mod names. It is a constant because the core of an FMU does not link
// protobuf.
const ProtobufVersion = "1.36.12"

// Type is a top-level OSI message.
type Type struct {
	Short     string      // in names: "sv"
	Message   string      // "SensorView"
	Timestamp wire.Number // number of its timestamp field, 0 if it has none
}

// Types are the top-level messages that can be the content of a trace file, and "multi" for files
// of several channels.
var Types = []Type{
	{"sv", "SensorView", field.SensorViewTimestamp}, {"svc", "SensorViewConfiguration", 0},
	{"gt", "GroundTruth", field.GroundTruthTimestamp}, {"hvd", "HostVehicleData",
		field.HostVehicleDataTimestamp},
	{"sd", "SensorData", field.SensorDataTimestamp}, {"tc", "TrafficCommand",
		field.TrafficCommandTimestamp},
	{"tcu", "TrafficCommandUpdate", field.TrafficCommandUpdateTimestamp}, {"tu", "TrafficUpdate",
		field.TrafficUpdateTimestamp},
	{"mr", "MotionRequest", field.MotionRequestTimestamp}, {"su", "StreamingUpdate",
		field.StreamingUpdateTimestamp}, {"multi", "", 0},
}

// TypeOf returns the type for a name such as "SensorView" or "sv"; ok is false for other names.
func TypeOf(name string) (t Type, ok bool) {
	k := slices.IndexFunc(Types, func(t Type) bool {
		return name != "" && (t.Short == name || t.Message == name)
	})
	if k < 0 {
		return Type{}, false
	}
	return Types[k], true
}

// Name holds the parts of the name of a trace file (OSI 3.8.0, "OSI trace file naming
// conventions"): <time>_<type>_<OSI version>_<protobuf version>_<frames>_<custom>.<extension>.
type Name struct {
	Time      time.Time // UTC, to the second
	Type      Type
	OSI       string // version without dots; "370" is 3.7.0
	Protobuf  string // version without dots, which is ambiguous
	Frames    int
	Custom    string // may be empty, may contain underscores
	Extension string // osi, txth or mcap

	// Part marks a file that is still being written, or whose recorder was killed: .part precedes
	// the extension, and Frames has no meaning.
	Part bool
}

const partMark = ".part"

const timeLayout = "20060102T150405Z"

// ParseName parses a file name and ignores the folders before it. It fails with [ErrName] for names
// that do not follow the convention, which is a recommendation.
func ParseName(path string) (Name, error) {
	base := filepath.Base(path)
	extension := filepath.Ext(base)
	stem, part := strings.CutSuffix(strings.TrimSuffix(base, extension), partMark)
	parts := strings.SplitN(stem, "_", 6)
	refuse := func(found, expected string) (Name, error) {
		return Name{}, fault.New(ErrName, fault.In(path), found, expected)
	}
	if len(parts) < 5 {
		return refuse(fmt.Sprintf("%d parts", len(parts)),
			"<time>_<type>_<OSI version>_<protobuf version>_<frames>")
	}
	n := Name{OSI: parts[2], Protobuf: parts[3], Extension: strings.TrimPrefix(extension, "."),
		Part: part}
	var err error
	if n.Time, err = time.Parse(timeLayout, parts[0]); err != nil {
		return refuse(fmt.Sprintf("time %q", parts[0]), "a time like 20210818T150542Z")
	}
	var ok bool
	if n.Type, ok = TypeOf(parts[1]); !ok || n.Type.Short != parts[1] {
		return refuse(fmt.Sprintf("type %q", parts[1]),
			"sv, svc, gt, hvd, sd, tc, tcu, tu, mr, su or multi")
	}
	for _, version := range parts[2:4] {
		if _, err := strconv.ParseUint(version, 10, 64); err != nil {
			return refuse(fmt.Sprintf("version %q", version), "a version without dots")
		}
	}
	if n.Frames, err = strconv.Atoi(parts[4]); err != nil || n.Frames < 0 {
		return refuse(fmt.Sprintf("%q frames", parts[4]), "the number of messages")
	}
	if len(parts) == 6 {
		n.Custom = parts[5]
	}
	return n, nil
}

// String returns the name of the file.
func (n Name) String() string {
	text := strings.Join([]string{n.Time.UTC().Format(timeLayout), n.Type.Short, n.OSI, n.Protobuf,
		strconv.Itoa(n.Frames)}, "_")
	if n.Custom != "" {
		text += "_" + n.Custom
	}
	if n.Part {
		text += partMark
	}
	return text + "." + n.Extension
}

// Digits returns a version without its dots, as used in names.
func Digits(version string) string { return strings.ReplaceAll(version, ".", "") }
