// Package handoff makes a briefing about a session for another agent or person: what was asked, made, checked and left open. Each fact
// names its source. No model writes it. It prints nothing.
package handoff

import (
	"context"
	"errors"
	"os"
	"time"

	"aburn/archive"
	"aburn/archive/conversation"
	"aburn/archive/lookup"
	"aburn/archive/names"
	"aburn/archive/story"
	"aburn/history/commits"
	"aburn/history/why"
	"aburn/internal/agentcli"
	"aburn/trace"
)

// Briefing is what a session leaves to whoever continues it.
type Briefing struct {
	Source  string    `json:"source"`
	Session string    `json:"session"`
	Agent   string    `json:"agent"` // its name for people
	Model   string    `json:"model,omitempty"`
	Folder  string    `json:"folder,omitempty"`
	Start   time.Time `json:"start,omitzero"`
	End     time.Time `json:"end,omitzero"`
	Outcome string    `json:"outcome"`
	// Sections are in the order of the text. Empty ones are left out.
	Sections []Section `json:"sections"`
	// Missing says what aburn couldn't read.
	Missing []string `json:"missing,omitempty"`
}

// Section is statements about one question.
type Section struct {
	Name       Name        `json:"name"`
	Statements []Statement `json:"statements"`
	Left       int         `json:"left,omitempty"` // statements that were left out because there are too many
}

// Name is the question that a section answers.
type Name string

// The sections, in the order of the text.
const (
	Asked       Name = "asked"       // the prompts, the newest first
	Completed   Name = "completed"   // commands and phases of the workflow
	Committed   Name = "committed"   // commits that the session made
	Changed     Name = "changed"     // files, the newest change first
	Checked     Name = "checked"     // the last run of each check
	Failed      Name = "failed"      // calls that failed and never succeeded later
	Open        Name = "open"        // what waits: denials, todo items, how the last turn ended
	LastWords   Name = "last_words"  // the agent's last message
	Uncommitted Name = "uncommitted" // in the session's worktree now
)

// Statement is one fact.
type Statement struct {
	Text string `json:"text"`
	From From   `json:"from"`
	// Event is its number in the session, 0 if the fact is from elsewhere.
	Event int       `json:"event,omitempty"`
	Time  time.Time `json:"time,omitzero"`
}

// From is where a fact is recorded.
type From string

// The sources of facts.
const (
	FromSession From = "session" // the agent's own record
	FromHooks   From = "hooks"   // the project's log
	FromGit     From = "git"
)

// maker makes one briefing.
type maker struct {
	*Briefing
	session *archive.Session
	stored  *trace.SessionTrace
	calls   []trace.Call
	texts   *conversation.Texts

	folderGone bool
}

// Ask makes the briefing about a session that a person or agent names, and returns the session's short name. environ is what git gets.
func Ask(ctx context.Context, c *lookup.Caller, environ []string, word string) (*Briefing, string, error) {
	arch, err := lookup.View(ctx, c.Caller)
	if err != nil {
		return nil, "", err
	}
	defer arch.Close()
	s, err := lookup.NamedSession(ctx, c.Caller, arch, word)
	if err != nil {
		return nil, "", err
	}
	short, err := names.Read(ctx, arch)
	if err != nil {
		return nil, "", err
	}
	b, err := of(ctx, c, arch, environ, s)
	return b, short.Of(s.Source, s.ID), err
}

func of(ctx context.Context, c *lookup.Caller, arch *archive.Archive, environ []string, s archive.Session) (*Briefing, error) {
	t, err := arch.Trace(ctx, s.Key)
	if err != nil {
		return nil, err
	}
	judged, err := c.Judge(ctx, []archive.Session{s})
	if err != nil {
		return nil, err
	}
	m := &maker{Briefing: &Briefing{Source: s.Source, Session: s.ID, Agent: agentcli.Of(s.Source).Title, Folder: s.Project.Path, Start: s.Start, End: s.End,
		Outcome: string(judged[0].Outcome), Sections: []Section{}}, session: &s, stored: t, calls: t.Calls(), texts: conversation.TextsOf(&s, t, archive.Dir(c.Env))}
	for i := range t.Responses {
		if r := &t.Responses[i]; r.Copied == "" && r.Model != "" {
			m.Model = clean(r.Model)
		}
	}
	if err := m.read(ctx); err != nil {
		return nil, err
	}
	both, err := story.Join(ctx, arch, &s, t)
	if err != nil {
		m.missing("what hooks recorded: " + err.Error())
	}
	m.add(Asked, m.prompts())
	m.add(Completed, completed(both.Hooks))
	repo, err := m.repository(ctx, environ)
	if err == nil {
		m.add(Committed, m.commits(ctx, c, arch, repo))
	}
	m.add(Changed, m.files())
	m.add(Checked, m.checks())
	m.add(Failed, m.failures())
	m.add(Open, m.open())
	m.add(LastWords, m.lastWords())
	if err == nil {
		err = m.uncommitted(ctx, repo)
	}
	if err != nil && ctx.Err() == nil {
		m.missing("what is not committed: " + err.Error())
	}
	return m.Briefing, ctx.Err()
}

// most bounds the statements of a section.
var most = map[Name]int{Asked: 12, Completed: 10, Committed: 12, Changed: 25, Checked: 6, Failed: 8, Open: 16, LastWords: 1, Uncommitted: 25}

func (m *maker) add(name Name, list []Statement) {
	if len(list) == 0 {
		return
	}
	s := Section{Name: name, Statements: list}
	if n := most[name]; len(list) > n {
		s.Left, s.Statements = len(list)-n, list[:n]
		if name == Asked { // the first prompt says what all of it is for
			s.Statements[n-1] = list[len(list)-1]
		}
	}
	m.Sections = append(m.Sections, s)
}

func (m *maker) missing(text string) { m.Missing = append(m.Missing, clean(text)) }

// repository is the one around the session's folder.
func (m *maker) repository(ctx context.Context, environ []string) (*commits.Repo, error) {
	if _, err := os.Stat(m.session.Project.Path); err != nil {
		m.folderGone = true
		return nil, errors.New("the folder is gone")
	}
	return commits.Open(ctx, m.session.Project.Path, environ)
}

// commits are those that a call of the session made.
func (m *maker) commits(ctx context.Context, c *lookup.Caller, arch *archive.Archive, repo *commits.Repo) (list []Statement) {
	asker, err := why.New(ctx, c, arch, repo, nil)
	if err == nil {
		for _, made := range asker.MadeBy(ctx, m.session.Key) {
			list = append(list, Statement{Text: made.Hash[:10] + " " + clean(made.Subject), From: FromGit, Event: made.Sessions[0].Event, Time: made.Time})
		}
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		m.missing("commits: " + err.Error())
	}
	return list
}
