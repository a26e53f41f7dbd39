package overview

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aburn/archive"
	"aburn/archive/lookup"
	"aburn/internal/workspace"
	"aburn/worker/manager"
	"aburn/worker/projects"
)

// TranscriptsNow names how the files stand in which a worker's sessions are stored: the same text if none of them was written, ""
// if none is known. A database that many sessions share counts as written when any of them is.
func TranscriptsNow(ctx context.Context, o *projects.Project, env func(string) string, m *manager.Member) (string, error) {
	c := workspace.Quiet(o.Root, env, time.Now())
	paths, err := transcripts(ctx, c, m)
	if err == nil && len(paths) == 0 {
		if err = lookup.Refresh(ctx, c, filepath.Clean(m.Request.Tree)); err == nil {
			paths, err = transcripts(ctx, c, m)
		}
	}
	var text strings.Builder
	for _, path := range paths {
		for _, file := range []string{path, path + "-wal"} {
			if st, err := os.Stat(file); err == nil {
				fmt.Fprintf(&text, "%s %d %d\n", file, st.Size(), st.ModTime().UnixNano())
			}
		}
	}
	return text.String(), err
}

// transcripts are the files of the archived sessions of a worker.
func transcripts(ctx context.Context, c *workspace.Caller, m *manager.Member) (paths []string, err error) {
	arch, err := archive.View(ctx, archive.Dir(c.Env))
	if none := (*archive.NotFound)(nil); errors.As(err, &none) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer arch.Close()
	list, err := arch.Sessions(ctx, archive.Filter{Project: m.Request.Tree, Source: m.Request.Agent}) // aburn's own records are no transcripts
	for i := range list {
		if !list[i].Gone {
			paths = append(paths, list[i].Path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths), err
}
