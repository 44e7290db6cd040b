package queue

import (
	"context"
	"errors"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

// If another process creates the same stream at the same time, the server reports that the stream
// exists, or that it could not create the storage. The stream is then found.
func TestFound_WhatAnotherProcessMakes(t *testing.T) {
	t.Parallel()
	storage := &jetstream.APIError{ErrorCode: 10049, Description: "error creating store for stream"}
	other := errors.New("maximum number of streams reached")
	for _, c := range []struct {
		absent  error // result of find until the stream exists
		create  error
		missing int // number of times find does not see the stream
		want    error
	}{
		{jetstream.ErrStreamNotFound, nil, 1, nil},
		{jetstream.ErrStreamNotFound, jetstream.ErrStreamNameAlreadyInUse, 2, nil},
		{jetstream.ErrStreamNotFound, storage, 3, nil},
		{jetstream.ErrBucketNotFound, jetstream.ErrBucketExists, 1, nil},
		{jetstream.ErrStreamNotFound, storage, 1000, storage}, // a disk that is full
		{jetstream.ErrStreamNotFound, other, 1000, other},
		{other, nil, 1, other},
	} {
		asked, made := 0, 0
		v, err := found(t.Context(), func(context.Context) (int, error) {
			if asked++; asked <= c.missing {
				return 0, c.absent
			}
			return 7, nil
		}, func(context.Context) (int, error) {
			made++
			return 7, c.create
		})
		if c.want != nil {
			require.ErrorIs(t, err, c.want)
			require.LessOrEqual(t, made, 20)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, 7, v)
	}
}
