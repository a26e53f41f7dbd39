package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"aburn/archive/lookup"
	"aburn/cmd/aburn/internal/record"
	"aburn/history/handoff"
	"aburn/history/why"
	"aburn/insight/forest"
	"aburn/insight/lesson"
	"aburn/insight/queries"
	"aburn/insight/remedy"
	"aburn/insight/replay"
	"aburn/insight/report"
	"aburn/install"
	"aburn/internal/agentcli"
	"aburn/internal/fault"
	"aburn/internal/mcpserver"
	"aburn/internal/project"
	"aburn/internal/term"
	"aburn/internal/workspace"
	"aburn/supervisor/status"
	"aburn/trace/graph"
)

// The arguments of the tools.
type (
	chainAsk struct {
		Command string `json:"command,omitempty" jsonschema:"ideate, plan, build, ship or another command of the workflow; without it all of the chain"`
		All     bool   `json:"all,omitempty" jsonschema:"search the whole log, not only its newest part"`
		Any     bool   `json:"any,omitempty" jsonschema:"if there is none in this worktree, take it from another one; only with command"`
	}
	workflowAsk struct{}
	proofAsk    struct {
		Session string `json:"session,omitempty" jsonschema:"a session, by its id or a part of it; without it the newest one"`
	}
	whyAsk struct {
		Of string `json:"of" jsonschema:"FILE, FILE:LINE, FILE:LINE-LINE, a commit, a range of commits, or a branch"`
	}
	handoffAsk struct {
		Session string `json:"session" jsonschema:"a session of this project, by its id or the beginning of it"`
	}
	chooseAsk struct {
		Since   string `json:"since,omitempty" jsonschema:"only sessions that ended since then: 24h, 7d, 2026-11-21"`
		Source  string `json:"source,omitempty"` // described in tools
		Project string `json:"project,omitempty" jsonschema:"sessions in this folder of your project; of another project only if the user's own settings have mcp.all_projects"`
		All     bool   `json:"all_projects,omitempty" jsonschema:"sessions of all projects, not only of the one that you work in; only if the user's own settings have mcp.all_projects"`
	}
	targetAsk struct {
		Key     string `json:"key,omitempty" jsonschema:"a key of failure_report: f1-…, s1-… or e1-…"`
		Session string `json:"session,omitempty" jsonschema:"or a session, by its id or the beginning of it"`
	}
	graphAsk struct {
		Session string `json:"session,omitempty" jsonschema:"the tree that this session is part of; without it the trees that were last active"`
		Top     string `json:"top,omitempty" jsonschema:"rank by tokens, failures or duration instead"`
		chooseAsk
		Limit int `json:"limit,omitempty" jsonschema:"at most so many trees (10)"`
	}
)

// choose is which sessions are meant: by default those of the server's project with its worktrees. Text of one repository
// reaches an agent in another one only if the user's own settings allow that and the agent asks for it.
func (m *answers) choose(q *question, ask chooseAsk) (lookup.Choice, error) {
	what := lookup.Choice{Since: ask.Since, Source: ask.Source, Project: ask.Project}
	root, err := m.project()
	switch {
	case ask.All && ask.Project != "":
		return what, errors.New("project and all_projects: one of them")
	case ask.All && q.Within != "":
		return what, errors.New("all_projects: not allowed\nhint: " + openHint)
	case ask.All:
		return what, nil
	case ask.Project == "" || ask.Project == ".":
		what.Project = root
		return what, err
	case q.Within == "":
		return what, nil
	case err != nil:
		return what, err
	}
	if what.Project = ask.Project; !filepath.IsAbs(what.Project) {
		what.Project = filepath.Join(root, what.Project)
	}
	if what.Project = filepath.Clean(what.Project); !isWithin(what.Project, q.Within) {
		return what, errors.New("project " + fault.Quote(ask.Project) + ": another project\nhint: " + openHint)
	}
	return what, nil
}

