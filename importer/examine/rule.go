package examine

import (
	"slices"
	"strings"

	"gosmp/internal/finding"
)

// Rule is a rule that an examination can prove or refute.
type Rule struct {
	ID       string // "FMI2-R9", "FMI3-R9" or "OSMP-D7"
	Says     string // the obligation of the FMU
	Clause   string // of the standard
	Severity finding.Severity
	Suffers  string // the consequence for users of a violation
}

// allRules is the table of all rules, in the order of reports. FMI rules are listed once for both
// versions; if a clause is empty, the rule applies only to the other version. docs/EXAMINATION.md
// has the same text.
var allRules = []struct {
	id, says   string
	fmi2, fmi3 string // clauses; empty if not in that standard
	osmp       string // clause of OSMP, whose id has no version
	severity   finding.Severity
	suffers    string
}{
	{"R1", "GetVersion and GetTypesPlatform return the values in the standard",
		"2.1.4", "2.2.2", "", finding.Error, "importers that refuse other versions"},
	{"R2", "a basic life cycle works: instantiate, initialize, step, read, terminate, free",
		"4.2.4", "4.2.1", "", finding.Error, "every importer"},
	{"R3", "FreeInstance works in every state where it is legal",
		"2.1.5", "2.2.3", "", finding.Error, "importers that end early"},
	{"R4", "a second life cycle in one process works, unless the FMU excludes it",
		"2.1.5", "2.2.3", "", finding.Error, "sweeps, test suites, graphical tools"},
	{"R5", "instances do not influence each other",
		"2.1.5", "2.2.3", "", finding.Error, "systems that use a model twice"},
	{"R6", "after Reset the FMU behaves as if newly instantiated",
		"2.1.6", "2.2.3", "", finding.Error, "tools that repeat runs"},
	{"R7", "calls work in different threads from the instantiation",
		"2.1.1", "2.2.1", "", finding.Warning, "importers with a thread pool"},
	{"R8", "FMU states can be taken, restored and freed",
		"2.1.8", "2.2.6.4", "", finding.Error, "importers that go back in time"},
	{"R9", "a restored state continues as the original did",
		"2.1.8", "2.2.6.4", "", finding.Error, "importers that go back in time"},
	{"R10", "a serialized state continues in another process as the original did",
		"2.1.8", "2.2.6.4", "", finding.Error, "importers that save runs"},
	{"R11", "two half steps give almost the same result as a whole one",
		"4.2.2", "4.2.1", "", finding.Note, "users who change the step size"},
	{"R12", "two processes compute the same results",
		"", "", "", finding.Warning, "users who need reproducible results"},
	{"R13", "initial unknowns depend only on their declared dependencies",
		"2.2.8", "2.4.8", "", finding.Error, "systems with loops"},
	{"R14", "directional derivatives match the differences of outputs",
		"2.1.9", "2.2.11", "", finding.Error, "importers that solve loops with them"},
	{"R15", "the library can be unloaded after the last instance, and loaded again",
		"2.1.5", "2.2.3", "", finding.Error, "tools that unload FMUs"},
	{"R16", "returned texts exist and are UTF-8",
		"2.1.7", "2.2.6.2", "", finding.Error, "every reader of texts"},
	{"R17", "texts and binaries passed to Set functions are not read after the call",
		"2.1.7", "2.2.6.2", "", finding.Error, "importers that reuse their memory"},
	{"R18", "the FMU works together with a copy of itself under a different name",
		"2.3", "2.5.1", "", finding.Warning, "systems with several FMUs of one tool"},
	{"R19", "after Terminate values can be read",
		"4.2.4", "4.2.1", "", finding.Error, "importers that read last values late"},
	{"R20", "values do not depend on how variables are grouped and ordered in calls",
		"2.1.7", "2.2.6.2", "", finding.Error, "importers that read or set single variables"},
	{"R21", "reading changes nothing",
		"2.1.7", "2.2.6.2", "", finding.Error, "importers that record other variables"},
	{"R22", "inputs and parameters keep the values that were set",
		"2.1.7", "2.2.6.2", "", finding.Error, "importers that record the values they set"},
	{"R23", "instances can step at the same time in different threads",
		"2.1.1", "2.2.1", "", finding.Warning, "importers that run models in parallel"},
	{"R24", "values do not depend on logging, visibility, saved states or a stop time",
		"", "", "", finding.Warning, "users who inspect a run"},
	{"R25", "of several values set before a step, the last one counts",
		"2.1.7", "2.2.6.2", "", finding.Warning, "importers that set inputs repeatedly"},
	{"R26", "outputs can be read in Initialization Mode",
		"4.2.4", "4.2.1", "", finding.Error, "systems with loops"},
	{"S1", "any start time is accepted; stop time and tolerance are optional",
		"2.1.6", "2.3.2", "", finding.Error, "importers that pass on user settings"},
	{"S2", "times of steps may be rounded in any way",
		"4.2.2", "4.2.1", "", finding.Error, "importers that multiply or add step sizes"},
	{"S3", "the last step may miss the stop time by a rounding error",
		"4.2.2", "4.2.1", "", finding.Warning, "importers that add step sizes"},
	{"S4", "if variable step sizes are declared, steps may differ in size",
		"4.3.1", "4.4.2", "", finding.Error, "importers with several rates"},
	{"S5", "a step returns early only if allowed",
		"", "4.2.1", "", finding.Error, "importers that do not handle early return"},
	{"S6", "statuses are defined by the standard, and output arguments are written",
		"2.1.3", "2.2.4", "", finding.Error, "every importer"},
	{"S7", "a discarded step reports how far it got, or changes nothing",
		"4.2.1", "2.2.4", "", finding.Error, "importers that try a shorter step"},
	{"S8", "event iterations are requested only in Event Mode, and end",
		"", "4.2.1", "", finding.Error, "importers with events"},
	{"S9", "neither steps nor Get calls become slower over time",
		"", "", "", finding.Warning, "long runs"},
	{"S10", "inputs at their limits and all items of enumerations are accepted",
		"2.2.7", "2.4.7", "", finding.Warning, "users who drive the model to its limits"},
	{"S11", "NaN inputs do not end the process",
		"", "", "", finding.Error, "systems where another model fails"},
	{"S12", "intermediate updates come in steps, in the order of time, and a requested early " +
		"return follows",
		"", "4.2.1", "", finding.Error, "importers that interpolate or locate events"},
	{"V20", "outputs stay between their minimum and maximum",
		"2.2.7", "2.4.7", "", finding.Warning, "receivers that rely on the limits"},
	{"V21", "parameters, inputs and constants keep their start values until they are set",
		"2.2.7", "2.4.7.4", "", finding.Error, "importers that set only changed values"},
	{"V22", "constants, fixed variables and variables set by the environment do not change",
		"2.2.7", "2.4.7.4", "", finding.Error, "importers that read them once"},
	{"V23", "the independent variable is the time of the communication point",
		"2.2.7", "2.4.7.4", "", finding.Error, "users who plot over time"},
	{"C6", "structural parameters can be changed in Configuration Mode, tunable ones between steps",
		"", "2.3.3", "", finding.Error, "users who set array sizes"},
	{"C7", "the FMU accepts derivatives of inputs and returns derivatives of outputs as declared",
		"4.2.1", "4.2.1", "", finding.Error, "importers that interpolate"},
	{"C8", "dependencies of single elements are returned as declared",
		"", "2.2.10", "", finding.Error, "importers that analyze arrays"},
	{"C9", "clocks have the declared intervals and shifts, with the qualifiers of the standard",
		"", "2.2.10", "", finding.Error, "importers that schedule clocks"},
	{"G1", "no messages are logged while logging is off",
		"2.1.5", "2.2.3", "", finding.Warning, "users who read logs"},
	{"G2", "message categories are declared",
		"2.2.4", "2.4.5", "", finding.Error, "importers that filter messages, or crash on NULL"},
	{"G3", "arguments of an instantiation are not read later",
		"2.1.5", "2.2.3", "", finding.Warning, "importers that free them"},
	{"G4", "a failing call logs a message, in UTF-8 and without a line end",
		"2.1.3", "2.2.4", "", finding.Warning, "users who look for the cause"},
	{"G5", "a freed instance logs no messages, nor does one without a logger",
		"2.1.5", "2.2.3", "", finding.Error, "importers that free their loggers"},
	{"G6", "messages carry the environment and the name given by the host",
		"2.1.5", "2.2.3", "", finding.Error, "importers that look up their own data"},
	{"G7", "logging can be switched off, and switched on for single categories",
		"2.1.5", "2.2.3", "", finding.Warning, "users who filter messages"},
	{"I1", "a function that is illegal in a state is refused",
		"4.2.4", "4.2.1", "", finding.Warning, "users of a faulty importer"},
	{"I2", "steps without length, backwards steps and steps that do not begin where the last one " +
		"ended are refused",
		"4.2.2", "4.2.1", "", finding.Warning, "users of a faulty importer"},
	{"I3", "a step beyond the stop time is refused",
		"2.1.6", "2.3.2", "", finding.Warning, "users who rely on the end of the data"},
	{"I4", "a different token, an empty name or a different type is refused",
		"2.1.5", "2.2.3", "", finding.Warning, "users who confuse two FMUs"},
	{"I5", "unknown value references, and variables that may not be set, are refused",
		"2.1.7", "2.2.6.2", "", finding.Error, "users of a faulty importer"},
	{"I6", "a wrong number of values is refused",
		"", "2.2.6.2", "", finding.Error, "users of a faulty importer"},
	{"I7", "after an error, the FMU can be reset and freed",
		"4.2.4", "4.2.1", "", finding.Warning, "importers that try again"},
	{"I8", "NULL for the instance or the resources, and unusual paths, do no harm",
		"2.1.5", "2.2.3", "", finding.Warning, "importers that clean up after failures"},
	{"I9", "a damaged serialized state is refused, or does no harm",
		"2.1.8", "2.2.6.4", "", finding.Warning, "users who store states in files"},
	{"I10", "long and unusual names, texts and paths do no harm",
		"", "", "", finding.Error, "users with long paths or names"},
	{"I11", "the usual environment variables are not needed",
		"", "", "", finding.Warning, "services and containers"},
	{"I12", "functions of undeclared features do no harm",
		"4.3.1", "4.4.2", "", finding.Warning, "importers that try out capabilities"},
	{"Q1", "memory and thread-specific data keys of life cycles and steps are released",
		"2.1.5", "2.2.3", "", finding.Warning, "sweeps and long runs"},
	{"Q2", "file descriptors are closed; semaphores, queues and shared memory are removed",
		"", "", "", finding.Warning, "sweeps"},
	{"Q3", "threads end",
		"", "", "", finding.Warning, "sweeps"},
	{"Q4", "child processes end",
		"", "", "", finding.Warning, "servers"},
	{"Q5", "files are written neither to the working directory nor into the FMU",
		"", "", "", finding.Warning, "several runs in one folder"},
	{"Q6", "process settings do not change",
		"2.1.1", "2.2.1", "", finding.Error, "the importer and all other models"},
	{"Q7", "floating-point settings do not change",
		"2.1.1", "2.2.1", "", finding.Error, "the importer and all other models"},
	{"Q8", "no memory beyond an array is read or written",
		"2.1.7", "2.2.6.2", "", finding.Error, "the memory of the importer"},
	{"Q9", "constant arrays are not written",
		"2.1.7", "2.2.6.2", "", finding.Error, "the memory of the importer"},
	{"Q10", "a small stack is enough",
		"", "", "", finding.Warning, "importers with many threads"},
	{"Q11", "no program is started, and no address or file is used except the FMU's own files",
		"", "", "", finding.Note, "services, containers, and users of third-party FMUs"},
	{"Q12", "the host's memory functions and stepFinished are used as declared",
		"2.1.5", "", "", finding.Error,
		"importers without them, or with their own memory management"},
	{"OSMP-P6", "the model runs with nothing connected",
		"", "", "Model types", finding.Error, "users who try out the model"},
	{"OSMP-B8", "an address or size of 0 means no data",
		"", "", "Binary variables", finding.Error, "every step without data"},
	{"OSMP-V5", "messages of all OSI versions, including empty and large ones, are accepted",
		"", "", "Sensor view inputs", finding.Error, "users who connect a different producer"},
	{"OSMP-V7", "inputs are read only in DoStep",
		"", "", "Sensor view inputs", finding.Error, "producers that reuse their buffer"},
	{"OSMP-V8", "inputs are not written, and not read beyond their end",
		"", "", "Binary variables", finding.Error, "producers and other receivers"},
	{"OSMP-D5", "outputs decode as their declared message",
		"", "", "Sensor data outputs", finding.Error, "every receiver"},
	{"OSMP-D6", "valid and count agree with the message",
		"", "", "Sensor data outputs", finding.Warning, "receivers that use them"},
	{"OSMP-D7", "an output does not change before the end of the next step",
		"", "", "Sensor data outputs", finding.Error, "receivers that are one step late"},
	{"OSMP-D8", "an output does not change while another instance steps",
		"", "", "Sensor data outputs", finding.Error, "chains of models in one process"},
	{"OSMP-D9", "the three parts of an address are consistent, however they are read and set",
		"", "", "Binary variables", finding.Error, "importers that read variable by variable"},
	{"OSMP-C6", "the configuration request is available before a configuration is set, also " +
		"after Reset",
		"", "", "Sensor view input configuration", finding.Error,
		"users who negotiate configurations"},
	{"OSMP-C7", "after a configuration is set, the request contains the same data",
		"", "", "Sensor view input configuration", finding.Error,
		"users who negotiate configurations"},
	{"OSMP-A2", "messages have the declared OSI version",
		"", "", "Annotations", finding.Warning, "receivers that depend on the version"},
	{"OSMP-T1", "time stamps equal the end of the step and do not go back",
		"", "", "Sensor data outputs", finding.Warning, "users who record or synchronize"},
	{"OSMP-O1", "messages obey OSI's rules for fields",
		"", "", "OSI", finding.Warning, "receivers that rely on them"},
	{"OSMP-G3", "damaged messages and configurations do no harm",
		"", "", "Binary variables", finding.Error, "users who connect an unfinished producer"},
}

