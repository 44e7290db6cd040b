package main

import (
	"fmt"

	"github.com/alecthomas/kong"
)

// examples maps the name of a command to the examples shown below its help. A test runs them in a
// folder that contains the files they name.
var examples = map[string][]string{
	"run": {
		"gosmp run sensor.fmu --stop-time 20 -o out.csv --plot out.png",
		"gosmp run demo.exc --junit verdict.xml --report verdict.html",
	},
	"experiment list": {
		"gosmp experiment list .",
		"gosmp experiment list --development --json .",
	},
	"experiment pack": {
		"gosmp experiment pack demo.exc",
		"gosmp experiment pack demo.exc -o all.zip",
	},
	"experiment unpack": {
		"gosmp experiment unpack demo.zip -o folder",
		"gosmp experiment unpack demo.zip",
	},
	"check": {
		"gosmp check sensor.fmu map.xodr --strict --format junit",
		"gosmp check --run sensor.fmu --page report.html",
	},
	"explain": {"gosmp explain SX07", "gosmp explain trace.gap --json"},
	"inspect": {
		"gosmp inspect sensor.fmu --variables inputs,outputs",
		"gosmp inspect drive.mcap --json",
	},
	"convert": {
		"gosmp convert drive.mcap -o drive.csv --to objects",
		"gosmp convert drive.mcap -o part.osi --channel sv --from 0.5 --until 1",
	},
	"repair": {
		"gosmp repair flight.csv -o repaired.csv",
		"gosmp repair drive.mcap -o whole.mcap --json",
		"gosmp repair map.xodr -o fixed.xodr",
	},
	"test": {
		"gosmp test sensor.fmu --trace drive.mcap --expect rules.yaml",
		"gosmp test sensor.fmu --trace drive.mcap --expect first.mcap --update",
	},
	"metrics": {"gosmp metrics drive.mcap", "gosmp metrics drive.mcap -o values.csv --range 50"},
	"report":  {"gosmp report drive.mcap", "gosmp report drive.mcap -o drive.html --frames 100"},
	"draw":    {"gosmp draw drive.mcap --time 0.5 -o scene.png", "gosmp draw chart.scxml"},
	"plot": {
		"gosmp plot drive.mcap global_ground_truth.moving_object[*].base.velocity.x",
		"gosmp plot flight.csv gps.velocity_* -o gps.png --from 10 --until 20",
	},
	"simulate": {
		"gosmp simulate map.xodr --duration 10 --trace drive10.mcap",
		"gosmp simulate map.xodr --actors 20 --seed 7 --page traffic.html",
	},
	"sweep run": {
		"gosmp sweep demo.sweep.yaml --dry-run",
		"gosmp sweep run demo.sweep.yaml --jobs 2 -o results",
	},
	"sweep report": {"gosmp sweep report results", "gosmp sweep report results -o sweep.html"},
	"sweep plan": {
		"gosmp sweep plan demo.sweep.yaml --slurm --shards 2",
		"gosmp sweep plan demo.sweep.yaml --kubernetes --shards 2 --image gosmp:0.2 --claim plans",
	},
	"sweep schema": {"gosmp sweep schema", "gosmp sweep schema > plan.schema.json"},
	"work": {
		"gosmp work --nats nats://secret@queue.example.org:4222",
		"gosmp work --nats nats://secret@127.0.0.1:4222 --jobs 2 --idle 10m",
	},
	"sensors": {
		"gosmp sensors --sensor imu_sim:flight.csv --speed 0 --stop 1",
		"gosmp sensors -s gps_sim:flight.csv -s baro_sim:flight.csv --stop 0.5 --json",
	},
	"session": {"gosmp session < calls.jsonl", "gosmp session < calls.jsonl > results.jsonl"},
	"sim check": {
		"gosmp sim check 127.0.0.1:7788",
		"gosmp sim check 127.0.0.1:7788 --map map.xodr --at 10,-1.75,0",
	},
	"bridge generate": {
		"gosmp bridge generate bridge.json",
		"gosmp bridge generate bridge.json -o sut --package sut",
	},
	"bridge topics": {"gosmp bridge topics", "gosmp bridge topics --domain 42 --wait 5s --json"},
	"bridge echo": {
		"gosmp bridge echo /clock",
		"gosmp bridge echo /status --definitions /opt/ros/jazzy/share -n 1 --wait 60s",
	},
	"new": {
		"gosmp new mysensor",
		"gosmp new example.org/follower --kind traffic --dir follower",
	},
	"demo":       {"gosmp demo > demo.csv", "gosmp demo -o demo.csv"},
	"completion": {"gosmp completion bash", "gosmp completion fish"},
}

// helpPrinter prints the help of a command, followed by its examples.
func helpPrinter(options kong.HelpOptions, context *kong.Context) error {
	if err := kong.DefaultHelpPrinter(options, context); err != nil {
		return err
	}
	node := context.Selected()
	if node == nil {
		return nil
	}
	list := examples[commandName(node)]
	if len(list) > 0 {
		fmt.Fprint(context.Stdout, "\nExamples:\n")
	}
	for _, example := range list {
		fmt.Fprintf(context.Stdout, "  %s\n", example)
	}
	return nil
}

// commandName returns the path of a command without the program name.
func commandName(node *kong.Node) string {
	if node.Parent == nil || node.Parent.Type == kong.ApplicationNode {
		return node.Name
	}
	return commandName(node.Parent) + " " + node.Name
}

// inFull translates command lines that people try first, such as gosmp help, gosmp help run and
// gosmp version, into the equivalent flags.
func inFull(words []string) []string {
	switch {
	case len(words) == 1 && words[0] == "version":
		return []string{"--version"}
	case len(words) > 0 && words[0] == "help":
		return append(words[1:], "--help")
	}
	return words
}