// project is the folder of the project that the server runs in.
func (m *answers) project() (string, error) {
	root, err := install.ProjectRoot(m.dir, m.env)
	if err != nil {
		return "", fmt.Errorf("%w\nhint: %s, and all_projects then asks about all", err, openHint)
	}
	return project.Original(root, m.env), nil
}

// closed is err, and why a session or key can be unknown to an agent that others know.
func (q *question) closed(err error) error {
	failed := q.fail(err)
	if q.Within == "" {
		return failed
	}
	q.hint(openHint)
	return q.noAnswer()
}

func (t targetAsk) word() (string, error) {
	if t.Key != "" && t.Session != "" {
		return "", errors.New("key and session: one of them")
	}
	return cmp.Or(t.Key, t.Session), nil
}

func (m *answers) tools() []mcpserver.Tool {
	list := []mcpserver.Tool{
		mcpserver.NewTool[chainAsk, chainSchema]("chain", "What the commands before this one produced",
			"The last COMPLETE of a workflow command in this worktree (ideate, plan, build, ship): its summary, outputs and next command, and why it "+
				"may be outdated. "+
				"Ask before you build on something that an earlier command was to make.", m.chainTool),
		mcpserver.NewTool[workflowAsk, status.StatusReport]("workflow", "What the sessions are doing, and what is wrong",
			"The sessions of the last 24 hours in this project: what each is doing, in which command and phase, how long, and the issues that the supervisor sees "+
				"(stuck, looping, out of order, waiting), each with the entries of the log that prove it.", m.workflowTool),
		mcpserver.NewTool[proofAsk, status.Proof]("proof", "What was claimed, and what the log proves",
			"Each claim of a session that work is finished, and whether the last run of its checks carries it: the tests, build, type check or linter passed after "+
				"the last change of the code. Ask before you call work done. Without session: the newest one.", m.proofTool),
		mcpserver.NewTool[whyAsk, why.Answer]("why", "Which session made a line or a commit",
			"For each commit: the session, the prompt before it, the checks that ran, and how sure that is (made, "+
				"rewritten, stated, during, none). Ask before you change code whose reason you don't know.", m.whyTool),
		mcpserver.NewTool[handoffAsk, handoff.Briefing]("handoff", "What a session leaves to whoever continues it",
			"What the user asked, what the session made and checked, what failed, what is left open, and what isn't committed. "+
				"Each fact names its event. Ask when you continue another session's work.", m.handoffTool),
		mcpserver.NewTool[chooseAsk, report.Report]("failure_report", "What keeps going wrong",
			"Over the recorded sessions of this project (of all with all_projects, where the user's settings have mcp.all_projects): how they ended, failures "+
				"grouped under keys and ranked, tools that fail, files changed again and again, tokens that failures took. "+
				"Each rate has its denominator. Open a key with replay or remedy.", m.reportTool),
		mcpserver.NewTool[targetAsk, replay.Replay]("replay", "What one kind of failure looks like",
			"Opens a key of failure_report, or a session of this project: its files, tools and errors, and how its newest sessions began and first failed, each "+
				"claim with its source.", m.replayTool),
		mcpserver.NewTool[targetAsk, remedy.Answer]("remedy", "What once helped in a comparable case",
			"For a session that fails, or for a key: a known fix if one applies and the data prove it, else what comparable sessions that completed had changed, "+
				"else plainly that nothing is comparable. Siblings are of this project, or of all where the user's settings have mcp.all_projects. Without key and "+
				"session: your own session, as it stands so far.", m.remedyTool),
		mcpserver.NewTool[graphAsk, forest.GraphReport]("session_graph", "How sessions hang together",
			"Trees of this project's sessions (of all with all_projects, where the user's settings have mcp.all_projects): continuations, forks, sub-agents, with "+
				"calls, failed calls, tokens and time of each, and of all below it.", m.graphTool),
		mcpserver.NewTool[chooseAsk, lesson.Lessons]("lessons", "What recurs",
			"Shapes of failure that at least two sessions of this project have (of all with all_projects, where the user's settings have mcp.all_projects), ranked "+
				"by how often and how recently, with evidence.", m.lessonsTool),
	}
	for i := range list {
		list[i] = list[i].Explain("source", "only sessions of this agent: "+agentcli.Names(agentcli.All()))
	}
	return list
}

