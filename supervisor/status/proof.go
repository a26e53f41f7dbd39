package status

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"aburn/internal/entries"
	"aburn/internal/fault"
	"aburn/internal/journal"
	"aburn/internal/plain"
	"aburn/internal/scrub"
	"aburn/internal/term"
	"aburn/internal/workspace"
	"aburn/logfmt"
	"aburn/supervisor"
	"aburn/supervisor/state"
	"aburn/workflow"
)

// Proof is what a session claimed, and what the records prove of it.
type Proof struct {
	Session logfmt.SessionID `json:"session"`
	Source  string           `json:"source,omitempty"`
	Proved  bool             `json:"proved"` // no claim lacks anything
	Claims  []ProofClaim     `json:"claims"`
	Checks  []ProofCheck     `json:"checks"`
	Lost    int              `json:"unreadable"` // payloads that no hook could read while the session went on: what they said is missing here
}

// ProofClaim is one claim.
type ProofClaim struct {
	By      state.Claimant `json:"by"`
	Name    string         `json:"name,omitempty"`
	Entry   logfmt.Seq     `json:"entry,omitempty"`
	At      time.Time      `json:"at"`
	Verdict string         `json:"verdict"` // proved, proved later, not proved, nothing to prove
	Says    string         `json:"says"`
	Run     string         `json:"run,omitempty"` // the command that would prove it

	claim *state.Claim
}

// ProofCheck is the newest known run of a kind of check in a worktree.
type ProofCheck struct {
	Kind     workflow.Check `json:"kind"`
	Command  string         `json:"command"`
	Worktree string         `json:"worktree,omitempty"`
	Passed   bool           `json:"passed"`
	Entry    logfmt.Seq     `json:"entry,omitempty"`
	At       time.Time      `json:"at"`
}

// The verdicts about a claim.
const (
	proved      = "proved"
	provedLater = "proved later"
	notProved   = "not proved"
	nothing     = "nothing to prove"
)

// LastSession names the session with the newest entry.
const LastSession = "last"

// ProofQuery names a session: its id, a part of it, or LastSession.
type ProofQuery struct {
	Session string
	Trusted bool // a project without the user's mark of trust is an error
}

// ProofOf reads the log of the project around the caller for one session.
func ProofOf(c *workspace.Caller, q ProofQuery) (*Proof, error) {
	w, err := workspace.Open(c)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if q.Trusted && !w.Marked {
		return nil, workspace.NotTrusted(w.Project)
	}
	session := q.Session
	if session == LastSession {
		if session = newestSession(w.Log); session == "" {
			return nil, fault.Failed(workspace.NothingRecorded, workspace.AskDoctor)
		}
	}
	return proofOf(w, session)
}

func newestSession(log *journal.Journal) string {
	for line, err := range log.Backward(journal.BackwardOptions{Limit: StatusBytes}) {
		if err != nil {
			return ""
		}
		if h, ok := logfmt.ParseHeader(line.JSON); ok && !line.Carried && len(h.Session) > 0 && string(h.Cmd) != logfmt.SupervisorCmd {
			return string(h.Session)
		}
	}
	return ""
}

func proofOf(w *workspace.Workspace, session string) (*Proof, error) {
	f := entries.Filter{Session: session}
	st, p := state.New(w.Settings.Model(), w.Settings.Limits()), &Proof{Proved: true, Claims: []ProofClaim{}, Checks: []ProofCheck{}}
	unread := 0
	for rec, err := range w.Log.Entries(journal.Position{}) {
		switch {
		case err != nil:
			return nil, err
		case rec.Value.Event == logfmt.Unreadable && p.Session != "": // nobody knows of which session
			unread++
			continue
		case rec.Value.Session == "" || rec.Carried || !f.MatchSession([]byte(rec.Value.Session)):
			continue
		case p.Session == "":
			p.Session = rec.Value.Session
		case p.Session != rec.Value.Session:
			return nil, fault.Usage(fault.Quote(session) + " is a part of several sessions' ids")
		}
		p.Lost = unread // those before the session's newest entry
		st.Apply(rec.Value, false)
		p.note(st)
	}
	if p.Session == "" || len(st.Sessions) == 0 {
		return nil, fault.Failed("no session is called "+fault.Quote(session), "aburn status")
	}
	p.judge(st.Sessions[0])
	return p, nil
}

// note takes the claim that the newest entry made, because a State forgets old ones.
func (p *Proof) note(st *state.State) {
	if len(st.Sessions) == 0 {
		return
	}
	claims := st.Sessions[0].Claims
	if n := len(claims); n > 0 && claims[n-1].Ord == st.Entries {
		p.Claims = append(p.Claims, ProofClaim{claim: claims[n-1]})
	}
}

