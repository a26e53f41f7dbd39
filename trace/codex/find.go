package codex

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"aburn/internal/jsonl"
	"aburn/trace"
)

// How the files are called: rollout-<local time>-<thread id>.jsonl, and rollout-<local time>-<thread id>_<segment id>.jsonl
// for what follows a rewind.
const (
	prefix     = "rollout-"
	suffix     = ".jsonl"
	compressed = ".jsonl.zst"
)

// sniffed is how much of a file is looked at to see whose it is, in bytes.
const sniffed = 4 << 10

func (reader) Find(ctx context.Context, in trace.Places, found func(trace.Store) error) error {
	var closed jsonl.Closed
	for _, path := range places(in) {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && len(in.Paths) == 0:
			continue
		case err != nil:
		case info.Mode().IsRegular():
			if isRollout(filepath.Base(path)) || strings.HasSuffix(path, suffix) && looksLikeRollout(path) {
				err = found(storeOf(path, jsonl.Stat{Size: info.Size(), ModTime: info.ModTime()}))
			}
		case info.IsDir():
			err = walk(ctx, path, found)
		}
		if err := closed.Pass(err); err != nil {
			return err
		}
	}
	return closed.Join()
}

// places is where rollouts are: what a person named, or the folders below CODEX_HOME.
func places(in trace.Places) []string {
	if len(in.Paths) > 0 {
		return in.Paths
	}
	home := ""
	if in.Getenv != nil {
		home = in.Getenv("CODEX_HOME")
	}
	if home == "" {
		home = filepath.Join(in.Home, ".codex")
	}
	return []string{filepath.Join(home, "sessions"), filepath.Join(home, "archived_sessions")}
}

// walk finds the rollouts below dir, which can be a link. What cannot be looked into is passed over.
func walk(ctx context.Context, dir string, found func(trace.Store) error) error {
	folder, err := jsonl.OpenFolder(dir)
	if err != nil {
		return err
	}
	var closed []error
	err = within(ctx, folder, found, &closed)
	return errors.Join(append(closed, err)...)
}

// within is walk for a folder that is open, and closes it. Into closed go the folders that may not be read.
func within(ctx context.Context, folder *jsonl.Folder, found func(trace.Store) error, closed *[]error) error {
	defer folder.Close()
	for i, e := range folder.Entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		switch {
		case e.IsDir():
			below, failed := jsonl.OpenFolder(folder.Path(i))
			if failed == nil {
				err = within(ctx, below, found, closed)
			} else if errors.Is(failed, fs.ErrPermission) {
				*closed = append(*closed, failed)
			}
		case e.IsRegular() && isRollout(e.Name):
			if stat, failed := folder.Stat(i); failed == nil { // else it was there a moment ago: archived, or removed
				err = found(storeOf(folder.Path(i), stat))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func isRollout(name string) bool {
	return strings.HasPrefix(name, prefix) && (strings.HasSuffix(name, suffix) || strings.HasSuffix(name, compressed))
}

// looksLikeRollout says whether a file of another name begins as a rollout does.
func looksLikeRollout(path string) bool {
	f, err := jsonl.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, sniffed)
	n, err := io.ReadFull(f, head)
	return (err == nil || errors.Is(err, io.ErrUnexpectedEOF)) && bytes.Contains(head[:n], []byte(`"type":"session_meta"`))
}

func storeOf(path string, stat jsonl.Stat) trace.Store {
	layout := layoutRollout
	if strings.HasSuffix(path, compressed) {
		layout = layoutCompressed
	}
	return trace.Store{Reader: Name, Path: path, Layout: layout, Size: stat.Size, ModTime: stat.ModTime}
}

// segmentOf is the id of the segment in a rollout's name, "" if it has none.
func segmentOf(path string) string {
	name, ok := strings.CutSuffix(filepath.Base(path), suffix)
	if !ok || !strings.HasPrefix(name, prefix) {
		return ""
	}
	_, segment, _ := strings.Cut(name, "_")
	return segment
}
