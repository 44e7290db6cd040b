package examine

import (
	"slices"
	"strings"

	"gosmp/internal/finding"
)

// Rule is a rule that an examination can prove or refute.
type Rule struct {
	ID       string // "FMI2-R9", "FMI3-R9" or "OSMP-D7"
	Says     string // what the FMU must do
	Clause   string // of the standard
	Severity finding.Severity
	Suffers  string // who is affected if it does not
}

// allRules is the table of all rules, in the order of reports. FMI rules are listed once for both
// versions; if a clause is empty, the rule applies only to the other version. docs/EXAMINATION.md
// has the same words.
var allRules = []struct {
	id, says   string
	fmi2, fmi3 string // clauses; empty if the standard does not have the rule
	osmp       string // clause of OSMP, whose id has no version
	severity   finding.Severity
	suffers    string
}{
	{"R1", "GetVersion and GetTypesPlatform answer as the standard says",
		"2.1.4", "2.2.2", "", finding.Error, "importers that refuse other versions"},
	{"R2", "an ordinary life works: instantiate, initialize, step, read, terminate, free",
		"4.2.4", "4.2.1", "", finding.Error, "every importer"},
	{"R3", "FreeInstance works in every state where it is legal",
		"2.1.5", "2.2.3", "", finding.Error, "importers that end early"},
	{"R4", "a second life in one process works, unless the FMU excludes it",
		"2.1.5", "2.2.3", "", finding.Error, "sweeps, test suites, graphical tools"},
	{"R5", "instances do not influence each other",
		"2.1.5", "2.2.3", "", finding.Error, "systems that use a model twice"},
	{"R6", "after Reset the FMU is as freshly instantiated",
		"2.1.6", "2.2.3", "", finding.Error, "tools that repeat runs"},
	{"R7", "steps work in another thread than the instantiation",
		"2.1.1", "2.2.1", "", finding.Warning, "importers with a thread pool"},
	{"R8", "FMU states can be taken, restored and freed",
		"2.1.8", "2.2.6.4", "", finding.Error, "importers that go back in time"},
	{"R9", "a restored state continues as the original did",
		"2.1.8", "2.2.6.4", "", finding.Error, "importers that go back in time"},
	{"R10", "a serialized state continues in another process as the original did",
		"2.1.8", "2.2.6.4", "", finding.Error, "importers that save runs"},
	{"R11", "two half steps come close to a whole one",
		"4.2.2", "4.2.1", "", finding.Note, "who changes the step size"},
	{"R12", "two processes compute the same",
		"", "", "", finding.Warning, "who has to repeat results"},
	{"R13", "unknowns of the initialization depend on nothing but what is declared",
		"2.2.8", "2.4.8", "", finding.Error, "systems with loops"},
	{"R14", "directional derivatives fit the differences of outputs",
		"2.1.9", "2.2.11", "", finding.Error, "importers that solve loops with them"},
	{"R15", "the library can be unloaded after the last instance, and loaded again",
		"2.1.5", "2.2.3", "", finding.Error, "tools that unload FMUs"},
	{"R16", "texts that are returned exist and are UTF-8",
		"2.1.7", "2.2.6.2", "", finding.Error, "everybody who reads texts"},
	{"R17", "texts and binaries that were set are not read after the call",
		"2.1.7", "2.2.6.2", "", finding.Error, "importers that reuse their memory"},
	{"R18", "the FMU works beside a copy of itself under another name",
		"2.3", "2.5.1", "", finding.Warning, "systems with several FMUs of one tool"},
	{"R19", "after Terminate values can be read",
		"4.2.4", "4.2.1", "", finding.Error, "importers that read last values late"},
	{"R20", "values do not depend on how variables are grouped and ordered in calls",
		"2.1.7", "2.2.6.2", "", finding.Error, "importers that read or set single variables"},
	{"R21", "reading changes nothing",
		"2.1.7", "2.2.6.2", "", finding.Error, "importers that record other variables"},
	{"R22", "inputs and parameters have the values that were set",
		"2.1.7", "2.2.6.2", "", finding.Error, "importers that record what they set"},
	{"R23", "instances can step at the same time in different threads",
		"2.1.1", "2.2.1", "", finding.Warning, "importers that run models in parallel"},
	{"R24", "values do not depend on logging, kept states or a stop time",
		"", "", "", finding.Warning, "who looks into a run and changes it"},
	{"R25", "of several values that are set before a step the last one counts",
		"2.1.7", "2.2.6.2", "", finding.Warning, "importers that set inputs repeatedly"},
	{"R26", "outputs can be read in Initialization Mode",
		"4.2.4", "4.2.1", "", finding.Error, "systems with loops"},
	{"S1", "the start time may be any; stop time and tolerance may be given or not",
		"2.1.6", "2.3.2", "", finding.Error, "importers that pass what their users set"},
	{"S2", "times of steps may be rounded in any way",
		"4.2.2", "4.2.1", "", finding.Error, "importers that multiply or add step sizes"},
	{"S3", "the last step may end at the stop time but for rounding",
		"4.2.2", "4.2.1", "", finding.Warning, "importers that add step sizes"},
	{"S4", "with variable step sizes declared, steps may differ",
		"4.3.1", "4.4.2", "", finding.Error, "importers with several rates"},
	{"S5", "a step returns early only if that is allowed",
		"", "4.2.1", "", finding.Error, "importers that do not handle early return"},
	{"S6", "statuses are those of the standard, and out arguments are written",
		"2.1.3", "2.2.4", "", finding.Error, "every importer"},
	{"S7", "a discarded step says how far it came, or leaves everything as it was",
		"4.2.1", "2.2.4", "", finding.Error, "importers that try a shorter step"},
	{"S8", "events are asked for only in Event Mode, and end",
		"", "4.2.1", "", finding.Error, "importers with events"},
	{"S9", "neither steps nor calls that read get slower",
		"", "", "", finding.Warning, "long runs"},
	{"S10", "inputs at their limits are accepted",
		"2.2.7", "2.4.7", "", finding.Warning, "who drives the model to its limits"},
	{"S11", "inputs that are no numbers do not end the process",
		"", "", "", finding.Error, "systems where another model fails"},
	{"V20", "outputs stay between their minimum and maximum",
		"2.2.7", "2.4.7", "", finding.Warning, "receivers that rely on the limits"},
	{"V21", "parameters, inputs and constants have their start values until they are set",
		"2.2.7", "2.4.7.4", "", finding.Error, "importers that set only what differs"},
	{"V22", "what is constant, fixed or for the environment to set stays as it is",
		"2.2.7", "2.4.7.4", "", finding.Error, "importers that read it once"},
	{"V23", "the independent variable is the time of the communication point",
		"2.2.7", "2.4.7.4", "", finding.Error, "who plots over time"},
	{"C6", "structural parameters can be changed in Configuration Mode",
		"", "2.3.3", "", finding.Error, "who sets array sizes"},
	{"C7", "the FMU accepts derivatives of inputs and returns derivatives of outputs as declared",
		"4.2.1", "4.2.1", "", finding.Error, "importers that interpolate"},
	{"G1", "there are no messages while logging is off",
		"2.1.5", "2.2.3", "", finding.Warning, "who reads logs"},
	{"G2", "categories of messages are declared",
		"2.2.4", "2.4.5", "", finding.Error, "importers that filter messages, or crash on NULL"},
	{"G3", "what an instantiation was given is not read later",
		"2.1.5", "2.2.3", "", finding.Warning, "importers that free it"},
	{"G4", "a call that fails has a message, in UTF-8 and without line end",
		"2.1.3", "2.2.4", "", finding.Warning, "who has to find out why"},
	{"G5", "there are no messages from a freed instance, and none without a logger",
		"2.1.5", "2.2.3", "", finding.Error, "importers that free their loggers"},
	{"G6", "messages come with the environment, and the name, that the host gave",
		"2.1.5", "2.2.3", "", finding.Error, "importers that look up their own data"},
	{"G7", "logging can be switched off, and on for single categories",
		"2.1.5", "2.2.3", "", finding.Warning, "who filters messages"},
	{"I1", "a function that is illegal in a state is refused there",
		"4.2.4", "4.2.1", "", finding.Warning, "whose importer has a fault"},
	{"I2", "steps without length, backwards steps and steps that do not begin where the last one " +
		"ended are refused",
		"4.2.2", "4.2.1", "", finding.Warning, "whose importer has a fault"},
	{"I3", "a step beyond the stop time is refused",
		"2.1.6", "2.3.2", "", finding.Warning, "who relies on the end of the data"},
	{"I4", "another token, an empty name or another type is refused",
		"2.1.5", "2.2.3", "", finding.Warning, "who mixes up two FMUs"},
	{"I5", "unknown value references, and variables that may not be set, are refused",
		"2.1.7", "2.2.6.2", "", finding.Error, "whose importer has a fault"},
	{"I6", "a wrong number of values is refused",
		"", "2.2.6.2", "", finding.Error, "whose importer has a fault"},
	{"I7", "after an error the FMU can be reset and freed",
		"4.2.4", "4.2.1", "", finding.Warning, "importers that try again"},
	{"I8", "NULL for the instance or the resources, and odd paths, do no harm",
		"2.1.5", "2.2.3", "", finding.Warning, "importers that clean up after failures"},
	{"I9", "a damaged serialized state is refused, or does no harm",
		"2.1.8", "2.2.6.4", "", finding.Warning, "who keeps states in files"},
	{"I10", "long and odd names, texts and paths do no harm",
		"", "", "", finding.Error, "who has long paths or names"},
	{"I11", "the usual variables of the environment are not needed",
		"", "", "", finding.Warning, "services and containers"},
	{"I12", "functions whose feature is not declared do no harm",
		"4.3.1", "4.4.2", "", finding.Warning, "importers that try what an FMU can"},
	{"Q1", "memory of lives and steps is given back",
		"2.1.5", "2.2.3", "", finding.Warning, "sweeps and long runs"},
	{"Q2", "descriptors are closed",
		"", "", "", finding.Warning, "sweeps"},
	{"Q3", "threads end",
		"", "", "", finding.Warning, "sweeps"},
	{"Q4", "child processes end",
		"", "", "", finding.Warning, "servers"},
	{"Q5", "files are written neither to the working directory nor into the FMU",
		"", "", "", finding.Warning, "several runs in one folder"},
	{"Q6", "settings of the process stay as they are",
		"2.1.1", "2.2.1", "", finding.Error, "the importer and all other models"},
	{"Q7", "floating-point settings stay as they are",
		"2.1.1", "2.2.1", "", finding.Error, "the importer and all other models"},
	{"Q8", "nothing beyond an array is read or written",
		"2.1.7", "2.2.6.2", "", finding.Error, "the memory of the importer"},
	{"Q9", "constant arrays are not written",
		"2.1.7", "2.2.6.2", "", finding.Error, "the memory of the importer"},
	{"Q10", "a small stack is enough",
		"", "", "", finding.Warning, "importers with many threads"},
	{"Q11", "no program is started, no address used, and no file but the FMU's own",
		"", "", "", finding.Note, "services, containers, and who runs FMUs of others"},
	{"Q12", "memory functions and stepFinished of the host are used as declared",
		"2.1.5", "", "", finding.Error, "importers without them, or with memory of their own"},
	{"OSMP-P6", "the model runs with nothing connected",
		"", "", "Model types", finding.Error, "who tries the model out"},
	{"OSMP-B8", "an address or size of 0 means no data",
		"", "", "Binary variables", finding.Error, "every step without data"},
	{"OSMP-V5", "messages of all versions of OSI, empty and large ones, are accepted",
		"", "", "Sensor view inputs", finding.Error, "who connects another producer"},
	{"OSMP-V7", "inputs are read in DoStep only",
		"", "", "Sensor view inputs", finding.Error, "producers that reuse their buffer"},
	{"OSMP-V8", "inputs are not written, and not read beyond their end",
		"", "", "Binary variables", finding.Error, "producers and other receivers"},
	{"OSMP-D5", "outputs decode as the message that they declare",
		"", "", "Sensor data outputs", finding.Error, "every receiver"},
	{"OSMP-D6", "valid and count agree with the message",
		"", "", "Sensor data outputs", finding.Warning, "receivers that look at them"},
	{"OSMP-D7", "an output stays as it is until the end of the next step",
		"", "", "Sensor data outputs", finding.Error, "receivers that are one step late"},
	{"OSMP-D8", "an output stays as it is while another instance steps",
		"", "", "Sensor data outputs", finding.Error, "chains of models in one process"},
	{"OSMP-D9", "the three parts of an address fit together however they are read and set",
		"", "", "Binary variables", finding.Error, "importers that read variable by variable"},
	{"OSMP-C6", "the configuration request is there before a configuration is set",
		"", "", "Sensor view input configuration", finding.Error, "who negotiates configurations"},
	{"OSMP-C7", "after a configuration is set the request holds the same data",
		"", "", "Sensor view input configuration", finding.Error, "who negotiates configurations"},
	{"OSMP-A2", "messages carry the declared version of OSI",
		"", "", "Annotations", finding.Warning, "receivers that choose by version"},
	{"OSMP-T1", "time stamps are the end of the step and do not go back",
		"", "", "Sensor data outputs", finding.Warning, "who records or synchronizes"},
	{"OSMP-O1", "messages obey the rules that OSI states about its fields",
		"", "", "OSI", finding.Warning, "receivers that rely on them"},
	{"OSMP-G3", "damaged messages do no harm",
		"", "", "Binary variables", finding.Error, "who connects an unfinished producer"},
}

// Rules lists the rules for a version of FMI in the order of reports, with the rules of OSMP last.
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

// full returns the id of an FMI rule, including the version.
func full(major int, id string) string {
	if strings.HasPrefix(id, "OSMP-") {
		return id
	}
	return "FMI" + string(rune('0'+major)) + "-" + id
}

// ruleOf returns the rule with this id, which has no version.
func ruleOf(major int, id string) (Rule, bool) {
	list := Rules(major)
	k := slices.IndexFunc(list, func(r Rule) bool { return r.ID == full(major, id) })
	if k < 0 {
		return Rule{}, false
	}
	return list[k], true
}
