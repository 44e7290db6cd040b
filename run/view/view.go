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
	"gosmp/report/livepage"
)

// refresh is the least time between two moments that pages get.
const refresh = 50 * time.Millisecond

// Options are what a view shows, and how the run begins.
type Options struct {
	Address   string // HOST:PORT; "" is any port of this machine
	Title     string
	Variables []livepage.Variable
	Events    []string          // that a reader can send
	Send      func(name string) // takes one; nil: none
	// Ground draws the map in SVG; nil: there is none.
	Ground func(io.Writer) error
	Speed  float64 // simulated seconds per second; 0: as fast as possible
	Held   bool    // the run begins paused
}

// View is a run that is shown. Its methods but Point may be called by any goroutine.
type View struct {
	options  Options
	rules    gate.Rules
	server   *http.Server
	listener net.Listener
	released chan struct{} // closed when nothing may wait any more
	release  sync.Once
	opened   chan struct{} // closed when there is a page
	once     sync.Once
	serving  sync.WaitGroup
	paces    pace

	mu      sync.Mutex
	course  *livepage.Course
	state   state
	changed chan struct{} // closed when course or state are others
	taken   time.Time     // when the newest moment was
}

// state is what a page says about the run; its members are a contract with the script of the page.
type state struct {
	Time  float64 `json:"time"`
	Held  bool    `json:"held"`
	Speed float64 `json:"speed"`
	Over  bool    `json:"over"`
	Text  string  `json:"text"` // how it has ended
}

// Open opens the server of a view. Close must follow.
func Open(o Options) (*View, error) {
	token := make([]byte, 16)
	if _, err := rand.Read(token); err != nil {
		return nil, err
	}
	v := &View{options: o, rules: gate.Rules{Token: hex.EncodeToString(token)},
		released: make(chan struct{}), opened: make(chan struct{}), changed: make(chan struct{}),
		course: livepage.New(o.Variables), state: state{Speed: o.Speed, Held: o.Held}}
	v.paces.wake = make(chan struct{}, 1)
	address := o.Address
	if address == "" {
		address = "127.0.0.1:0"
	}
	l, err := v.rules.Listen(address)
	if err != nil {
		return nil, err
	}
	v.listener = l
	v.server = &http.Server{Handler: v.handler(), ReadHeaderTimeout: 10 * time.Second}
	v.serving.Go(func() { _ = v.server.Serve(l) }) // it ends by Close
	return v, nil
}

// Address is where a browser finds the page.
func (v *View) Address() string {
	return "http://" + v.listener.Addr().String() + "/?token=" + v.rules.Token
}

// Wait waits until a page has been opened, but no longer than a time. It reports whether there is
// one.
func (v *View) Wait(most time.Duration) bool {
	select {
	case <-v.opened:
		return true
	case <-v.released:
	case <-time.After(most):
	}
	return false
}

// Follow has the run wait for nothing any more once a context is done. The result ends that.
func (v *View) Follow(ctx context.Context) (stop func() bool) {
	return context.AfterFunc(ctx, v.Release)
}

// Release has the run wait for nothing any more.
func (v *View) Release() { v.release.Do(func() { close(v.released) }) }

// Take gets the values of the variables, and a picture.
type Take func(c *livepage.Course) ([]float64, livepage.Picture)

// Point is called when the run has reached a time, in s: it waits until the clock has reached that
// time, too, and while the reader holds the run. It takes what is there, if it is time for that.
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

// take takes a moment.
func (v *View) take(now float64, take Take) {
	v.taken = time.Now()
	v.mu.Lock()
	defer v.mu.Unlock()
	values, picture := take(v.course)
	v.course.Add(now, values, picture)
	v.state.Time = now
	v.change()
}

// change wakes all pages. The caller holds the lock.
func (v *View) change() {
	close(v.changed)
	v.changed = make(chan struct{})
}

// Last takes the end of the run, which no page would get otherwise.
func (v *View) Last(now float64, take Take) {
	v.mu.Lock()
	seen := v.state.Time
	v.mu.Unlock()
	if now > seen {
		v.take(now, take)
	}
}

// Close tells the pages how the run has ended, and closes the server.
func (v *View) Close(text string) {
	v.once.Do(func() {
		v.mu.Lock()
		v.state.Over, v.state.Text = true, text
		v.change()
		v.mu.Unlock()
		v.Release()
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		if v.server.Shutdown(ctx) != nil { // a page that reads nothing
			_ = v.server.Close()
		}
		v.serving.Wait()
	})
}
