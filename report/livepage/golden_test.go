package livepage_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gosmp/report/internal/pagetest"
	"gosmp/report/livepage"
)

// stub stands in for the server: it sends all data at once.
const stub = `<script>class EventSource { addEventListener(name, f) {
  if (name === "all") setTimeout(() => f({ data: %s }));
} }</script>`

// Two cars and a curve, 20 s after the start.
func TestWrite_LooksAsBefore(t *testing.T) {
	c := livepage.New([]livepage.Variable{{Name: "speed", Unit: "m/s"}})
	for k := range 200 {
		at := float64(k) / 10
		c.Add(at, []float64{10 + math.Sin(at)}, livepage.Picture{
			{ID: "ego", X: 10 * at, Y: 0, Length: 5, Width: 2, Host: true},
			{ID: "other", X: 20 + 9*at, Y: 3.5, Length: 5, Width: 2}})
	}
	var text bytes.Buffer
	require.NoError(t, livepage.Write(&text, livepage.Form{Title: "run of aeb.fmu",
		Events: []string{"brake"}, Sends: true}))
	data, err := json.Marshal(string(c.All()))
	require.NoError(t, err)
	page := strings.Replace(text.String(), "<style>", fmt.Sprintf(stub, data)+"<style>", 1)
	pagetest.LooksAsBefore(t, []byte(page), 1100)
}
