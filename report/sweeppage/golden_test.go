package sweeppage_test

import (
	"testing"

	"gosmp/report/internal/pagetest"
)

func TestWrite_LooksAsBefore(t *testing.T) {
	pagetest.LooksAsBefore(t, []byte(write(t, grid(12, 6))), 2000)
}
