package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"

	"aburn/worker"
)

// Entry is one line of a ledger: a fact, which the state is made of, and what only people and commands need of it.
type Entry struct {
	worker.Fact
	Detail
}

// Detail is what a fact carries beside its meaning for the state. Its members have other names than a fact's.
type Detail struct {
	Task        string          `json:"task,omitempty"`        // requested: the head of the task, scrubbed
	Digest      string          `json:"task_sha256,omitempty"` // requested: of the whole task
	Issue       string          `json:"issue,omitempty"`       // requested: its id in the tracker
	IssueURL    string          `json:"issue_url,omitempty"`   // requested
	Agent       string          `json:"agent,omitempty"`       // requested
	Via         string          `json:"via,omitempty"`         // requested, restored: the runtime
	Permissions string          `json:"permissions,omitempty"` // requested
	Repo        string          `json:"repo,omitempty"`        // requested: the checkout whose worktree it is
	Tree        string          `json:"tree,omitempty"`        // requested: where the worker works; a real path
	Branch      string          `json:"branch,omitempty"`      // requested, branch; merged: the branch that was merged into
	Taken       bool            `json:"taken,omitempty"`       // requested: the branch was there before, and never goes with the worker
	Base        string          `json:"base,omitempty"`        // requested, synced: the commit that the branch begins at; merged: where the other branch stood
	BaseRef     string          `json:"base_ref,omitempty"`    // requested, synced: and what the person called it
	Parent      string          `json:"parent,omitempty"`      // requested: the worker that began it
	Source      string          `json:"source,omitempty"`      // requested: the worker whose conversation and tree it goes on with
	Begins      string          `json:"begins,omitempty"`      // requested: where its branch begins, if that is not the base
	Session     string          `json:"session,omitempty"`     // launched: the agent's own id of the session
	Keeper      *worker.Process `json:"holder_proc,omitempty"` // launched
	// requested, prepared, launched: ABURN_WORKER in the environment of all that it starts; gate: of the gates
	Mark    string         `json:"mark,omitempty"`
	Address string         `json:"address,omitempty"`      // launched: where its runtime finds it
	Ref     string         `json:"ref,omitempty"`          // snapshot, preserved: keeps the commit alive
	Commit  string         `json:"commit,omitempty"`       // snapshot, preserved, removed; merged, synced: what came of it
	Skipped []string       `json:"skipped,omitempty"`      // snapshot, preserved: what it does not hold, and why
	Signal  int            `json:"signal,omitempty"`       // certificate
	Left    *int           `json:"left,omitempty"`         // certificate: processes that the agent left, which the holder ended
	Step    string         `json:"step,omitempty"`         // step: copy, link, ports, setup
	Ports   map[string]int `json:"ports,omitempty"`        // step: variables of the environment
	Seconds float64        `json:"seconds,omitempty"`      // step: how long setup took
	Peer    string         `json:"peer,omitempty"`         // overlap: the other worker
	Files   []string       `json:"files,omitempty"`        // overlap, step: the first of them
	Count   int            `json:"count,omitempty"`        // overlap, step: how many files
	Set     string         `json:"files_sha256,omitempty"` // overlap: of all of them
	Bytes   int            `json:"bytes,omitempty"`        // message: of its text
	Sum     string         `json:"sha256,omitempty"`       // message: of its text
	From    string         `json:"from,omitempty"`         // message: the agent that sent it; a person otherwise
	NoKeys  bool           `json:"no_keys,omitempty"`      // message: it is never typed
	Model   string         `json:"model,omitempty"`        // requested: if the person chose one
	Pass    []string       `json:"env,omitempty"`          // requested, restored: names of further variables that the agent gets
	Subject string         `json:"subject,omitempty"`      // reacted: what was told, once; no_progress: the signature of the verdict
	Gates   []string       `json:"gate_lines,omitempty"`   // requested: gates of this worker alone; gate: those that run
	URL     string         `json:"url,omitempty"`          // pr
	Failed  []string       `json:"failed,omitempty"`       // ci: names of the checks that failed, the first of them, scrubbed
	Items   []string       `json:"items,omitempty"`        // reacted: parts of the subject, each told once
	Limit   string         `json:"limit,omitempty"`        // requested: what it may use up, as a person says it
	Spent   string         `json:"spent,omitempty"`        // budget: what it had used up, in words
	Why     string         `json:"why,omitempty"`          // launch_failed, removed, gate, no_progress
}

// Encode gives e as one JSON line without a newline.
func Encode(e Entry) ([]byte, error) {
	fact, err := worker.Encode(e.Fact)
	if err != nil {
		return nil, err
	}
	detail, err := json.Marshal(e.Detail)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(detail, []byte("{}")) {
		fact = append(append(fact[:len(fact)-1], ','), detail[1:]...)
	}
	if len(fact) > worker.MaxFact {
		return nil, fmt.Errorf("entry has %d bytes, at most %d are a line", len(fact), worker.MaxFact)
	}
	return fact, nil
}

// Parse reads one line.
func Parse(line []byte) (e Entry, err error) {
	err = e.parse(line)
	return e, err
}

// parse reads a line in place, as an entry is large.
func (e *Entry) parse(line []byte) (err error) {
	if e.Fact, err = worker.Parse(line, worker.Ledger); err != nil || e.Kind == worker.Probed { // many, without details
		return err
	}
	return json.Unmarshal(line, &e.Detail)
}
