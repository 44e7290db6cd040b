package view

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"gosmp/internal/gate"
	"gosmp/internal/pause"
	"gosmp/report/livepage"
)

// refresh is the minimum time between two moments sent to pages.
const refresh = 50 * time.Millisecond

// Options defines what a view shows and how the run starts.
type Options struct {
	Address   string // HOST:PORT; "" for any port of this computer
	Title     string
	Variables []livepage.Variable
	Events    []string // with a button each
	// Send sends an event that a user chose or typed, with data in JSON or nil. It may be nil, and
	// must not wait.
	Send func(name string, data []byte) error
	// Ground draws the map as SVG. It may be nil.
	Ground func(io.Writer) error
	Speed  float64 // simulated seconds per second; 0 for as fast as possible
	Held   bool    // the run starts paused
}

// View shows a run. All its methods except Point may be called from any goroutine.
type View struct {
	options  Options
	rules    gate.Rules
	server   *http.Server
	listener net.Listener
	released chan struct{} // closed to end all waiting
	release  sync.Once
	opened   chan struct{} // closed once a page is opened
	once     sync.Once
	serving  sync.WaitGroup
	paces    pace
	text     func() ([]byte, error) // of the page, which is written once

	mu      sync.Mutex
	course  *livepage.Course
	state   state
	changed chan struct{} // closed when course or state changes
	taken   time.Time     // time of the newest moment
	share   share
}

// state holds what a page shows about the run. Its members are a contract with the script of the
// page.
type state struct {
	Time  float64 `json:"time"`
	Held  bool    `json:"held"`
	Speed float64 `json:"speed"`
	Over  bool    `json:"over"`
	Text  string  `json:"text"` // how the run ended
}

// Open starts the server of a view. The caller must close the view.
func Open(o Options) (*View, error) {
	token := make([]byte, 16)
	if _, err := rand.Read(token); err != nil {
		return nil, err
	}
	v := &View{options: o, rules: gate.Rules{Token: hex.EncodeToString(token)},
		released: make(chan struct{}), opened: make(chan struct{}), changed: make(chan struct{}),
		course: livepage.New(o.Variables), state: state{Speed: o.Speed, Held: o.Held}}
	v.paces.wake = make(chan struct{}, 1)
	v.text = sync.OnceValues(v.write)
	address := o.Address
	if address == "" {
		address = "127.0.0.1:0"
	}
	l, err := v.rules.Listen(address)
	if err != nil {
		return nil, err
	}
	v.listener = l
	v.server = &http.Server{Handler: v.handler(), ReadTimeout: headTime,
		WriteTimeout: patience, IdleTimeout: idleTime}
	v.serving.Go(func() { _ = v.server.Serve(l) }) // ended by Close
	return v, nil
}

// Address returns the URL of the page.
func (v *View) Address() string {
	return "http://" + v.listener.Addr().String() + "/?token=" + v.rules.Token
}

// Wait waits until a page is opened, but at most for a given time. It reports whether a page was
// opened.
func (v *View) Wait(most time.Duration) bool {
	late, stop := pause.Late(most)
	defer stop()
	select {
	case <-v.opened:
		return true
	case <-v.released:
	case <-late:
	}
	return false
}

// Release makes the run stop waiting.
func (v *View) Release() { v.release.Do(func() { close(v.released) }) }

// Take returns the values of the variables, and a picture.
type Take func(c *livepage.Course) ([]float64, livepage.Picture)

// Point must be called when the run reaches a time, in s. It waits until the clock also reaches
// that time, and while the user holds the run. It records a moment if one is due.
func (v *View) Point(now float64, take Take) {
	v.pause(now)
	v.mu.Lock()
	held := v.state.Held
	v.mu.Unlock()
	if held || time.Since(v.taken) >= refresh {
		v.take(now, take)
	}
	v.hold()
}

// take adds a moment to the course.
func (v *View) take(now float64, take Take) {
	v.taken = time.Now()
	v.mu.Lock()
	defer v.mu.Unlock()
	values, picture := take(v.course)
	v.course.Add(now, values, picture)
	v.state.Time = now
	v.change()
}

// change wakes all pages. The caller must hold the lock.
func (v *View) change() {
	close(v.changed)
	v.changed = make(chan struct{})
}

// Last adds the end of the run, which pages would otherwise not receive.
func (v *View) Last(now float64, take Take) {
	v.mu.Lock()
	seen := v.state.Time
	v.mu.Unlock()
	if now > seen {
		v.take(now, take)
	}
}

// Close informs the pages how the run ended, and closes the server.
func (v *View) Close(text string) {
	v.once.Do(func() {
		v.mu.Lock()
		v.state.Over, v.state.Text = true, text
		v.change()
		v.mu.Unlock()
		v.Release()
		ctx, stop := pause.Within(context.Background(), 2*time.Second)
		defer stop()
		if v.server.Shutdown(ctx) != nil { // a page does not read
			_ = v.server.Close()
		}
		v.serving.Wait()
	})
}