// chainSchema is the schema of chain's data: the commands as in `aburn chain --json`, with the other members of the entry.
type chainSchema struct {
	Commands []struct {
		Cmd       string     `json:"cmd"`
		Found     bool       `json:"found" jsonschema:"it has completed here"`
		State     string     `json:"state" jsonschema:"the newest thing that happened to it: done, running, left (started, and its session ended), failed, none"`
		Since     *time.Time `json:"since,omitempty"`
		LeftBy    string     `json:"left_by,omitempty" jsonschema:"with left: the session that ended"`
		LeftAt    *time.Time `json:"left_at,omitempty" jsonschema:"and when"`
		Stale     bool       `json:"stale,omitempty" jsonschema:"something makes it doubtful: see notes"`
		Elsewhere bool       `json:"elsewhere,omitempty" jsonschema:"it is of another worktree"`
		OtherWt   string     `json:"other_wt,omitempty" jsonschema:"nothing here, but there is something in that worktree"`
		Bounded   bool       `json:"bounded,omitempty" jsonschema:"only the newest part of the log was searched"`
		Outputs   []struct {
			Path  string `json:"path"`
			State string `json:"state" jsonschema:"same, changed, gone, exists, or why it was not checked"`
		} `json:"outputs,omitempty"`
		Notes []struct {
			Kind string `json:"kind"`
			Text string `json:"text"`
		} `json:"notes,omitempty"`
	} `json:"commands"`
}

func (m *answers) chainTool(ctx context.Context, who mcpserver.Asker, ask chainAsk) (*mcpserver.Answer, error) {
	q := m.question(ctx, who)
	chain, err := record.ChainOf(q.Caller.Caller, record.ChainQuery{Command: ask.Command, All: ask.All, Any: ask.Any})
	if err == nil {
		err = chain.Missing()
	}
	if err != nil {
		return scrubbedAnswer(nil, q.fail(err))
	}
	data := struct {
		Commands []json.RawMessage `json:"commands"`
	}{chain.Commands()}
	return scrubbedAnswer(q.answer(data, chain.Print))
}

func (m *answers) workflowTool(ctx context.Context, who mcpserver.Asker, _ workflowAsk) (*mcpserver.Answer, error) {
	q := m.question(ctx, who)
	s, err := status.StatusOf(ctx, q.Caller.Caller, status.StatusQuery{Trusted: true})
	if err == nil && s.Empty() {
		err = fault.Failed(workspace.NothingRecorded, workspace.AskDoctor)
	}
	if err != nil {
		return scrubbedAnswer(nil, q.fail(err))
	}
	answer, err := scrubbedAnswer(q.answer(s.Report(), s.PrintForAgent))
	return fenced("status", answer, err)
}

func (m *answers) proofTool(ctx context.Context, who mcpserver.Asker, ask proofAsk) (*mcpserver.Answer, error) {
	q := m.question(ctx, who)
	p, err := status.ProofOf(q.Caller.Caller, status.ProofQuery{Session: cmp.Or(ask.Session, status.LastSession), Trusted: true})
	if err != nil {
		return scrubbedAnswer(nil, q.fail(err))
	}
	return scrubbedAnswer(q.markdown(p, p.Markdown()))
}

func (m *answers) whyTool(ctx context.Context, who mcpserver.Asker, ask whyAsk) (*mcpserver.Answer, error) {
	q := m.question(ctx, who)
	w, err := why.Ask(ctx, q.Caller, os.Environ(), ask.Of, why.Limit, func() error { return nil })
	if err != nil {
		return nil, q.closed(err)
	}
	for _, note := range w.Notes() {
		q.say("note", note)
	}
	answer, err := q.answer(w, func(out *term.Out) error { w.Print(out); return nil })
	return fenced("why", answer, err)
}

