package run

import (
	"reflect"
	"strings"

	"gosmp/bridge"
	"gosmp/run/fileuse"
)

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

// FileRoles returns the roles of the options with texts, by the names of the flags and arguments on
// the command line. There, a file for a variable follows its name, as in NAME=FILE.
func FileRoles() map[string]fileuse.Role {
	named := map[fileuse.Role]fileuse.Role{fileuse.In: fileuse.NamedIn,
		fileuse.Out: fileuse.NamedOut}
	all, options := map[string]fileuse.Role{}, reflect.TypeFor[Options]()
	for _, r := range fileRoles {
		role := r.role
		f, _ := options.FieldByName(r.field)
		if n, is := named[role]; is && f.Type == reflect.TypeFor[[]Assignment]() {
			role = n
		}
		all[strings.Trim(r.option, "-<>")] = role
	}
	return all
}

// WritesFiles reports whether options name files to write.
func (o *Options) WritesFiles() bool { return o.fileUse().Writes() }

// checkFiles refuses outputs that would overwrite inputs, and outputs that cannot be created.
func (o *Options) checkFiles() error {
	if o.FilesChecked {
		return nil
	}
	return o.fileUse().Check()
}

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

// RecordingOf returns the file to which a bridge with this configuration records, or "".
func RecordingOf(file string) string {
	if file == "" {
		return ""
	}
	config, err := bridge.ReadConfig(file)
	if err != nil {
		return "" // opening the bridge reports the error
	}
	return config.Transport.Path
}
