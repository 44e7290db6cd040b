package sweeps

import (
	"fmt"
	"io"
	"time"

	"gosmp/internal/quantity"
	"gosmp/run/campaign"
)

// progress shows the rate, the failures and the remaining time. On a terminal, it updates a line
// twice a second; elsewhere, such as in the log of a batch system, it prints a line each minute.
type progress struct {
	out          io.Writer
	terminal     bool
	began, shown time.Time // zero before the first call
}

func (p *progress) show(s campaign.Progress, now time.Time) {
	if s.Over {
		if p.terminal {
			fmt.Fprint(p.out, "\r\x1b[K")
		}
		return
	}
	if p.began.IsZero() {
		p.began, p.shown = now, now
	}
	every := time.Minute
	if p.terminal {
		every = 500 * time.Millisecond
	}
	if now.Sub(p.shown) < every {
		return
	}
	p.shown = now
	rate := float64(s.Ended) / now.Sub(p.began).Seconds()
	left := s.Cases - s.Reused - s.Ended
	line := fmt.Sprintf("%s of %s runs, %s not passed, %.1f runs/s, %v to go",
		quantity.Grouped(s.Reused+s.Ended), quantity.Grouped(s.Cases), quantity.Grouped(s.Failed),
		rate, time.Duration(float64(left)/rate*float64(time.Second)).Round(time.Second))
	if p.terminal {
		line = "\r" + line + " \x1b[K"
	} else {
		line = "gosmp sweep: " + line + "\n"
	}
	fmt.Fprint(p.out, line)
}
