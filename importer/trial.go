package importer

import (
	"cmp"
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
	"gosmp/internal/decimal"
)

const (
	trialSteps = 3
	slow       = "a trial takes too long"
)

// The limits of a trial. They are longer in tests, which may share the machine with other work.
var (
	trialTime = 2 * time.Second // for a phase or a step
	lifeTime  = 10 * time.Second
	// An FMU whose process takes longer for a life saves little if the process is used again.
	worthTrying = 2 * time.Second
)

// trial examines whether a process that has already served an instance gives the same results as a
// new one. It runs an FMU with the start values of a real run, in a new process and in a process
// that has served an instance with other start values. Both have an empty working folder. Texts and
// files named by start values are left out, because an FMU may write to them. It returns why the
// process cannot serve several instances; "" if it can.
func (r *Reserve) trial(o order) (reason string) {
	model := o.examined.instance
	options := model.trialOptions()
	others := options
	others.Start = model.otherStarts(options.Start)
	begin := time.Now()
	first, err := r.liveApart(o, options)
	if err != nil {
		return reasonOf(err)
	}
	if time.Since(begin) > worthTrying {
		return slow
	}
	lives := append([]Options{others}, slices.Repeat([]Options{options}, trialLives(o.fmu))...)
	later, err := r.liveApart(o, lives...)
	if err != nil {
		return reasonOf(err)
	}
	for _, result := range later[1:] {
		if result != first[0] {
			return "an instance has other results if its process has served another one"
		}
	}
	return ""
}

// trialLives returns the number of equal lives in a trial. If a comparison of memory is impossible,
// there are as many as a process may serve.
func trialLives(f *FMU) int {
	if f.core("") != "" {
		return mostRuntimeLives
	}
	return 2
}

func reasonOf(err error) string {
	return strings.TrimPrefix(err.Error(), worker.ErrUnlike.Error()+": ")
}

var (
	errUnloadable = errors.New("its library cannot be loaded in a trial")
	errPrints     = errors.New("it prints")
	errWrites     = errors.New("it writes files")
	errClosed     = errors.New("the reserve has been closed")
)

func (r *Reserve) isClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// liveApart runs instances one after another in a process and a working folder of their own. It
// returns an error if they leave anything behind.
func (r *Reserve) liveApart(o order, lives ...Options) (results []string, err error) {
	dir, err := os.MkdirTemp("", "gosmp-trial-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // nothing in it is needed
	p := &prepared{order: o, sink: &sink{}}
	p.dir = dir
	w := o.options
	w.Dir, w.Log, w.Print = dir, p.sink.record, p.sink.line
	if w.Arena, err = r.shared(); err != nil || !r.loaded(p, w) || !r.preload(p) {
		return nil, errUnloadable
	}
	results, err = r.liveAll(p, lives)
	ended := p.process.Close() // unloads the library
	intact := r.orchard.intact(p.fmu, p.folder)
	r.orchard.leave(p.folder)
	files, wrong := os.ReadDir(dir)
	switch {
	case err != nil || ended != nil:
		return nil, cmp.Or(err, ended)
	case !p.sink.isSilent():
		return nil, errPrints
	case !intact || wrong != nil || len(files) > 0:
		return nil, errWrites
	}
	return results, nil
}

// liveAll runs instances one after another. An instance with unusual start values may fail, but
// the last one must not.
func (r *Reserve) liveAll(p *prepared, lives []Options) (results []string, err error) {
	if err := p.process.Note(p.hasRuntime(), prepareTime); err != nil {
		return nil, err
	}
	model := p.examined.instance
	for k, o := range lives {
		if r.isClosed() {
			return nil, errClosed
		}
		result, err := p.live(model, o)
		if err != nil && (k == len(lives)-1 || p.process.Ended()) {
			return nil, err
		}
		if err := p.process.Renew(prepareTime); err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
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
func (i *Instance) otherStarts(given []StartValue) (list []StartValue) {
	t := i.fmu.table
	values := map[string]string{}
	for k := range t.list {
		if v := &t.list[k]; v.settable && v.model != nil && len(v.model.Start) == 1 {
			values[v.name] = v.model.Start[0]
		}
	}
	for _, s := range given {
		v := &t.list[t.byName[s.Name]]
		if values[s.Name] = s.Value; v.other(s.Value) == "" {
			delete(values, s.Name)
			list = append(list, s)
		}
	}
	for k := range t.list {
		v := &t.list[k]
		if text, is := values[v.name]; is {
			if other := v.other(text); other != "" {
				list = append(list, StartValue{Name: v.name, Value: other})
			}
		}
	}
	return list
}

// other returns a number that differs from the value of a scalar parameter; "" if there is none.
func (v *variable) other(text string) string {
	x, err := decimal.Float(text, 64)
	if err != nil || v.model == nil || v.model.Causality != fmi.Parameter {
		return ""
	}
	switch v.kind {
	case cosim.Float64, cosim.Float32:
		x += 0.25 + math.Abs(x)/4
	case cosim.Int32, cosim.Int64:
		x++
	default:
		return ""
	}
	if high, err := decimal.Float(v.model.Max, 64); err == nil && x > high {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
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
	ctx, cancel := context.WithTimeout(context.Background(), lifeTime)
	defer cancel()
	_, err = e.Run(ctx)
	p.sink.disconnect()
	if err == nil && (i.phase != done || i.troubled) {
		err = worker.ErrEnded
	}
	return hash.Sum() + strings.Join(said, "\n"), err
}
