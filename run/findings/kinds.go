package findings

import (
	"errors"
	"slices"

	"gosmp/bridge"
	"gosmp/experiment"
	"gosmp/internal/fault"
	"gosmp/internal/finding"
	"gosmp/internal/regular"
	"gosmp/run"
	"gosmp/run/campaign"
	"gosmp/run/content"
	"gosmp/run/kind"
	"gosmp/run/statechart"
	"gosmp/scenario"
	scenariocheck "gosmp/scenario/check"
)

func (c *checker) checkExperiment(in *content.File) (*Result, error) {
	_, list, err := in.Experiment(
		experiment.CheckOptions{Options: experiment.Options{Strict: c.Strict},
			SeedCompatible: c.SeedCompat}, c.Library)
	if err != nil {
		return nil, err
	}
	if in.Piped && c.Bridge != "" {
		return nil, errors.New("standard input: an experiment that is compared with a bridge has " +
			"to be a file; save it first")
	}
	config, more, err := c.bridge()
	if err != nil {
		return nil, err
	}
	if config == nil && c.SeedCompat {
		return c.judge(in, kind.Experiment, append(list, more...)), nil
	}
	list, err = c.examined(in, list, func(file string, library []string) (finding.List, error) {
		all, err := run.ExamineExperiment(file, library, config)
		if c.SeedCompat { // only the topics, because the charts are ignored
			all = slices.DeleteFunc(all, func(f finding.Finding) bool { return f.ID != "BR03" })
		}
		return all, err
	})
	if err != nil {
		return nil, err
	}
	return c.judge(in, kind.Experiment, append(list, more...)), nil
}

// bridge reads the configuration of the bridge of an experiment, if there is one, and returns what
// is wrong with it.
func (c *checker) bridge() (*bridge.Config, finding.List, error) {
	if c.Bridge == "" {
		return nil, nil, nil
	}
	text, err := regular.ReadFile(c.Bridge)
	if err != nil {
		return nil, nil, err
	}
	config, err := bridge.ParseConfig(c.Bridge, text)
	if err != nil {
		return nil, finding.List{unusable(c.Bridge, err)}, nil
	}
	return config, nil, nil
}

// examined adds the findings that require the variables of the FMUs, unless there are already
// errors.
func (c *checker) examined(in *content.File, list finding.List,
	examine func(file string, library []string) (finding.List, error)) (finding.List, error) {
	if in.Piped || list.Count(finding.Error) > 0 {
		return list, nil
	}
	more, err := examine(in.Name, c.Library)
	list = append(list, more...)
	list.Sort()
	return list, err
}

func (c *checker) checkBIBI(in *content.File) (*Result, error) {
	document, err := in.Text()
	if err != nil {
		return nil, err
	}
	_, list := experiment.ReadBIBI(in.Name, document, experiment.Options{Strict: c.Strict})
	if list, err = c.examined(in, list, run.ExamineBIBI); err != nil {
		return nil, err
	}
	return c.judge(in, kind.BIBI, list), nil
}

func (c *checker) checkChart(in *content.File) (*Result, error) {
	text, err := in.Text()
	if err != nil {
		return nil, err
	}
	return c.judge(in, kind.Statechart, statechart.Check(in.Name, text, c.Events)), nil
}

// checkBridge checks the configuration of a message bridge and the definitions that it names.
func (c *checker) checkBridge(in *content.File) (*Result, error) {
	text, err := in.Text()
	if err != nil {
		return nil, err
	}
	_, err = bridge.ParseConfig(in.Name, text)
	result := c.judge(in, kind.Bridge, nil)
	if err == nil {
		return result, nil
	}
	result.Findings, result.Passed = append(result.Findings, Counted{
		Finding: unusable(in.Name, err), Count: 1}), false
	return result, nil
}

// unusable returns the finding about a configuration of a bridge that cannot be used.
func unusable(name string, err error) finding.Finding {
	f := finding.Finding{ID: "BR01", Severity: finding.Error, Place: fault.In(name)}
	var e *fault.Error
	if errors.As(err, &e) {
		f.Place = e.Place
		if errors.Is(err, bridge.ErrDefinition) && !errors.Is(err, bridge.ErrConfig) {
			f.ID = "BR02"
		}
	}
	f.Message, f.Remedy = fault.Reason(err)
	return f
}

// errSystemPiped refuses a system on standard input, because its description refers to other files.
var errSystemPiped = errors.New("standard input: a system has to be a file; save it first")

func (c *checker) checkSweep(in *content.File) (*Result, error) {
	if in.Piped {
		return nil,
			errors.New(
				"standard input: a plan names files relative to itself, so it must be a " +
					"file; save it first")
	}
	return c.judge(in, kind.Sweep, campaign.Check(in.Name, c.Library)), nil
}

func (c *checker) checkScenario(in *content.File) (*Result, error) {
	if in.Piped {
		return nil,
			errors.New(
				"standard input: a scenario names files relative to itself, so it must be a " +
					"file; save it first")
	}
	d, err := scenario.Open(in.Name)
	if err == nil {
		d.Map = c.Map
		list := scenariocheck.Document(d)
		if c.Engine && !scenariocheck.LacksMap(list) {
			list = append(list, run.CheckScenario(d)...)
		}
		if d.Root.Child("ParameterValueDistribution") != nil && list.Count(finding.Error) == 0 {
			list = append(list, c.checkPoints(in.Name)...)
		}
		return c.judge(in, kind.Scenario, list), nil
	}
	if f, is := scenariocheck.Unreadable(err); is {
		return c.judge(in, kind.Scenario, finding.List{f}), nil
	}
	return nil, err
}

// checkPoints checks the points of a distribution as a sweep does.
func (c *checker) checkPoints(name string) finding.List {
	if c.Engine {
		return campaign.Check(name, nil)
	}
	return campaign.CheckPoints(name)
}