func (m *answers) handoffTool(ctx context.Context, who mcpserver.Asker, ask handoffAsk) (*mcpserver.Answer, error) {
	q := m.question(ctx, who)
	b, name, err := handoff.Ask(ctx, q.Caller, os.Environ(), ask.Session)
	if err != nil {
		return nil, q.closed(err)
	}
	return q.markdown(b, b.Text(name))
}

func (m *answers) reportTool(ctx context.Context, who mcpserver.Asker, ask chooseAsk) (*mcpserver.Answer, error) {
	q := m.question(ctx, who)
	what, err := m.choose(q, ask)
	if err != nil {
		return nil, err
	}
	r, err := queries.ReportOf(ctx, q.Caller, queries.ReportQuery{Choice: what, Limit: reportRows})
	switch {
	case err != nil:
		return nil, q.fail(err)
	case r.None:
		return nil, q.noSession(r.Archived)
	}
	return q.answer(r.Report, func(out *term.Out) error {
		_, err := io.WriteString(out, r.Markdown())
		return err
	})
}

func (m *answers) replayTool(ctx context.Context, who mcpserver.Asker, ask targetAsk) (*mcpserver.Answer, error) {
	word, err := ask.word()
	if err != nil {
		return nil, err
	}
	q := m.question(ctx, who)
	r, err := queries.ReplayOf(ctx, q.Caller, word)
	if err != nil {
		return nil, q.closed(err)
	}
	return q.markdown(r, r.Markdown())
}

func (m *answers) remedyTool(ctx context.Context, who mcpserver.Asker, ask targetAsk) (*mcpserver.Answer, error) {
	word, err := ask.word()
	if err != nil {
		return nil, err
	}
	q := m.question(ctx, who)
	r, err := queries.RemedyOf(ctx, q.Caller, queries.RemedyQuery{Target: word, Current: word == ""})
	if err != nil {
		return nil, q.closed(err)
	}
	return q.markdown(r, r.Markdown())
}

func (m *answers) graphTool(ctx context.Context, who mcpserver.Asker, ask graphAsk) (*mcpserver.Answer, error) {
	q := m.question(ctx, who)
	what := lookup.Choice{}
	if ask.Session == "" || ask.chooseAsk != (chooseAsk{}) { // with a session GraphOf takes no choice
		var err error
		if what, err = m.choose(q, ask.chooseAsk); err != nil {
			return nil, err
		}
	}
	g, err := forest.GraphOf(ctx, q.Caller, forest.GraphQuery{Choice: what, Session: ask.Session, Top: graph.Measure(ask.Top),
		Limit: cmp.Or(ask.Limit, treeLimit)}, m.cache.forest(q.Within))
	switch {
	case err != nil && ask.Session != "":
		return nil, q.closed(err)
	case err != nil:
		return nil, q.fail(err)
	case g.Total == 0:
		return nil, q.noSession(g.Archived)
	}
	if text := g.CutText(); text != "" {
		q.say("note", text)
	}
	answer, err := q.answer(g.Report(), func(out *term.Out) error { return g.Print(out, q.Now) })
	return fenced("graph", answer, err)
}

func (m *answers) lessonsTool(ctx context.Context, who mcpserver.Asker, ask chooseAsk) (*mcpserver.Answer, error) {
	q := m.question(ctx, who)
	what, err := m.choose(q, ask)
	if err != nil {
		return nil, err
	}
	l, err := queries.LessonsOf(ctx, q.Caller, queries.LessonsQuery{Choice: what, Limit: lessonLimit})
	switch {
	case err != nil:
		return nil, q.fail(err)
	case l.None:
		return nil, q.noSession(l.Archived)
	case l.Total == 0:
		q.say("note", l.NothingRecurs())
		return nil, q.noAnswer()
	}
	return q.markdown(l.Lessons, l.Markdown())
}
