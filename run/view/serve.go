package view

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"time"

	"gosmp/internal/gate"
	"gosmp/report/livepage"
)

// Limits for pages.
const (
	mostRequest = 4 << 10          // bytes
	headTime    = 5 * time.Second  // for a request with its body
	patience    = 10 * time.Second // for a page that does not read
	idleTime    = 30 * time.Second // of a connection without a request
	mostSteps   = 1_000_000
	mostSpeed   = 1e6
)

// policy lets the page do only what it needs.
const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; " +
	"img-src data: blob:; connect-src 'self'; frame-ancestors 'none'; form-action 'none'; " +
	"base-uri 'none'"

func (v *View) handler() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /{$}", v.page)
	m.HandleFunc("GET /data", v.data)
	m.HandleFunc("POST /control", v.control)
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		right, err := v.rules.Right(q)
		if err == nil && right != gate.Drive {
			err = fmt.Errorf("%w: another page", gate.ErrRefused)
		}
		if err != nil {
			http.Error(w, "open the address that gosmp run --view has printed, with its token",
				http.StatusForbidden)
			return
		}
		m.ServeHTTP(w, q)
	})
}

// page serves the page itself.
func (v *View) page(w http.ResponseWriter, _ *http.Request) {
	text, err := v.text()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(text) // if it fails, the page is gone
}

// write returns the page, whose map takes time to draw.
func (v *View) write() ([]byte, error) {
	var b bytes.Buffer
	err := livepage.Write(&b, livepage.Form{Title: v.options.Title, Events: v.options.Events,
		Sends: v.options.Send != nil, Ground: v.options.Ground})
	return b.Bytes(), err
}

// data streams the events of the run until the run ends or the page is closed.
func (v *View) data(w http.ResponseWriter, q *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	_ = out.SetReadDeadline(time.Time{}) // of the request, which has been read
	alive := time.NewTicker(patience)
	defer alive.Stop()
	v.look()
	var all []byte
	for had := -1; ; {
		if !v.turn(q.Context()) {
			return
		}
		begun := time.Now()
		changed, over := v.changed, v.state.Over
		all, had = v.news(all[:0], had)
		now := time.Now()
		v.share.used(now, now.Sub(begun))
		v.mu.Unlock()
		_ = out.SetWriteDeadline(time.Now().Add(patience))
		if _, err := w.Write(all); err != nil || out.Flush() != nil || over {
			return
		}
		select {
		case <-changed:
		case <-alive.C: // otherwise the connection would look idle while the run is held
		case <-q.Context().Done():
			return
		}
	}
}

// turn takes the lock when a page may have data, or returns false if the page is gone. After the
// run, no page has to wait.
func (v *View) turn(page context.Context) bool {
	for {
		v.mu.Lock()
		d, changed := v.share.due(time.Now()), v.changed
		if d <= 0 || v.state.Over {
			return true
		}
		v.mu.Unlock()
		timer := time.NewTimer(d)
		select {
		case <-timer.C:
		case <-changed: // the run may be over
		case <-page.Done():
		}
		timer.Stop()
		if page.Err() != nil {
			return false
		}
	}
}

// news appends the events for a page that already has some moments, and returns the new number of
// moments. -1 means none so far. The caller must hold the lock.
func (v *View) news(b []byte, had int) ([]byte, int) {
	if n := v.course.Len(); n > 0 && n != had {
		var more []byte
		if had >= 0 {
			more = v.course.Since(had)
		}
		if more != nil {
			b = event(b, "more", more)
		} else {
			b = event(b, "all", v.course.All())
		}
		had = n
	}
	text, err := json.Marshal(v.state)
	if err != nil {
		panic(err) // numbers are finite
	}
	return event(b, "state", text), had
}

// event appends an event of text/event-stream. JSON contains no line breaks.
func event(b []byte, name string, data []byte) []byte {
	b = append(b, "event: "+name+"\ndata: "...)
	return append(append(b, data...), "\n\n"...)
}

// look records that the page was opened.
func (v *View) look() {
	v.mu.Lock()
	defer v.mu.Unlock()
	select {
	case <-v.opened:
	default:
		close(v.opened)
	}
}

// wish is a user's request to the run.
type wish struct {
	Do    string          `json:"do"` // pause, go, step, speed or event
	Steps int             `json:"steps"`
	Speed float64         `json:"speed"`
	Event string          `json:"event"`
	Data  json.RawMessage `json:"data"` // of the event
}

// control executes a user's request.
func (v *View) control(w http.ResponseWriter, q *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, q.Body, mostRequest))
	var x wish
	if err == nil {
		err = json.Unmarshal(text, &x)
	}
	if err == nil {
		err = v.obey(&x)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// nameOf matches the names of events.
var nameOf = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\p{L}\p{N}_:-]+(\.[\p{L}\p{N}_:-]+)*$`)
})

// send sends an event.
func (v *View) send(x *wish) error {
	if v.options.Send == nil {
		return errors.New("found an event, but nothing in this run takes events")
	}
	if !nameOf().MatchString(x.Event) {
		return fmt.Errorf("found the event %s, expected a name such as door.open",
			strconv.Quote(x.Event))
	}
	return v.options.Send(x.Event, x.Data)
}

func (v *View) obey(x *wish) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	s := &v.state
	switch x.Do {
	case "pause":
		s.Held = true
	case "go":
		s.Held, v.paces.steps = false, 0
	case "step":
		n := max(1, x.Steps)
		s.Held, v.paces.steps = true, min(v.paces.steps+min(n, mostSteps), mostSteps)
	case "speed":
		if !(x.Speed >= 0 && x.Speed <= mostSpeed) {
			return fmt.Errorf("found a speed of %v, expected 0 to %v", x.Speed, float64(mostSpeed))
		}
		s.Speed = x.Speed
	case "event":
		if err := v.send(x); err != nil {
			return err
		}
	default:
		return fmt.Errorf("found %s, expected pause, go, step, speed or event", strconv.Quote(x.Do))
	}
	v.change()
	v.paces.signal()
	return nil
}
