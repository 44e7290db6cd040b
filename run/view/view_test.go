package view_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gosmp/internal/gate/gatetest"
	"gosmp/report/livepage"
	"gosmp/run/view"
)

func open(t *testing.T, o view.Options) *view.View {
	t.Helper()
	o.Variables = []livepage.Variable{{Name: "x"}}
	v, err := view.Open(o)
	require.NoError(t, err)
	t.Cleanup(func() { v.Close("") })
	return v
}

// at returns an address of the server, with the token.
func at(t *testing.T, v *view.View, path string) string {
	t.Helper()
	u, err := url.Parse(v.Address())
	require.NoError(t, err)
	u.Path += path
	return u.String()
}

func post(t *testing.T, v *view.View, body string, header ...string) (int, string) {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at(t, v, "control"),
		strings.NewReader(body))
	require.NoError(t, err)
	for k := 0; k < len(header); k += 2 {
		q.Header.Set(header[k], header[k+1])
	}
	r, err := http.DefaultClient.Do(q)
	require.NoError(t, err)
	defer func() { _ = r.Body.Close() }()
	text, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return r.StatusCode, string(text)
}

// events returns the events that a page receives.
func events(t *testing.T, v *view.View) <-chan [2]string {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at(t, v, "data"), nil)
	require.NoError(t, err)
	r, err := http.DefaultClient.Do(q) //nolint:bodyclose // the reader below closes it
	require.NoError(t, err)
	require.Equal(t, "text/event-stream", r.Header.Get("Content-Type"))
	all := make(chan [2]string, 1000)
	go func() {
		defer close(all)
		defer func() { _ = r.Body.Close() }()
		name := ""
		for s := bufio.NewScanner(r.Body); s.Scan(); {
			if x, is := strings.CutPrefix(s.Text(), "event: "); is {
				name = x
			}
			if x, is := strings.CutPrefix(s.Text(), "data: "); is {
				all <- [2]string{name, x}
			}
		}
	}()
	return all
}

// state waits for a state of the run for which wanted returns true.
func state(t *testing.T, from <-chan [2]string, wanted func(s map[string]any) bool) {
	t.Helper()
	for e := range from {
		var s map[string]any
		require.NoError(t, json.Unmarshal([]byte(e[1]), &s))
		if e[0] == "state" && wanted(s) {
			return
		}
	}
	require.Fail(t, "the stream has ended")
}

func one(x float64) view.Take {
	return func(*livepage.Course) ([]float64, livepage.Picture) { return []float64{x}, nil }
}

// TestView_Refuses: requests without the token, other pages and meaningless requests are refused.
func TestView_Refuses(t *testing.T) {
	sent := ""
	v := open(t, view.Options{Events: []string{"go"}, Send: func(name string, data []byte) error {
		sent = name + string(data)
		return nil
	}})
	base, _, _ := strings.Cut(v.Address(), "?")
	for _, path := range []string{"", "?token=", "?token=0", "data", "control", "data?token=1"} {
		r, err := http.Get(base + path) //nolint:noctx // a test
		require.NoError(t, err)
		require.NoError(t, r.Body.Close())
		require.Equal(t, http.StatusForbidden, r.StatusCode, path)
	}
	code, _ := post(t, v, `{"do":"pause"}`, "Origin", "https://www.example.org")
	require.Equal(t, http.StatusForbidden, code)
	for body, want := range map[string]string{
		`{"do":"fly"}`:                 "expected pause, go, step, speed or event",
		`{"do":"speed","speed":-1}`:    "expected 0 to",
		`{"do":"speed","speed":1e300}`: "expected 0 to",
		`{"do":"event","event":"a b"}`: "expected a name such as door.open",
		`{`:                            "unexpected end",
		strings.Repeat(" ", 5000):      "too large",
	} {
		code, text := post(t, v, body)
		require.Equal(t, http.StatusBadRequest, code, body)
		require.Contains(t, text, want)
	}
	code, _ = post(t, v, `{"do":"event","event":"go"}`)
	require.Equal(t, http.StatusNoContent, code)
	require.Equal(t, "go", sent)
	code, _ = post(t, v, `{"do":"event","event":"door.open","data":{"side":"left"}}`)
	require.Equal(t, http.StatusNoContent, code)
	require.Equal(t, `door.open{"side":"left"}`, sent)
}

