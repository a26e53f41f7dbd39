package look

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"aburn/internal/agentcli"
	"aburn/internal/proc"
	"aburn/logfmt"
	"aburn/supervisor/state"
)

// transcriptEnd is how much of a transcript's end is searched for delivered advice, in
// bytes.
const transcriptEnd = 1 << 20

// observe looks up the processes, files and deliveries that the state asks about.
func (l *Look) observe(want state.Wanted) state.Observed {
	o := state.Observed{
		Alive:  make(map[state.Proc]state.Fact, len(want.Procs)),
		Exists: make(map[state.OutputKey]state.Fact, len(want.Outputs)),
		Seen:   make(map[string]state.Fact, len(want.Tasks)),
		Closed: make(map[state.CallKey]state.Fact, len(want.Calls)),
	}
	for _, p := range want.Procs {
		o.Alive[p] = alive(p)
	}
	for _, key := range want.Outputs {
		o.Exists[key] = l.exists(key)
	}
	l.seen(want.Tasks, o.Seen)
	for _, key := range want.Calls {
		if l.closed(key) {
			o.Closed[key] = state.Yes
		}
	}
	return o
}

func alive(p state.Proc) state.Fact {
	switch proc.Of(proc.Process{PID: int(p.PID), Start: p.Start}, p.Host) {
	case proc.Runs:
		return state.Yes
	case proc.Gone:
		return state.No
	}
	return state.Unknown
}

// exists looks for a file inside its worktree. The answer is unknown for a path outside
// of it and for a worktree that is gone.
func (l *Look) exists(key state.OutputKey) state.Fact {
	if key.Path == "" || strings.HasPrefix(key.Path, "~") {
		return state.Unknown
	}
	root, err := os.OpenRoot(l.worktree(key.Wt) + "/.") // "/." demands a folder: opening a pipe would wait for its writer
	if err != nil {
		return state.Unknown
	}
	defer root.Close()
	if key.Wt != "" {
		if _, err := root.Lstat(".git"); err != nil {
			return state.Unknown
		}
	}
	_, err = root.Stat(filepath.FromSlash(key.Path))
	switch {
	case err == nil:
		return state.Yes
	case errors.Is(err, fs.ErrNotExist):
		return state.No
	}
	return state.Unknown
}

func (l *Look) worktree(wt string) string {
	p := l.o.Project
	if wt == p.Wt {
		return p.Worktree
	}
	return filepath.Join(p.Root, filepath.FromSlash(wt))
}

// seen searches the transcript of this hook's session for delivered advice.
func (l *Look) seen(tasks []state.WantedTask, facts map[string]state.Fact) {
	var transcript []byte
	for _, t := range tasks {
		if t.Session != "" && t.Session != l.o.Session || l.o.Transcript == "" {
			continue // another session's; a task of the project may have come to this one
		}
		if transcript == nil {
			l.slow()
			transcript = end(l.o.Transcript, transcriptEnd)
		}
		if bytes.Contains(transcript, []byte(taskMark(t.Task))) {
			facts[t.Task] = state.Yes
		}
	}
}

// closed reports whether the agent's own file has a result of the call.
func (l *Look) closed(key state.CallKey) bool {
	store := &agentcli.Of(key.Source).Store
	if l.o.Env == nil || store.Result == "" || strings.ContainsAny(string(key.Session), `*?[\/`) || strings.ContainsAny(key.Call, `"\`) {
		return false // a hook asks for nothing: the entries that it appends are the answer
	}
	home := agentcli.Of(key.Source).Home.Folder(l.o.Env("HOME"), l.o.Env)
	if home == "" {
		return false
	}
	paths, err := filepath.Glob(filepath.Join(home, filepath.FromSlash(path.Dir(store.Sessions)), string(key.Session)+path.Ext(store.Sessions)))
	if err != nil {
		return false
	}
	mark := []byte(store.Result + `"` + key.Call + `"`)
	return slices.ContainsFunc(paths, func(file string) bool { return bytes.Contains(end(file, transcriptEnd), mark) })
}

// taskMark identifies a task in a delivered text; nothing else writes it.
func taskMark(task string) string { return "aburn task " + logfmt.Token(task, 64) }

// end is the last max bytes of a regular file; empty, never nil, after an error.
func end(path string, max int64) []byte {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return []byte{}
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return []byte{}
	}
	b := make([]byte, min(info.Size(), max))
	n, err := f.ReadAt(b, info.Size()-int64(len(b)))
	if err != nil && err != io.EOF {
		return []byte{}
	}
	return b[:n]
}
