package opencode

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"aburn/internal/jsonl"
	"aburn/trace"
)

// files is a storage folder of the versions before the database: session/PROJECT/SESSION.json,
// message/SESSION/MESSAGE.json, part/MESSAGE/PART.json. In a Ref, Table is the first folder and Key the rest.
type files struct {
	root string
	read int64 // bytes
}

// storage returns the storage folder of a session's file.
func storage(path string) files { return files{root: filepath.Dir(filepath.Dir(filepath.Dir(path)))} }

// errTooLarge says that a file exceeds the size of a record.
var errTooLarge = errors.New(tooLarge)

// load reads the record of a ref. Only regular files are read.
func (f *files) load(ref trace.Ref) ([]byte, error) {
	name := filepath.Join(ref.Table, filepath.FromSlash(ref.Key)+".json")
	if !filepath.IsLocal(name) {
		return nil, fmt.Errorf("%s: it leads out of the folder", name)
	}
	file, err := jsonl.Open(filepath.Join(f.root, name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, jsonl.MaxLine+1))
	f.read += int64(len(data))
	if err == nil && len(data) > jsonl.MaxLine {
		err = errTooLarge
	}
	return data, err
}

// readFiles emits the one session of a store of JSON files.
func readFiles(ctx context.Context, st trace.Store, sink trace.Sink) error {
	f := storage(st.Path)
	project := filepath.Base(filepath.Dir(st.Path))
	id := strings.TrimSuffix(filepath.Base(st.Path), ".json")
	ref := trace.Ref{Table: "session", Key: project + "/" + id}
	data, err := f.load(ref)
	if err != nil {
		return err
	}
	s, ok := parseSession(data)
	if !ok {
		sink.Done(trace.Cursor{}, true) // opencode is writing it
		return nil
	}
	s.ref = ref
	t, err := f.fold(ctx, s)
	if err != nil {
		return err
	}
	made, err := t.assemble(ctx, &f, st.Path, "", "json files")
	if err != nil {
		return fmt.Errorf("read %s: %w", st.Path, err)
	}
	for _, damage := range made.Damaged {
		sink.Damaged(damage)
	}
	sink.Progress(f.read)
	if err := sink.Trace(made); err != nil {
		return err
	}
	sink.Done(trace.Cursor{}, false)
	return nil
}

// fold reads a session's files in the order of their ids, which begin with the time.
func (f *files) fold(ctx context.Context, s session) (*conversation, error) {
	t := newConversation(s)
	var pos int64
	take := func(r record) error {
		pos++
		r.pos = pos
		data, err := f.load(r.ref)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return ctx.Err() // it was deleted meanwhile
		case errors.Is(err, errTooLarge):
			t.damage(r.ref, tooLarge)
			return ctx.Err()
		case err != nil:
			return err
		}
		r.data = data
		t.apply(r)
		return ctx.Err()
	}
	for _, m := range jsonFiles(filepath.Join(f.root, "message", s.id)) {
		if err := take(record{kind: ofMessage, ref: trace.Ref{Table: "message", Key: s.id + "/" + m},
			id: m}); err != nil {
			return nil, err
		}
		if t.byID[m] == nil {
			continue // damaged; its parts belong to nothing
		}
		for _, p := range jsonFiles(filepath.Join(f.root, "part", m)) {
			if err := take(record{kind: ofPart, ref: trace.Ref{Table: "part", Key: m + "/" + p}, id: p,
				message: m}); err != nil {
				return nil, err
			}
		}
	}
	t.settle(nil)
	return t, nil
}

func (f *files) spawningCalls(ctx context.Context, session string) (map[string]string, error) {
	calls := map[string]string{}
	return calls, f.parts(ctx, session, func(part []byte) { noteSpawningCall(calls, part) })
}

func (f *files) parts(ctx context.Context, session string, each func(part []byte)) error {
	for _, m := range jsonFiles(filepath.Join(f.root, "message", session)) {
		for _, p := range jsonFiles(filepath.Join(f.root, "part", m)) {
			data, err := f.load(trace.Ref{Table: "part", Key: m + "/" + p})
			if err == nil {
				each(data)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}

// originCandidates looks within the session's project: forks stay in one.
func (f *files) originCandidates(ctx context.Context, s session, created int64) ([]string, error) {
	project, _, _ := strings.Cut(s.ref.Key, "/")
	var older []session
	for _, id := range jsonFiles(filepath.Join(f.root, "session", project)) {
		data, err := f.load(trace.Ref{Table: "session", Key: project + "/" + id})
		if other, ok := parseSession(data); err == nil && ok && other.id != s.id && other.created <= s.created {
			turns, _, err := f.turnsOf(ctx, other.id)
			if err != nil {
				return nil, err
			}
			for t := range turns {
				if t.created == created {
					older = append(older, other)
					break
				}
			}
		}
	}
	slices.SortFunc(older, func(a, b session) int {
		return cmp.Or(cmp.Compare(a.created, b.created),
			cmp.Compare(a.id, b.id))
	})
	var ids []string
	for _, o := range older {
		ids = append(ids, o.id)
	}
	return ids, nil
}

func (f *files) turnsOf(ctx context.Context, session string) (map[turn]int, map[string]bool, error) {
	turns, calls := map[turn]int{}, map[string]bool{}
	for _, m := range jsonFiles(filepath.Join(f.root, "message", session)) {
		data, err := f.load(trace.Ref{Table: "message", Key: session + "/" + m})
		if in, ok := parseInfo(data); err == nil && ok {
			turns[turn{in.created, in.role}]++
		}
	}
	err := f.parts(ctx, session, func(part []byte) {
		if call := text(part, "callID"); call != "" {
			calls[call] = true
		}
	})
	return turns, calls, err
}
