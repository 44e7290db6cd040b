package simsensor

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
)

// Kind is the sensor type of a row: column 1 of the file. Ids may go up to 64, because the reader
// uses one bit per id to record what it has reported, and the highest bit belongs to [End].
type Kind uint8

// The ids of the format. They are powers of two, but a row belongs to exactly one sensor.
const (
	End           Kind = 0
	Accelerometer Kind = 1
	Barometer     Kind = 2
	GPS           Kind = 4
	Gyroscope     Kind = 8
	Magnetometer  Kind = 16
	Thermometer   Kind = 32
)

const (
	kindCount = len(sensors)
	// MaxFields is the number of fields of the longest row, a GPS row of the documented layout.
	MaxFields = 19
)

// Positions in [Row.Fields] of the accelerometer in mm/s2, forward-right-down, specific force: at
// rest Z is about -9807.
const (
	AccelerometerX = iota
	AccelerometerY
	AccelerometerZ
)

// Positions in [Row.Fields] of the barometer.
const (
	BarometerPressure    = iota // Pa
	BarometerTemperature        // K
)

// Positions in [Row.Fields] of the GPS. Rows of the shipped 18-field layout are mapped to the same
// positions, without UTC.
const (
	GPSAltitude           = iota // mm above mean sea level
	GPSLatitude                  // nanodegrees
	GPSLongitude                 // nanodegrees
	GPSUTC                       // us; valid when [Row.HasUTC]
	GPSHDOP                      // horizontal dilution of precision, scale undocumented
	GPSVDOP                      // vertical dilution of precision, scale undocumented
	GPSEllipsoidAltitude         // mm
	GPSGroundSpeed               // mm/s
	GPSVelocityNorth             // mm/s
	GPSVelocityEast              // mm/s
	GPSVelocityDown              // mm/s
	GPSHorizontalAccuracy        // mm
	GPSVerticalAccuracy          // mm
	GPSVelocityAccuracy          // documented as mm, a speed in mm/s
	GPSHeading                   // mrad, clockwise from north
	GPSHeadingOffset             // mrad
	GPSHeadingAccuracy           // mrad
	GPSSatellites                // number used
	GPSFixQuality
)

// Positions in [Row.Fields] of the gyroscope.
const (
	GyroscopeX = iota // mrad/s
	GyroscopeY        // mrad/s
	GyroscopeZ        // mrad/s
	// urad since the recording driver started; the driver's counter wraps at 2^32.
	GyroscopeDeltaX
	GyroscopeDeltaY
	GyroscopeDeltaZ
)

// Positions in [Row.Fields] of the magnetometer, in 1e-7 T.
const (
	MagnetometerX = iota
	MagnetometerY
	MagnetometerZ
)

// ThermometerTemperature is the position in [Row.Fields] of the thermometer's only field, in K.
const ThermometerTemperature = 0

// Field describes one number of a row.
type Field struct {
	Name     string // in words, "velocity north"
	Unit     string // "mm/s"; empty for plain counts
	Min, Max int64  // values outside reject the row
}

// Ranges: the values of a signed or unsigned 32-bit integer, the widest that a Phoenix-RTOS sensor
// event stores for an ordinary field. Its reader would silently wrap others.
const (
	min32 = math.MinInt32
	max32 = math.MaxUint32
)

