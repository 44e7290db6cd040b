package findings

import (
	"context"
	"path/filepath"
	"time"

	"gosmp/importer/examine"
	"gosmp/internal/finding"
)

// examine runs an FMU for a time. found receives each finding as soon as it is certain.
func (c *checker) examine(path string, limit time.Duration,
	found func(finding.Finding)) (*examine.Report, error) {
	return c.watched(filepath.Base(path), limit,
		func(ctx context.Context, o examine.Options) (*examine.Report, error) {
			o.Found = found
			return examine.Examine(ctx, path, o)
		})
}

// connection examines a connection of a system.
func (c *checker) connection(name string, h examine.Handover,
	limit time.Duration) (*examine.Report, error) {
	return c.watched(name, limit,
		func(ctx context.Context, o examine.Options) (*examine.Report, error) {
			return examine.Connection(ctx, h, o)
		})
}

// watched runs an examination and reports its progress.
func (c *checker) watched(name string, limit time.Duration, work func(context.Context,
	examine.Options) (*examine.Report, error)) (*examine.Report, error) {
	progress := func(done, all int, now string) {
		if c.Progress != nil {
			c.Progress(name, done, all, now)
		}
	}
	report, err := work(c.ctx, examine.Options{Time: limit, Only: c.Only, Lives: c.Lives,
		Progress: progress})
	progress(0, 0, "")
	if err == nil {
		err = c.ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return report, nil
}
