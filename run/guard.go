package run

import (
	"reflect"

	"gosmp/bridge"
	"gosmp/run/fileuse"
)

// fileRoles say what a run does with the texts of its options, by field. A test compares the table
// with the fields, so that none is forgotten.
var fileRoles = []struct {
	field, option string
	role          fileuse.Role
}{
	{"Files", "<files>", fileuse.NamedIn},
	{"Library", "--library-path", fileuse.Library},
	{"StartValues", "--start-value", fileuse.ValueIn},
	{"Set", "--set", fileuse.ValueIn},
	{"InputFile", "--input-file", fileuse.In},
	{"InputMessages", "--input-messages", fileuse.In},
	{"ViewConfigs", "--sensor-view-config", fileuse.In},
	{"Drive", "--drive", fileuse.In},
	{"On", "--on", fileuse.In},
	{"SUT", "--sut", fileuse.In},
	{"Bridge", "--bridge", fileuse.In},
	{"Preload", "--preload", fileuse.In},
	{"InitialState", "--initial-fmu-state-file", fileuse.In},
	{"Events", "--events", fileuse.In},
	{"Resume", "--resume", fileuse.In},
	{"Require", "--require", fileuse.AtIn},

	{"OutputFile", "--output-file", fileuse.Out},
	{"Record", "--record", fileuse.Out},
	{"OutputMessages", "--output-messages", fileuse.Out},
	{"Plot", "--plot", fileuse.Out},
	{"Graph", "--graph", fileuse.Out},
	{"FinalState", "--final-fmu-state-file", fileuse.Out},
	{"Timeline", "--timeline", fileuse.Out},
	{"Report", "--report", fileuse.Out},
	{"JUnit", "--junit", fileuse.Out},
	{"Trajectories", "--trajectories", fileuse.Out},

	{"Connections", "--connect", fileuse.Text},
	{"Extrapolate", "--extrapolate", fileuse.Text},
	{"Variant", "--variant", fileuse.Text},
	{"ClockIntervals", "--clock-interval", fileuse.Text},
	{"OutputFormat", "--output-format", fileuse.Text},
	{"OutputVariables", "--output-variable", fileuse.Text},
	{"RecordOnly", "--record-only", fileuse.Text},
	{"Simulator", "--simulator", fileuse.Text},
	{"WorkDir", "--work-dir", fileuse.Text},
	{"LogCategories", "--log-category", fileuse.Text},
	{"StartFrom", "--start-from", fileuse.Text},
	{"Dismissed", "--dismissed", fileuse.Text},
	{"Map", "--map", fileuse.In},
}

// fileUse describes how the run uses files.
func (o *Options) fileUse() *fileuse.Use {
	u := &fileuse.Use{}
	all := reflect.ValueOf(o).Elem()
	for _, r := range fileRoles {
		u.Add(r.option, r.role, fileuse.Texts(all.FieldByName(r.field))...)
	}
	u.Add("--tls-cert", fileuse.In, o.Access.Certificate)
	u.Add("--tls-key", fileuse.In, o.Access.Key)
	u.Records("--bridge", RecordingOf(o.Bridge))
	return u
}

// checkFiles refuses outputs that would overwrite inputs, and outputs that cannot be created.
func (o *Options) checkFiles() error { return o.fileUse().Check() }

// fileUse describes how the test uses files.
func (c *TestOptions) fileUse() *fileuse.Use {
	u := &fileuse.Use{Updating: c.Update}
	u.Add("<fmu>", fileuse.NamedIn, c.FMU)
	u.Add("--trace", fileuse.In, c.Trace)
	u.Add("--start-value", fileuse.ValueIn, fileuse.Texts(reflect.ValueOf(c.StartValues))...)
	u.Add("--record", fileuse.Out, c.Record)
	for _, name := range c.Expect {
		if isConditions(name) {
			u.Add("--expect", fileuse.In, name)
		} else {
			u.Add("--expect", fileuse.InOut, name)
		}
	}
	return u
}

// RecordingOf is the file that the bridge of a configuration records, or "".
func RecordingOf(file string) string {
	if file == "" {
		return ""
	}
	config, err := bridge.ReadConfig(file)
	if err != nil {
		return "" // whoever opens the bridge reports it
	}
	return config.Transport.Path
}
