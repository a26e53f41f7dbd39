package home

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"aburn/trace"
)

// Truth is what a home holds, all sessions together.
type Truth struct {
	Size    int64             `json:"size"`
	Seed    uint64            `json:"seed"`
	Brief   bool              `json:"brief,omitempty"`
	Files   int               `json:"files"`
	Records int64             `json:"records"`
	Bytes   map[string]int64  `json:"bytes"`  // by source
	Totals  map[string]*Total `json:"totals"` // by source
	// Kinds is the bytes of each kind of record, by source and kind.
	Kinds   map[string]int64 `json:"kinds"`
	Secrets []string         `json:"-"` // in SecretsFile
}

// Total adds up the sessions and sub-agents of one source.
type Total struct {
	Sessions  int                    `json:"sessions"`
	Subagents int                    `json:"subagents"`
	Relations map[trace.Relation]int `json:"relations"`
	Outcomes  map[trace.Outcome]int  `json:"outcomes"`
	Held
}

// Session is what one session holds, or one sub-agent: what the trace with this source and ID must say.
type Session struct {
	Source string         `json:"source"`
	ID     string         `json:"id"`
	File   string         `json:"file"` // relative to the home
	Main   bool           `json:"main"` // a session, not a sub-agent
	Kind   trace.Relation `json:"relation"`
	// Related is the session that it was copied from or spawned by, Call the call that spawned it.
	Related   string        `json:"related,omitempty"`
	Call      string        `json:"call,omitempty"`
	AgentID   string        `json:"agent_id,omitempty"`
	AgentType string        `json:"agent_type,omitempty"`
	Linked    bool          `json:"linked,omitempty"` // the source names the relationship
	Outcome   trace.Outcome `json:"outcome"`
	Start     int64         `json:"start"` // of what is not copied, Unix milliseconds
	Held
}

// Held is what can be added up. As in trace.Counts nothing that was copied is in it but in Copied.
type Held struct {
	Prompts    int            `json:"prompts"`
	Responses  int            `json:"responses"`
	Calls      int            `json:"calls"`
	Failed     int            `json:"failed"`
	Denied     int            `json:"denied"`
	NoResult   int            `json:"no_result"`
	Spawned    int            `json:"spawned"`
	Background int            `json:"background"` // of Spawned
	Changes    int            `json:"changes"`
	Errors     int            `json:"errors"`
	Interrupts int            `json:"interrupts"`
	Compacted  int            `json:"compacted"`
	Resumed    int            `json:"resumed"`    // by another process, as far as the source tells
	Notified   int            `json:"notified"`   // reports of background tasks and sub-agents
	Queued     int            `json:"queued"`     // prompts given while the agent worked; of Prompts
	Parallel   int            `json:"parallel"`   // calls that shared a response with others
	Abandoned  int            `json:"abandoned"`  // calls on branches that were rewound
	Containers int            `json:"containers"` // calls that only hold others
	UserCalls  int            `json:"user_calls"` // commands that the user ran; not in Calls
	Repeats    int            `json:"repeats"`    // repeated usage records
	Dropped    int            `json:"dropped"`    // answers that broke off and were asked for again
	Reviews    int            `json:"reviews"`
	Legacy     int            `json:"legacy"`
	Copied     Copied         `json:"copied"`
	Tools      map[string]int `json:"tools"`
	FailedBy   map[string]int `json:"failed_by_tool"`
	Usage      trace.Usage    `json:"usage"`
}

// Copied is what was copied from other sessions.
type Copied struct {
	Prompts   int `json:"prompts"`
	Responses int `json:"responses"`
	Calls     int `json:"calls"`
}

func newTruth(opts Options) *Truth {
	return &Truth{Size: opts.Size, Seed: opts.Seed, Brief: opts.Brief, Bytes: map[string]int64{}, Totals: map[string]*Total{}, Kinds: map[string]int64{}}
}

func (t *Truth) size() int64 {
	var n int64
	for _, b := range t.Bytes {
		n += b
	}
	return n
}

func (t *Truth) record(agent, kind string, n int64) {
	if agent == "" {
		return
	}
	t.Records++
	t.Bytes[agent] += n
	t.Kinds[agent+" "+kind] += n
}

// note adds a session that is written to the totals and to the list.
func (m *maker) note(s *Session) {
	t := m.truth.Totals[s.Source]
	if t == nil {
		t = &Total{Relations: map[trace.Relation]int{}, Outcomes: map[trace.Outcome]int{}}
		m.truth.Totals[s.Source] = t
	}
	t.Relations[s.Kind]++
	if s.Main {
		t.Sessions++
		t.Outcomes[s.Outcome]++
	} else {
		t.Subagents++
	}
	t.Add(&s.Held)
	line, err := json.Marshal(s)
	if err == nil {
		_, err = m.sessions.Write(append(line, '\n'))
	}
	if m.err == nil {
		m.err = err
	}
}

// Add adds o to h.
func (h *Held) Add(o *Held) {
	for _, f := range [][2]*int{{&h.Prompts, &o.Prompts}, {&h.Responses, &o.Responses}, {&h.Calls, &o.Calls}, {&h.Failed, &o.Failed}, {&h.Denied, &o.Denied},
		{&h.NoResult, &o.NoResult}, {&h.Spawned, &o.Spawned}, {&h.Background, &o.Background}, {&h.Changes, &o.Changes}, {&h.Errors, &o.Errors},
		{&h.Interrupts, &o.Interrupts}, {&h.Compacted, &o.Compacted}, {&h.Resumed, &o.Resumed}, {&h.Notified, &o.Notified}, {&h.Queued, &o.Queued},
		{&h.Parallel, &o.Parallel}, {&h.Abandoned, &o.Abandoned}, {&h.Containers, &o.Containers}, {&h.UserCalls, &o.UserCalls}, {&h.Repeats, &o.Repeats},
		{&h.Dropped, &o.Dropped}, {&h.Reviews, &o.Reviews}, {&h.Legacy, &o.Legacy},
		{&h.Copied.Prompts, &o.Copied.Prompts}, {&h.Copied.Responses, &o.Copied.Responses}, {&h.Copied.Calls, &o.Copied.Calls}} {
		*f[0] += *f[1]
	}
	addAll(&h.Tools, o.Tools)
	addAll(&h.FailedBy, o.FailedBy)
	h.Usage.Add(o.Usage)
}

func addAll(to *map[string]int, from map[string]int) {
	for k, n := range from {
		count(to, k, n)
	}
}

func count(in *map[string]int, key string, n int) {
	if *in == nil {
		*in = map[string]int{}
	}
	(*in)[key] += n
}

// called notes a call of a tool.
func (h *Held) called(tool string) {
	h.Calls++
	count(&h.Tools, tool, 1)
}

// failed notes that a call of a tool failed.
func (h *Held) failed(tool string) {
	h.Failed++
	count(&h.FailedBy, tool, 1)
}

func (t *Truth) write(dir string) error {
	data, err := json.MarshalIndent(t, "", " ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, TruthFile), append(data, '\n'), 0o600); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, SecretsFile), []byte(strings.Join(t.Secrets, "\n")+"\n"), 0o600)
}

// Sessions reads what Make noted about each session.
func Sessions(dir string) ([]Session, error) {
	path := filepath.Join(dir, SessionsFile)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []Session
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var s Session
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", path, len(all)+1, err)
		}
		all = append(all, s)
	}
	return all, nil
}
