package results

import (
	"errors"
	"io"
	"math"

	"github.com/parquet-go/parquet-go"

	"gosmp/cosim"
	"gosmp/internal/release"
	"gosmp/timebase"
)

const (
	groupCells = 1 << 20 // values per row group, which is held in memory
	batchRows  = 256
)

// parquetTable writes a file of flat columns. The index is at the end, so an incomplete file cannot
// be read.
type parquetTable struct {
	to      *parquet.GenericWriter[any]
	columns []Column
	rows    []parquet.Row // a batch, whose memory is reused
	filled  int
}

// ordered is a group whose fields keep their order.
type ordered struct {
	parquet.Group
	fields []parquet.Field
}

// Fields implements [parquet.Node].
func (o *ordered) Fields() []parquet.Field { return o.fields }

func newParquet(w io.Writer, columns []Column) *parquetTable {
	group := parquet.Group{"time": parquet.Leaf(parquet.DoubleType)}
	order := []string{"time"}
	kept := columns[:0:0]
	for _, c := range columns {
		if _, twice := group[c.Label]; !twice {
			group[c.Label] = leaf(&c.Signal.Variable)
			order, kept = append(order, c.Label), append(kept, c)
		}
	}
	byName := map[string]parquet.Field{}
	for _, f := range group.Fields() {
		byName[f.Name()] = f
	}
	root := &ordered{Group: group}
	for _, name := range order {
		root.fields = append(root.fields, byName[name])
	}
	t := &parquetTable{columns: kept, rows: make([]parquet.Row, batchRows)}
	t.to = parquet.NewGenericWriter[any](w, parquet.NewSchema("results", root),
		parquet.Compression(&parquet.Snappy), parquet.CreatedBy("gosmp", release.Version, ""),
		parquet.MaxRowsPerRowGroup(int64(max(1000, groupCells/len(order)))))
	return t
}

// leaf returns the type of a column.
func leaf(v *cosim.Variable) parquet.Node {
	switch v.Kind {
	case cosim.Float64:
		return parquet.Leaf(parquet.DoubleType)
	case cosim.Float32:
		return parquet.Leaf(parquet.FloatType)
	case cosim.Boolean:
		return parquet.Leaf(parquet.BooleanType)
	case cosim.String:
		return parquet.String()
	case cosim.Binary:
		return parquet.Leaf(parquet.ByteArrayType)
	case cosim.UInt8:
		return parquet.Uint(8)
	case cosim.UInt16:
		return parquet.Uint(16)
	case cosim.UInt32:
		return parquet.Uint(32)
	case cosim.UInt64, cosim.Clock:
		return parquet.Uint(64)
	case cosim.Int8:
		return parquet.Int(8)
	case cosim.Int16:
		return parquet.Int(16)
	case cosim.Int32:
		return parquet.Int(32)
	}
	return parquet.Int(64)
}

func (t *parquetTable) begin(*cosim.Result) error { return nil }

func (t *parquetTable) row(_ timebase.Time, seconds float64) error {
	row := t.rows[t.filled][:0]
	row = append(row, parquet.DoubleValue(seconds).Level(0, 0, 0))
	for k := range t.columns {
		row = append(row, t.columns[k].parquet().Level(0, 0, k+1))
	}
	t.rows[t.filled] = row
	if t.filled++; t.filled < len(t.rows) {
		return nil
	}
	return t.write()
}

// parquet returns the value of a column with one element.
func (c *Column) parquet() parquet.Value {
	kind := c.Signal.Variable.Kind
	if kind.IsBlob() {
		// The bytes belong to the participant, and the row is written later.
		return parquet.ByteArrayValue(append([]byte{}, c.blobs()[0]...))
	}
	switch cell := c.cells()[0]; kind {
	case cosim.Float64:
		return parquet.DoubleValue(math.Float64frombits(cell))
	case cosim.Float32:
		return parquet.FloatValue(math.Float32frombits(uint32(cell)))
	case cosim.Boolean:
		return parquet.BooleanValue(cell != 0)
	case cosim.Int64, cosim.UInt64, cosim.Clock:
		return parquet.Int64Value(int64(cell))
	default:
		return parquet.Int32Value(int32(cell))
	}
}

// write writes the batch.
func (t *parquetTable) write() error {
	_, err := t.to.WriteRows(t.rows[:t.filled])
	t.filled = 0
	return err
}

func (t *parquetTable) end() error { return errors.Join(t.write(), t.to.Close()) }
