package queue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"gosmp/sweep"
)

// The names of the streams and stores on the server, which are a contract between versions.
const (
	runsStream = "GOSMP_RUNS"
	rowsStream = "GOSMP_ROWS"
	bucket     = "gosmp-experiments"
	kept       = 30 * 24 * time.Hour
)

// token turns a text into a part of a subject.
func token(text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(".*> \t\r\n", r) {
			return '-'
		}
		return r
	}, text)
}

// short returns the part of a digest used as the name of an experiment.
func short(base string) string { return base[:min(len(base), 20)] }

func runsOf(version, base string) string {
	return "gosmp.runs." + token(version) + "." + short(base) + "."
}

func rowsOf(base string) string { return "gosmp.rows." + short(base) + "." }

// lastToken returns the run in a subject.
func lastToken(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }

// order is the message that describes a run.
type order struct {
	Base       string          `json:"base"`       // digest of the experiment's files
	Experiment string          `json:"experiment"` // name of the description among them
	Set        []sweep.Setting `json:"set"`
	Seed       uint64          `json:"seed"`
	Files      []sweep.File    `json:"files,omitempty"` // in addition to the experiment's files
	Timeout    float64         `json:"timeout"`         // s
	Attempts   int             `json:"attempts"`
}

// orderIn reads the message of a run.
func orderIn(m jetstream.Msg) (o order, err error) {
	if err := json.Unmarshal(m.Data(), &o); err != nil {
		return o, fmt.Errorf("its message in the queue cannot be read: %w", err)
	}
	c := sweep.Case{Set: o.Set, Seed: o.Seed, Files: o.Files}
	if digest, err := hex.DecodeString(o.Base); err != nil || len(digest) != sha256.Size ||
		c.ID(o.Base) != lastToken(m.Subject()) {
		return o, errors.New("its message in the queue belongs to another run")
	}
	if !filepath.IsLocal(o.Experiment) {
		return o, fmt.Errorf("its experiment %q is outside the folder of its files", o.Experiment)
	}
	return o, nil
}

// found returns the result of find or, if there is nothing to find, of create. If several processes
// do this at once, the server reports to all but one of them that the stream already exists or that
// it could not create the storage.
func found[T any](ctx context.Context, find, create func(context.Context) (T, error)) (T, error) {
	const attempts, distance = 20, 50 * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for k := 1; ; k++ {
		v, err := find(ctx)
		if !errors.Is(err, jetstream.ErrStreamNotFound) && !errors.Is(err,
			jetstream.ErrBucketNotFound) {
			return v, err
		}
		if v, err = create(ctx); err == nil || k == attempts || !contested(err) {
			return v, err
		}
		select {
		case <-ctx.Done():
			return v, err
		case <-time.After(distance):
		}
	}
}

// contested reports whether an error may be caused by another process creating the same stream.
func contested(err error) bool {
	const failed = 10049 // the server's code for any failure to create a stream
	var known *jetstream.APIError
	return errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) || errors.Is(err,
		jetstream.ErrBucketExists) ||
		errors.As(err, &known) && known.ErrorCode == failed
}

// stream returns a stream, which it creates if the server has none of that name.
func stream(ctx context.Context, js jetstream.JetStream, c jetstream.StreamConfig) (
	jetstream.Stream, error) {
	return found(ctx, func(ctx context.Context) (jetstream.Stream,
		error) {
		return js.Stream(ctx, c.Name)
	},
		func(ctx context.Context) (jetstream.Stream, error) { return js.CreateStream(ctx, c) })
}

func runs(ctx context.Context, js jetstream.JetStream) (jetstream.Stream, error) {
	return stream(ctx, js,
		jetstream.StreamConfig{Name: runsStream,
			Description: "runs of sweeps that are waiting or in progress",
			Subjects:    []string{"gosmp.runs.>"}, Retention: jetstream.WorkQueuePolicy,
			Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgsPerSubject: 1})
}

func rows(ctx context.Context, js jetstream.JetStream) (jetstream.Stream, error) {
	return stream(ctx, js,
		jetstream.StreamConfig{Name: rowsStream, Description: "rows of runs that have ended",
			Subjects: []string{"gosmp.rows.>"}, MaxMsgsPerSubject: 1, MaxAge: kept,
			AllowDirect: true})
}

func experiments(ctx context.Context, js jetstream.JetStream) (jetstream.ObjectStore, error) {
	return found(ctx, func(ctx context.Context) (jetstream.ObjectStore,
		error) {
		return js.ObjectStore(ctx, bucket)
	},
		func(ctx context.Context) (jetstream.ObjectStore, error) {
			return js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: bucket,
				Description: "files of experiments", TTL: kept})
		})
}

// refused reports whether an error means that the queue already has the run.
func refused(err error) bool {
	var known *jetstream.APIError
	return errors.As(err, &known) && strings.Contains(known.Description,
		"maximum messages per subject")
}

// rowIn reads the row of a message.
func rowIn(subject string, text []byte) (row sweep.Row, err error) {
	if len(text) > sweep.LargestRow {
		return row, fmt.Errorf("found %d bytes, expected at most %d", len(text), sweep.LargestRow)
	}
	if err := json.Unmarshal(text, &row); err != nil {
		return row, err
	}
	if id := lastToken(subject); row.ID != id {
		return row, fmt.Errorf("found the run %.40q, expected %s", row.ID, id)
	}
	return row, row.Check()
}
