package why

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"aburn/archive/names"
	"aburn/history"
	"aburn/internal/plain"
	"aburn/internal/term"
	"aburn/internal/units"
)

// Print prints the answer for people.
func (a *Answer) Print(out *term.Out) { (&printer{Out: out, short: a.short, now: a.now}).print(a) }

// printer prints an answer on a screen.
type printer struct {
	*term.Out
	short *names.Sessions
	now   time.Time
}

func (p *printer) print(r *Answer) {
	none := 0
	file := ""
	for i := range r.Commits {
		if i > 0 {
			fmt.Fprintln(p)
		}
		c := &r.Commits[i]
		lines := ""
		if r.File != nil {
			file, lines = r.File.Path, linesOf(r.File, i)
		}
		p.commit(c, file, lines)
		if c.Degree == history.None {
			none++
		}
	}
	if r.File != nil {
		if lines := linesOf(r.File, -1); lines != "" {
			if len(r.Commits) > 0 {
				fmt.Fprintln(p)
			}
			fmt.Fprintln(p, p.Paint(term.Bold, lines+" not committed"))
			for i := range r.File.Open {
				s := &r.File.Open[i]
				p.fact("", s.Agent+", session "+p.short.Of(s.Source, s.Session)+": "+s.Evidence)
				p.about(s, r.File.Path)
			}
			if len(r.File.Open) == 0 {
				p.fact("", "no session that aburn knows changed the file since its last commit")
			}
		}
	}
	switch {
	case none > 0 && r.Looked.Sessions == 0:
		fmt.Fprintln(p, p.Paint(term.Dim, "\naburn knows no session of this repository in "+plain.Line(r.Repository)+"."))
	case none > 0:
		fmt.Fprintln(p, p.Paint(term.Dim, "\naburn looked at "+plain.Plural(int64(r.Looked.Sessions), "session")+" of this repository and "+
			plain.Plural(int64(r.Looked.Moves), "reflog entry", "reflog entries")+"."))
	}
}

// linesOf are the lines of a file that came with one of its commits: "lines 3–5, 9".
func linesOf(f *File, commit int) string {
	var list []string
	total := 0
	for _, l := range f.Lines {
		if l.Commit != commit {
			continue
		}
		total += l.To - l.From + 1
		if l.From == l.To {
			list = append(list, strconv.Itoa(l.From))
		} else {
			list = append(list, strconv.Itoa(l.From)+"–"+strconv.Itoa(l.To))
		}
	}
	const most = 6
	switch {
	case len(list) == 0:
		return ""
	case len(list) > most:
		return strings.Join(list[:most], ", ") + ", … (" + plain.Plural(int64(total), "line") + ")"
	case total == 1:
		return "line " + list[0]
	}
	return "lines " + strings.Join(list, ", ")
}

func (p *printer) commit(c *Commit, file, lines string) {
	head := c.Hash[:min(len(c.Hash), 10)] + " " + c.Subject
	fmt.Fprintln(p, p.Paint(term.Bold, plain.Cut(head, term.TextWidth(p.Out))))
	when := ""
	if !c.Time.IsZero() {
		when = c.Time.Local().Format(units.DateLayout(false, c.Time, p.now))
	}
	p.fact("", units.Join(lines, when, c.Author))
	switch c.Degree {
	case history.Merge:
		p.fact("", "a merge, which is nobody's: ask about its parents")
	case history.Stated:
		for _, said := range c.Stated {
			p.fact("stated", said)
		}
	case history.None:
		p.fact("", "no session that aburn knows made this commit")
	}
	for i := range c.Sessions {
		s := &c.Sessions[i]
		name := "session " + p.short.Of(s.Source, s.Session)
		if s.Subagent {
			name = "sub-agent " + p.short.Of(s.Source, s.Session)
		}
		switch c.Degree {
		case history.Made:
			p.fact("made by", s.Agent+", "+name+": "+s.Evidence)
		case history.Rewritten:
			p.fact("made by", s.Agent+", "+name+", as "+s.Original[:min(len(s.Original), 10)]+" ("+s.Evidence+")")
		case history.Stated:
			p.fact("maybe", s.Agent+", "+name+": "+s.Evidence)
		case history.During:
			p.fact("during", s.Agent+", "+name+": "+s.Evidence)
		}
		p.about(s, file)
	}
}

// about prints what is known of a session's part.
func (p *printer) about(s *Session, file string) {
	if file != "" && s.Edit == 0 {
		p.fact("", "the session recorded no change of "+plain.Line(file))
	}
	if s.Prompt != "" {
		p.fact("prompt", plain.Cut("“"+plain.Line(s.Prompt)+"”", max(term.TextWidth(p.Out)-11, 30)))
	}
	var checks []string
	for _, c := range s.Checks {
		when := "before"
		if c.After {
			when = "after"
		}
		checks = append(checks, plain.Line(c.Command)+" "+c.Result+" "+when+" it")
	}
	if len(checks) > 0 {
		p.fact("checks", strings.Join(checks, ", "))
	} else if s.PromptEvent != 0 {
		p.fact("checks", "none seen in this turn")
	}
	if s.Cost != "" {
		p.fact("turn", units.Join(s.Cost, s.Model))
	}
	at := s.PromptEvent
	if at == 0 {
		at = s.Event
	}
	if at != 0 {
		p.fact("read it", "aburn show "+p.short.Of(s.Source, s.Session)+" --at "+strconv.Itoa(at))
	}
}

// fact prints lines under a commit.
func (p *printer) fact(name, text string) {
	if text == "" {
		return
	}
	for _, line := range p.Fold(text, 11) {
		fmt.Fprintln(p, "  "+p.Paint(term.Dim, plain.Pad(name, 8))+" "+line)
		name = ""
	}
}