// Rules lists the rules for a version of FMI in the order of reports, with the OSMP rules last.
func Rules(major int) (list []Rule) {
	for _, r := range allRules {
		rule := Rule{ID: r.id, Says: r.says, Severity: r.severity, Suffers: r.suffers}
		switch {
		case strings.HasPrefix(r.id, "OSMP-"):
			rule.Clause = "OSMP 1.6.0, " + r.osmp
		case r.fmi2 == "" && r.fmi3 == "":
			rule.ID, rule.Clause = full(major, r.id), "no clause: good practice"
		case major == 2 && r.fmi2 != "":
			rule.ID, rule.Clause = full(2, r.id), "FMI 2.0.5, "+r.fmi2
		case major == 3 && r.fmi3 != "":
			rule.ID, rule.Clause = full(3, r.id), "FMI 3.0.2, "+r.fmi3
		default:
			continue // of the other standard
		}
		list = append(list, rule)
	}
	return list
}

// full returns the id of an FMI rule with the version.
func full(major int, id string) string {
	if strings.HasPrefix(id, "OSMP-") {
		return id
	}
	return "FMI" + string(rune('0'+major)) + "-" + id
}

// bareID returns the id of a rule without the version of FMI.
func bareID(id string) string {
	if strings.HasPrefix(id, "OSMP-") {
		return id
	}
	_, id, _ = strings.Cut(id, "-")
	return id
}

// ruleOf returns the rule with the given id, which contains no version.
func ruleOf(major int, id string) (Rule, bool) {
	list := Rules(major)
	k := slices.IndexFunc(list, func(r Rule) bool { return r.ID == full(major, id) })
	if k < 0 {
		return Rule{}, false
	}
	return list[k], true
}
