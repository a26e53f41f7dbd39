package openclaw

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"aburn/internal/jsonl"
	"aburn/trace"
)

// index is the file that maps each key to its present session.
const index = "sessions.json"

// maxIndex bounds how many bytes of the index are read.
const maxIndex = 64 << 20

// readLines reads a transcript of versions before the database: the same records, one per line.
func readLines(ctx context.Context, store trace.Store, sink trace.Sink) error {
	f, err := jsonl.Open(store.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	x := &transcript{path: store.Path, sink: sink}
	end, err := jsonl.Read(ctx, f, 0, 0, func(l jsonl.Line) error {
		sink.Progress(l.Size)
		return x.line(ctx, l)
	})
	if err != nil {
		return err
	}
	if x.session == nil && x.seen > 0 {
		return &trace.UnknownLayout{Agent: product, Path: store.Path,
			Why: "it does not begin with a record of the type session"}
	}
	if x.session != nil {
		t, err := x.finish(ctx)
		if err != nil {
			return err
		}
		if err := sink.Trace(t); err != nil {
			return err
		}
	}
	sink.Done(trace.Cursor{Offset: end.Offset, Line: end.Line}, end.Torn)
	return nil
}

// transcript is a file of lines being read.
type transcript struct {
	path    string
	sink    trace.Sink
	session *session
	id      string // from the header
	keys    keys
	seen    int
}

func (x *transcript) line(ctx context.Context, l jsonl.Line) error {
	ref := trace.Ref{Line: l.N, Offset: l.Offset}
	if l.Data != nil && len(bytes.TrimSpace(l.Data)) == 0 {
		return nil
	}
	if x.seen++; x.session == nil {
		if x.seen > 1 || !valid(l.Data) {
			return nil
		}
		v := gjson.ParseBytes(l.Data)
		if v.Get("type").Str != "session" || v.Get("id").Str == "" {
			return nil
		}
		if err := x.begin(ctx, v); err != nil {
			return err
		}
	}
	why := fmt.Sprintf("the line is longer than %d bytes", jsonl.MaxLine)
	if l.Data != nil {
		why = x.session.record(l.Data, ref)
	}
	if why != "" {
		d := trace.Damage{Ref: ref, Reason: why}
		t := x.session.b.Trace()
		t.Damaged = append(t.Damaged, d)
		x.sink.Damaged(d)
	}
	return nil
}

// begin starts the session that the header v names.
func (x *transcript) begin(ctx context.Context, v gjson.Result) error {
	x.id = strings.Clone(v.Get("id").Str)
	id := x.id
	if stem, _, _ := strings.Cut(filepath.Base(x.path), ".jsonl"); strings.HasPrefix(stem, id+"-topic-") {
		id = stem // a chat's sessions share one id in the header
	}
	s := newSession(id, x.path, "")
	x.session = s
	x.keys = readKeys(filepath.Join(filepath.Dir(x.path), index))
	s.key = x.keys.keyOf(x.id, filepath.Base(x.path))
	entry := x.keys[s.key]
	s.child = strings.Contains(s.key, ":subagent:") || entry.spawnedBy != ""
	s.sessionOf = func(key string) string { return x.keys[key].session }
	parent := token(parentID(v.Get("parentSession").Str))
	if parent == "" || parent == id {
		return nil
	}
	ids, err := previousRecords(parent, x.sink)
	if err != nil {
		return err
	}
	s.origins = []origin{{parent, ids}}
	return x.scan(ctx, parent, func(line []byte) {
		if id := gjson.GetBytes(line, "id"); id.Type == gjson.String {
			ids[token(id.Str)] = true
		}
	})
}

// scan calls each with the lines of another session's transcript, if it lies beside this one.
func (x *transcript) scan(ctx context.Context, id string, each func(line []byte)) error {
	if strings.ContainsAny(id, `/\*?[`) {
		return nil
	}
	dir := filepath.Dir(x.path)
	path := filepath.Join(dir, id+".jsonl")
	if _, err := os.Stat(path); err != nil {
		files, _ := filepath.Glob(filepath.Join(dir, "*_"+id+".jsonl")) // a bad pattern matches nothing
		if len(files) != 1 {
			return nil
		}
		path = files[0]
	}
	f, err := jsonl.Open(path)
	if err != nil {
		return nil // deleted meanwhile
	}
	defer f.Close()
	_, err = jsonl.Read(ctx, f, 0, 0, func(l jsonl.Line) error {
		each(l.Data)
		return nil
	})
	return err
}

func (x *transcript) finish(ctx context.Context) (*trace.SessionTrace, error) {
	s := x.session
	entry := x.keys[s.key]
	source := ""
	if s.b.Trace().ID != x.id {
		source = token(x.id)
	}
	by := firstOf(entry.spawnedBy, entry.parentKey)
	if related := x.keys[by].session; s.child && related != "" && related != x.id {
		r := trace.SessionRelationship{Kind: trace.Subagent, Related: related, SourceSession: source,
			AgentID: token(s.key), AgentType: token(agentOf(s.key)),
			Description: head(entry.label, trace.UserHead), Provenance: trace.Inferred, Evidence: "the session that its caller's key stands for now"}
		mention := []byte(`"childSessionKey":"` + s.key + `"`)
		err := x.scan(ctx, related, func(line []byte) {
			if bytes.Contains(line, mention) && r.ParentCall == "" {
				r.ParentCall = token(firstOf(gjson.GetBytes(line, "message.details.toolCallId").Str,
					gjson.GetBytes(line, "message.toolCallId").Str))
				r.Provenance, r.Evidence = trace.Explicit, ""
			}
		})
		if err != nil {
			return nil, err
		}
		s.b.Relate(r)
	} else if s.parent != "" {
		kind, evidence := inherit(s.opening)
		s.b.Relate(trace.SessionRelationship{Kind: kind, Related: s.parent, SourceSession: source,
			Provenance: trace.Inferred, Evidence: evidence})
	} else {
		s.b.Relate(trace.SessionRelationship{Kind: trace.Root, SourceSession: source, Provenance: trace.Explicit})
	}
	agent := filepath.Base(filepath.Dir(filepath.Dir(x.path)))
	if filepath.Base(filepath.Dir(x.path)) != "sessions" {
		agent = ""
	}
	status := ""
	if entry.session == x.id {
		status = entry.status
	}
	return s.finish(status, agent, "")
}

// keys is the content of an index, by key.
type keys map[string]indexEntry

type indexEntry struct{ session, file, status, spawnedBy, parentKey, label string }

// readKeys reads an index. It returns an empty one if the index is missing, or incomplete because the client is
// writing it.
func readKeys(path string) keys {
	k := keys{}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxIndex {
		return k
	}
	data, err := os.ReadFile(path)
	if err != nil || !valid(data) {
		return k
	}
	gjson.ParseBytes(data).ForEach(func(key, v gjson.Result) bool {
		get := func(name string) string { return strings.Clone(v.Get(name).Str) }
		k[strings.Clone(key.Str)] = indexEntry{get("sessionId"), filepath.Base(get("sessionFile")), get("status"),
			get("spawnedBy"), get("parentSessionKey"), get("label")}
		return true
	})
	return k
}

// keyOf returns the key of the session in this file, "" if it has none any more.
func (k keys) keyOf(session, file string) string {
	found := ""
	for key, v := range k {
		if (v.session == session || v.file == file) && (found == "" || key < found) {
			found = key
		}
	}
	return found
}
