package importer

import (
	"bytes"
	"strings"

	"gosmp/cosim"
	"gosmp/importer/worker"
)

// negotiate answers OSMP configuration requests: it grants the request unless the options specify
// an answer.
func (i *Instance) negotiate() error {
	t := i.fmu.table
	for k := range t.list {
		request := &t.list[k]
		name := strings.Replace(request.name, "ConfigRequest", "Config", 1)
		c, found := t.byName[name]
		if request.role != cosim.Calculated || name == request.name || !found ||
			t.list[c].role != cosim.Parameter ||
			!kindOf(request.kind).IsBlob() || request.kind == cosim.String ||
			i.starts.sizes[k] != 1 || i.starts.sizes[c] != 1 {
			continue
		}
		if err := i.answer(k, c); err != nil {
			return err
		}
	}
	return nil
}

// answer sets configuration c to the value requested by k.
func (i *Instance) answer(k, c int) error {
	frame := i.fmu.table.newFrame([]int{k}, i.starts.sizes)
	request, err := i.bind([]int{k}, frame, sequence(1))
	if err != nil {
		return err
	}
	ask := func() ([]byte, error) {
		if _, err := i.call(worker.Get, worker.Arguments{Out: request.plan}); err != nil {
			return nil, err
		}
		err := request.fetch()
		return bytes.Clone(frame.Blobs[0]), err
	}
	wanted, err := ask()
	if err != nil {
		return err
	}
	name := i.fmu.table.list[c].name
	granted, given := i.o.Configuration[name]
	if !given {
		granted = wanted
	}
	if len(granted) == 0 {
		return nil
	}
	config, err := i.preset([]startValue{{variable: c, blobs: [][]byte{granted}}})
	if err != nil {
		return err
	}
	if _, err := i.call(worker.Set, worker.Arguments{In: config.plan}); err != nil {
		return err
	}
	now, err := ask()
	if err == nil && !bytes.Equal(now, granted) {
		i.warn("%s: %s does not contain the value of %s, as OSMP requires", i.fmu.Path,
			i.fmu.table.list[k].name, name)
	}
	return err
}
