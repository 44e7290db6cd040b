package series

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"gosmp/cosim"
	"gosmp/internal/decimal"
	"gosmp/internal/tabular"
	"gosmp/run/content"
	"gosmp/run/usage"
	"gosmp/sensor/simsensor"
)

// Columns holds the numbers of a table or a recording over time.
type Columns struct {
	Names, Units []string
	Steps        bool   // each number holds until the next one
	Stamps       string // the unit of the time stamps of a recording, and how it was determined
	each         func(take func(k int, t, x float64)) error
	close        func()
}

// Each calls take for all numbers, with the index of the name, the time in s, and the number. It
// may only be called once.
func (c *Columns) Each(take func(k int, t, x float64)) error { return c.each(take) }

// Close closes the file, which was opened read-only.
func (c *Columns) Close() { c.close() }

// openTable opens a file as a table.
func openTable(in *content.File) (*tabular.Reader, func(), error) {
	file, err := in.Open()
	if err != nil {
		return nil, nil, err
	}
	begin := cosim.SkipMark(file)
	if err := cosim.Encoded(begin, in.Name); err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	r := tabular.NewReader(begin)
	r.ReuseRecord = true
	return r, func() { _ = file.Close() }, nil // opened read-only
}

// IsTable reports whether a file is a table whose first column is time.
func IsTable(in *content.File) bool {
	r, done, err := openTable(in)
	if err != nil {
		return false
	}
	defer done()
	head, err := r.Read()
	return err == nil && head[0] == "time"
}

// Table opens a table. The first column must be the time in seconds; cells that are not numbers
// become NaN. An error begins with the name of the user, such as plot. The caller must close the
// columns.
func Table(in *content.File, user string) (*Columns, error) {
	r, done, err := openTable(in)
	if err != nil {
		return nil, err
	}
	head, err := r.Read()
	if err != nil || len(head) < 2 || head[0] != "time" {
		done()
		return nil, usage.Unexpected(user,
			in.Name+", which is no table that begins with the column time",
			"a trace, results of a run, or a recording")
	}
	c := &Columns{Names: append([]string(nil), head[1:]...), Units: make([]string, len(head)-1),
		close: done}
	c.each = func(take func(int, float64, float64)) error { return eachRow(in.Name, r, take) }
	return c, nil
}

func eachRow(file string, r *tabular.Reader, take func(k int, t, x float64)) error {
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return usage.Invalid(file, err)
		}
		t, err := decimal.Float(row[0], 64)
		if err != nil {
			line, _ := r.FieldPos(0)
			return usage.Unexpected(fmt.Sprintf("%s:%d", file, line), strconv.Quote(row[0]),
				"a time in seconds")
		}
		for k := range row[1:] {
			number, err := decimal.Float(row[k+1], 64)
			if err != nil {
				number = math.NaN() // a text
			}
			take(k, t, number)
		}
	}
}

// Recording opens the measurements of the sensors of a recording, with a name for each field of
// each sensor, such as gps.ground_speed. The unit of the time stamps is a value of --unit; for
// "auto", the rates of the sensors decide. The caller must close the columns.
func Recording(in *content.File, unit string) (*Columns, error) {
	is, err := simsensor.ParseUnit(unit)
	if err != nil {
		return nil, usage.Invalid("--unit", err)
	}
	player, err := in.Play(simsensor.Options{Unit: is})
	if err != nil {
		return nil, err
	}
	c := &Columns{Steps: true, close: func() { _ = player.Close() },
		Stamps: "Time stamps in " + player.Unit().String()}
	if is == simsensor.Auto {
		c.Stamps += ", determined from the rates of the sensors"
	}
	first := map[simsensor.Kind]int{}
	for _, k := range simsensor.Kinds() {
		if !k.Sensor() {
			continue
		}
		first[k] = len(c.Names)
		for _, f := range k.Fields() {
			c.Names = append(c.Names, k.String()+"."+strings.ReplaceAll(f.Name, " ", "_"))
			c.Units = append(c.Units, f.Unit)
		}
	}
	c.each = func(take func(int, float64, float64)) error {
		var row simsensor.Row
		for {
			at, ok, err := player.Next(math.MaxInt64, &row)
			if err != nil || !ok {
				return err
			}
			for k := range row.Kind.Fields() {
				take(first[row.Kind]+k, at.Seconds(), float64(row.Fields[k]))
			}
		}
	}
	return c, nil
}
