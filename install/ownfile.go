package install

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"aburn/internal/agentcli"
	"aburn/internal/project"
)

// ownFile is an agent's settings file of which everything is aburn's, because the agent reads all files of a folder. It
// is made and removed whole, and only if nobody has changed it.
type ownFile interface {
	// text is the whole file for the call.
	text(c call) []byte
	// registrations lists aburn's hooks in data. An error is one for which the agent reads nothing of the file.
	registrations(path string, data []byte) ([]Registration, error)
	// remarks are what the user should know about a file of this scope.
	remarks(scope Scope) []string
}

// ErrOthersFile means that a file with the name of aburn's own is not as aburn made it.
var ErrOthersFile = errors.New("was changed since aburn made it, so aburn leaves it alone")

// planOwn plans to make the agent's file of aburn's own, calling the executable at path.
func planOwn(o Options, f FileChange, path string) (FileChange, error) {
	t, err := f.begin(o)
	if err != nil {
		return f, err
	}
	a := f.Agent
	f.Hook = path
	f.New = a.own.text(call{agent: a, path: path, folders: f.what.(hooks).folders})
	old := readRecord(t.real, o.Env)
	if t.exists && !f.Same() && !old.leads(t.data) && !a.made(f.Path, t.data) {
		return f, fmt.Errorf("%s %w", f.Path, ErrOthersFile)
	}
	f.record = &record{
		Version: recordVersion, Agent: a.Name, Scope: f.Scope, Path: f.Path, Real: t.real, Time: time.Now().UTC(),
		Hook: f.Hook, After: []string{hash(f.New)}, Folders: missingFolders(filepath.Dir(t.real)), dir: recordDir(t.real, o.Env),
	}
	if old != nil && len(f.record.Folders) == 0 { // an earlier install made them
		f.record.Folders = old.Folders
	}
	if t.exists {
		f.record.After = append(f.record.After, hash(t.data))
		if f.Moved = len(a.events()); f.Same() {
			f.Moved = 0
		}
	}
	f.edits = []edit{{old: string(f.Old), new: string(f.New)}}
	f.Notes = o.twice(a)
	if !f.Same() || !t.exists {
		f.Notes = append(a.own.remarks(f.Scope), f.Notes...)
	}
	return f, nil
}

// planNoOwn plans to remove the agent's file of aburn's own.
func planNoOwn(o Options, f FileChange) (FileChange, error) {
	t, err := f.begin(o)
	if err != nil {
		return f, err
	}
	f.record = readRecord(t.real, o.Env)
	if !t.exists {
		return f, nil
	}
	if !f.record.leads(t.data) && !f.Agent.made(f.Path, t.data) {
		f.record = nil // it stays, and with it what is known of the file
		f.Notes = append(f.Notes, ErrOthersFile.Error()+": remove the lines that call the hook yourself")
		return f, nil
	}
	if f.record == nil {
		f.record = &record{Real: t.real, dir: recordDir(t.real, o.Env)}
	}
	f.Remove, f.Exact, f.New = true, true, nil
	f.edits = []edit{{old: string(f.Old)}}
	return f, nil
}

// made reports whether data is byte for byte what aburn makes for some executable and folders.
func (a *Adapter) made(path string, data []byte) bool {
	list, err := a.own.registrations(path, data)
	if err != nil || len(list) == 0 || !list[0].Ours {
		return false
	}
	return bytes.Equal(data, a.own.text(call{agent: a, path: list[0].Path, folders: list[0].Args[1:]}))
}

// ownCall returns the arguments behind the agent's name of a call of aburn's hook, without the event; false if it is
// another call.
func ownCall(a *agentcli.Agent, event, path string, args []string) (folders []string, ok bool) {
	name := filepath.Base(filepath.ToSlash(path))
	if i := strings.LastIndexByte(name, '\\'); i >= 0 {
		name = name[i+1:]
	}
	if strings.TrimSuffix(name, ".exe") != hookName || len(args) == 0 || args[0] != a.Name {
		return nil, false
	}
	folders = args[1:]
	if a.Hooks.EventArg {
		if len(folders) == 0 || folders[0] != event {
			return nil, false
		}
		folders = folders[1:]
	}
	return folders, project.AreFolderArgs(folders)
}