func (p *Proof) judge(s *state.Session) {
	p.Source = s.Source
	for i := range p.Claims {
		p.Claims[i].judge(s)
		p.Proved = p.Proved && p.Claims[i].Verdict != notProved
	}
	for _, v := range s.Checks {
		if v.Last.Is() {
			p.Checks = append(p.Checks, ProofCheck{v.Kind, shown(v.Input), shown(v.Wt), v.Passed, v.Last.Seq, v.Last.Time()})
		}
	}
}

func (c *ProofClaim) judge(s *state.Session) {
	claim := c.claim
	c.By, c.Name, c.Entry, c.At, c.Says = claim.By, shown(claim.Name), claim.Seq, claim.Time(), supervisor.Claimed(claim)
	switch {
	case len(claim.Lacks) > 0:
		l := claim.Lacks[0]
		if slices.ContainsFunc(s.Checks, func(v *state.Checked) bool {
			return v.Kind == l.Check && v.Wt == l.Wt && v.Passed && v.Last.Ord > claim.Ord && v.Last.Ord > v.Unsure.Ord
		}) {
			c.Verdict = provedLater
			return
		}
		c.Verdict, c.Run = notProved, shown(l.Input)
		c.Says += ", but " + supervisor.Lacking(l)
	case claim.Runs > 0:
		c.Verdict = proved
	default:
		c.Verdict = nothing
	}
}

// shown is a text of the log without secrets and control characters.
func shown(s string) string {
	s, _ = scrub.Text(plain.Line(s))
	return s
}

// Failed is the bad news, if any: a claim that the records do not carry.
func (p *Proof) Failed() error {
	n := 0
	for _, c := range p.Claims {
		if c.Verdict == notProved {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return fault.Failed(fmt.Sprintf("%d of %s not proved", n, plain.Plural(int64(len(p.Claims)), "claim")))
}

// Print prints the proof for people.
func (p *Proof) Print(out *term.Out) error {
	fmt.Fprintf(out, "%s  %s\n", entries.ShortSession(p.Session, entries.WideSession), p.Source)
	if len(p.Claims) == 0 {
		fmt.Fprintln(out, "  aburn saw no claim that work is finished")
	}
	for _, c := range p.Claims {
		style := term.Green
		if c.Verdict == notProved {
			style = term.BoldRed
		}
		fmt.Fprintf(out, "  %s  %s\n", out.Paint(style, c.Verdict), c.Says)
		if c.Run != "" {
			fmt.Fprintf(out, "      to prove it: %s\n", c.Run)
		}
	}
	for _, v := range p.Checks {
		fmt.Fprintf(out, "  last %s  %s  %s\n", v.Kind, v.word(), v.about())
	}
	if p.Lost > 0 {
		fmt.Fprintf(out, "  %s could not be read: a check may be missing here\n", plain.Plural(int64(p.Lost), "payload"))
	}
	return nil
}

func (v *ProofCheck) word() string {
	if v.Passed {
		return "passed"
	}
	return "failed"
}

func (v *ProofCheck) about() string {
	about := "`" + strings.ReplaceAll(v.Command, "`", "'") + "`"
	if v.Worktree != "" {
		about += " in " + v.Worktree
	}
	if v.Entry != 0 {
		about += ", entry " + strconv.FormatUint(uint64(v.Entry), 10)
	}
	return about
}

// Markdown is the proof for a pull request.
func (p *Proof) Markdown() string {
	var b strings.Builder
	b.WriteString("## Proof\n\nWhat the session `" + string(p.Session) + "` claimed, and what aburn's records prove.\n\n")
	if len(p.Claims) == 0 {
		b.WriteString("aburn saw no claim that work is finished.\n")
	} else {
		b.WriteString("| claim | verdict |\n|---|---|\n")
		for _, c := range p.Claims {
			b.WriteString("| " + cell(c.Says) + " | " + c.Verdict + " |\n")
		}
	}
	if len(p.Checks) > 0 {
		b.WriteString("\n| last run of | result | command |\n|---|---|---|\n")
		for _, v := range p.Checks {
			b.WriteString("| " + string(v.Kind) + " | " + v.word() + " | " + cell(v.about()) + " |\n")
		}
	}
	if p.Lost > 0 {
		b.WriteString("\n" + plain.Plural(int64(p.Lost), "payload") + " could not be read: a check may be missing here.\n")
	}
	return b.String()
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