// sensors describes the sensors in the order of their ids: the first one has the id 1, and each
// other one has twice the previous id. To add a sensor, add a row here.
var sensors = [...]struct {
	name   string // in lower case
	driver string // of Phoenix-RTOS, with the suffix of simulated ones
	// the distances between rows that occur in recordings; they determine the unit of a file. The
	// upper limit is exclusive, so that few distances fit two units
	usual    limits
	possible limits  // outside these, the unit is reported as implausible
	fields   []Field // in the order of the file
}{
	{
		name: "accelerometer", driver: "accel_sim", usual: limits{100e-6, 0.5},
		possible: limits{50e-6, 1}, fields: []Field{
			{"acceleration X", "mm/s2", min32, max32},
			{"acceleration Y", "mm/s2", min32, max32},
			{"acceleration Z", "mm/s2", min32, max32},
		},
	},
	{
		name: "barometer", driver: "baro_sim", usual: limits{2e-3, 5}, possible: limits{1e-3, 20},
		fields: []Field{
			{"pressure", "Pa", 0, max32},
			{"temperature", "K", 0, max32},
		},
	},
	{
		name: "gps", driver: "gps_sim", usual: limits{10e-3, 10}, possible: limits{5e-3, 20},
		fields: []Field{
			{"altitude above mean sea level", "mm", min32, max32},
			{"latitude", "ndeg", -90e9, 90e9},
			{"longitude", "ndeg", -180e9, 180e9},
			{"UTC", "us", 0, math.MaxInt64},
			{"horizontal dilution of precision", "", 0, max32},
			{"vertical dilution of precision", "", 0, max32},
			{"altitude above ellipsoid", "mm", min32, max32},
			{"ground speed", "mm/s", min32, max32},
			{"velocity north", "mm/s", min32, max32},
			{"velocity east", "mm/s", min32, max32},
			{"velocity down", "mm/s", min32, max32},
			{"horizontal accuracy", "mm", 0, max32},
			{"vertical accuracy", "mm", 0, max32},
			{"velocity accuracy", "mm/s", 0, max32},
			{"heading", "mrad", min32, max32},
			{"heading offset", "mrad", min32, max32},
			{"heading accuracy", "mrad", 0, max32},
			{"number of used satellites", "", 0, math.MaxUint8},
			{"fix quality", "", 0, math.MaxUint8},
		},
	},
	{
		name: "gyroscope", driver: "gyro_sim", usual: limits{100e-6, 0.5},
		possible: limits{50e-6, 1}, fields: []Field{
			{"angular velocity X", "mrad/s", min32, max32},
			{"angular velocity Y", "mrad/s", min32, max32},
			{"angular velocity Z", "mrad/s", min32, max32},
			// No 32-bit limit: a recorder may or may not have undone the wrap at 2^32.
			{"delta angle X", "urad", math.MinInt64, math.MaxInt64},
			{"delta angle Y", "urad", math.MinInt64, math.MaxInt64},
			{"delta angle Z", "urad", math.MinInt64, math.MaxInt64},
		},
	},
	{
		name: "magnetometer", driver: "mag_sim", usual: limits{100e-6, 0.5},
		possible: limits{50e-6, 1}, fields: []Field{
			{"magnetic flux density X", "1e-7 T", min32, max32},
			{"magnetic flux density Y", "1e-7 T", min32, max32},
			{"magnetic flux density Z", "1e-7 T", min32, max32},
		},
	},
	{
		name: "thermometer", driver: "temp_sim", usual: limits{0.1, 100},
		possible: limits{1e-3, 300}, fields: []Field{
			{"temperature", "K", 0, max32},
		},
	},
}

// newer lists the sensors of newer Phoenix-RTOS systems, which the format does not describe, by id.
var newer = map[int64]string{
	64: "differential barometer", 128: "state of the position filter", 256: "sun sensor",
	512: "star tracker", 1024: "time-of-flight sensor", 2048: "optical flow sensor",
}

// Kinds returns the sensors in the order of their ids, the order of every report.
func Kinds() (all [kindCount]Kind) {
	for i := range all {
		all[i] = 1 << i
	}
	return all
}

// Sensor reports whether k is a sensor: a known id other than [End].
func (k Kind) Sensor() bool { return isSensor(int64(k)) }

func isSensor(id int64) bool { return id > 0 && id < 1<<kindCount && id&(id-1) == 0 }

// Index numbers the sensors from 0 in the order of [Kinds]; it is valid for sensors only.
func (k Kind) Index() int { return bits.TrailingZeros8(uint8(k)) }

// String returns the sensor's name in lower case, "gps", or "end"; an unknown id gives "kind 3".
func (k Kind) String() string {
	switch {
	case k == End:
		return "end"
	case k.Sensor():
		return sensors[k.Index()].name
	}
	return "kind " + strconv.Itoa(int(k))
}

// Fields describes the fields of a sensor's row in the order of the file, for GPS in the documented
// layout. The slice is shared and must not be changed; it is nil for [End] and unknown ids.
func (k Kind) Fields() []Field {
	if !k.Sensor() {
		return nil
	}
	return sensors[k.Index()].fields
}

// Row is one measurement, in the numbers of the file.
type Row struct {
	Kind   Kind
	Stamp  int64            // in units of the file
	Fields [MaxFields]int64 // by the position constants; those beyond the kind's own are 0
	// Present is the number of leading fields in the row itself; the others repeat the sensor's
	// last row. For GPS it is the layout: 19, or 18 when UTC is missing from the middle.
	Present int
	HasUTC  bool // of a GPS row: the layout is the one with UTC
	Held    bool // the stamp decreases, so the row is published at the time of its predecessor
	Line    int  // in the file, counted from 1
}

// AppendRow appends the row as one line of a file, with the fields that are present, and a line
// feed. A row of kind [End] is a bare 0.
func AppendRow(dst []byte, row *Row) []byte {
	dst = strconv.AppendUint(dst, uint64(row.Kind), 10)
	if row.Kind == End {
		return append(dst, '\n')
	}
	dst = append(dst, ',')
	dst = strconv.AppendInt(dst, row.Stamp, 10)
	noUTC := row.Kind == GPS && !row.HasUTC
	for i := range min(len(row.Kind.Fields()), row.Present+btoi(noUTC)) {
		if noUTC && i == GPSUTC {
			continue
		}
		dst = append(dst, ',')
		dst = strconv.AppendInt(dst, row.Fields[i], 10)
	}
	return append(dst, '\n')
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Header returns the first line of a file, with its line feed: the two mandatory names and as many
// field names as the longest row has.
func Header() string {
	h := "SensorID,Timestamp"
	for i := range MaxFields {
		h += fmt.Sprintf(",Field%d", i+1)
	}
	return h + "\n"
}