// TestView_SlowRequests: a program that does not know the token cannot keep its connections, whatever
// it sends slowly or not at all. A page with the token receives data for longer than a request may
// take.
func TestView_SlowRequests(t *testing.T) {
	t.Parallel()
	v := open(t, view.Options{})
	u, err := url.Parse(v.Address())
	require.NoError(t, err)
	seen := events(t, v)
	gatetest.Unfinished(t, u.Host, "", "GET", "GET / HTTP/1.1\r\nHost: a\r\n",
		"POST /control HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{",
		"POST /control HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n100\r\n{",
		"GET /data HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
	go v.Last(7, one(7))
	state(t, seen, func(s map[string]any) bool { return s["time"] == 7.0 })
}

// TestView_Page: the page exists, and is only allowed to contact its server. Its map is drawn once.
func TestView_Page(t *testing.T) {
	drawn := 0
	v := open(t, view.Options{Title: "town.xodr", Events: []string{"horn"},
		Ground: func(w io.Writer) error {
			drawn++
			_, err := io.WriteString(w, "<g/>")
			return err
		}})
	for range 3 {
		r, err := http.Get(v.Address()) //nolint:noctx // a test
		require.NoError(t, err)
		require.NoError(t, r.Body.Close())
	}
	require.Equal(t, 1, drawn)
	r, err := http.Get(v.Address()) //nolint:noctx // a test
	require.NoError(t, err)
	defer func() { _ = r.Body.Close() }()
	text, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	require.Contains(t, string(text), "<h1>town.xodr</h1>")
	require.Contains(t, string(text), `data-event="horn"`)
	require.Contains(t, string(text), "<g/>")
	require.Contains(t, r.Header.Get("Content-Security-Policy"), "connect-src 'self'")
	require.Equal(t, "no-referrer", r.Header.Get("Referrer-Policy"))
}

// TestView_Steps: a paused run performs only the steps that a user requests.
func TestView_Steps(t *testing.T) {
	v := open(t, view.Options{Held: true})
	seen := events(t, v)
	require.True(t, v.Wait(time.Hour), "somebody looks")
	steps := make(chan int, 100)
	go func() {
		defer close(steps)
		for k := range 20 {
			v.Point(float64(k), one(float64(k)))
			steps <- k
		}
	}()
	state(t, seen, func(s map[string]any) bool { return s["time"] == 0.0 && s["held"] == true })
	require.Empty(t, steps)
	_, _ = post(t, v, `{"do":"step","steps":3}`)
	state(t, seen, func(s map[string]any) bool { return s["time"] == 3.0 })
	for k := range 3 {
		require.Equal(t, k, <-steps)
	}
	require.Empty(t, steps)
	_, _ = post(t, v, `{"do":"go"}`)
	for k := 3; k < 20; k++ {
		require.Equal(t, k, <-steps)
	}
	v.Last(19, one(19))
	v.Close("It has passed.")
	state(t, seen, func(s map[string]any) bool {
		return s["over"] == true && s["text"] == "It has passed." && s["time"] == 19.0
	})
	_, open := <-seen
	require.False(t, open, "the stream ends with the run")
}

// TestView_Release: a run that is paused, or waits for the clock, ends when it is released.
func TestView_Release(t *testing.T) {
	for _, o := range []view.Options{{Held: true}, {Speed: 1e-9}} {
		v := open(t, o)
		done := make(chan struct{})
		go func() {
			defer close(done)
			v.Point(0, one(0))
			v.Point(1, one(1))
			v.Point(2, one(2))
		}()
		v.Release()
		<-done
		require.False(t, v.Wait(time.Hour))
	}
}

// TestView_Speed: a run that waits for the clock continues at once when the speed changes.
func TestView_Speed(t *testing.T) {
	v := open(t, view.Options{Speed: 1e-9})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for k := range 3 {
			v.Point(float64(k), one(0))
		}
	}()
	code, _ := post(t, v, `{"do":"speed","speed":0}`)
	require.Equal(t, http.StatusNoContent, code)
	<-done
}
