package importer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gosmp/cosim"
	"gosmp/fmi"
	"gosmp/importer/worker"
)

const (
	trialSteps = 3
	trialTime  = 2 * time.Second // for a phase or a step
	trialLives = 10 * time.Second
)

// trial examines whether a process that has already served an instance gives the same results as a
// new one. It runs an FMU three times in a process of its own, in an empty working folder: twice
// with the start values of a real run, and in between with other ones. Texts and files named by
// start values are left out, because an FMU may write to them. It returns why the process cannot
// serve several instances; "" if it can.
func (r *Reserve) trial(o order) (reason string) {
	dir, err := os.MkdirTemp("", "gosmp-trial-")
	if err != nil {
		return err.Error()
	}
	defer func() { _ = os.RemoveAll(dir) }() // nothing in it is needed
	p := &prepared{order: o, sink: &sink{}}
	p.dir = dir
	w := o.options
	w.Dir, w.Log, w.Print = dir, p.sink.record, p.sink.line
	if w.Arena, err = r.shared(); err != nil || !r.loaded(p, w) || !r.preload(p) {
		return "its library cannot be loaded in a trial"
	}
	err = r.repeats(p)
	ended := p.process.Close() // unloads the library
	intact := r.orchard.intact(p.fmu, p.folder)
	r.orchard.leave(p.folder)
	files, wrong := os.ReadDir(dir)
	switch {
	case err != nil:
		return strings.TrimPrefix(err.Error(), worker.ErrUnlike.Error()+": ")
	case ended != nil:
		return ended.Error()
	case !p.sink.isSilent():
		return "it prints"
	case !intact || wrong != nil || len(files) > 0:
		return "it writes files"
	}
	return ""
}

var errRemembers = errors.New("a second instance in a process has other results than the first")

// repeats returns an error unless an FMU repeats itself in one process.
func (r *Reserve) repeats(p *prepared) error {
	if err := p.process.Note(p.hasRuntime(), prepareTime); err != nil {
		return err
	}
	model := p.examined.instance
	options := model.trialOptions()
	others := options
	others.Start = model.otherStarts(options.Start)
	var lives []string
	for _, o := range []Options{options, others, options} {
		result, err := p.live(model, o)
		if err != nil && (len(lives) != 1 || p.process.Ended()) {
			return err
		}
		if err := p.process.Renew(prepareTime); err != nil {
			return err
		}
		lives = append(lives, result)
	}
	if lives[0] != lives[2] {
		return errRemembers
	}
	p.examined.result = lives[0]
	return nil
}

// trialOptions returns the options of an instance without effects outside the FMU.
func (i *Instance) trialOptions() Options {
	o := i.o
	o.Start, o.Timeout = nil, trialTime
	for _, s := range i.o.Start {
		k, known := i.fmu.table.byName[s.Name]
		if known && !kindOf(i.fmu.table.list[k].kind).IsBlob() {
			o.Start = append(o.Start, s)
		}
	}
	return o
}

// otherStarts returns start values that differ from the given ones in all numeric parameters, as
// far as their ranges permit.
func (i *Instance) otherStarts(given []StartValue) []StartValue {
	t := i.fmu.table
	values := map[string]string{}
	for k := range t.list {
		if v := &t.list[k]; v.settable && v.model != nil && len(v.model.Start) > 0 {
			values[v.name] = v.model.Start[0]
		}
	}
	list := slices.Clone(given)
	for _, s := range given {
		delete(values, s.Name)
	}
	for k := range t.list {
		v := &t.list[k]
		text, is := values[v.name]
		if !is || v.model.Causality != fmi.Parameter || len(v.model.Start) != 1 {
			continue
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			continue
		}
		switch v.kind {
		case cosim.Float64, cosim.Float32:
			x += 0.25 + math.Abs(x)/4
		case cosim.Int32, cosim.Int64:
			x++
		default:
			continue
		}
		other := strconv.FormatFloat(x, 'g', -1, 64)
		if high, err := strconv.ParseFloat(v.model.Max, 64); err != nil || x <= high {
			list = append(list, StartValue{Name: v.name, Value: other})
		}
	}
	return list
}

// live runs an instance like another one in a process, for a few steps, and returns a text that
// stands for everything it has returned and logged.
func (p *prepared) live(model *Instance, o Options) (string, error) {
	var mu sync.Mutex
	var said []string
	say := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, text)
	}
	o.Log = func(m Message) { say(fmt.Sprint(m)) }
	o.Warn = func(text string) { say(text) }
	i, err := p.fmu.NewInstance(model.name, &Pool{Options: p.options, given: p}, o)
	if err != nil {
		return "", err
	}
	step, start := model.setup.Step, model.setup.Start
	stop := model.setup.Scale.Point(trialSteps)
	if model.setup.Stop < stop {
		stop = model.setup.Stop
	}
	e := cosim.New(cosim.Spec{Start: start, Stop: stop, Step: step, Threads: 1})
	e.Add("x", i)
	var signals []*cosim.Signal
	for _, v := range i.Variables() {
		if v.Role == cosim.Output || v.Role == cosim.Calculated {
			signals = append(signals, e.Watch("x."+v.Name))
		}
	}
	hash := cosim.NewHash(signals...)
	e.Observe(hash)
	ctx, cancel := context.WithTimeout(context.Background(), trialLives)
	defer cancel()
	_, err = e.Run(ctx)
	p.sink.disconnect()
	if err == nil && (i.phase != done || i.troubled) {
		err = worker.ErrEnded
	}
	return hash.Sum() + strings.Join(said, "\n"), err
}
