package state

import (
	"slices"
	"strings"

	"aburn/logfmt"
	"aburn/workflow"
)

// Checked is what is known of one kind of check in one worktree of a session.
type Checked struct {
	Kind   workflow.Check
	Wt     string
	Input  string // of the newest run whose outcome is known
	Last   Mark   // that run
	Passed bool
	Result uint32 // of a failed run; see Did
	Base   uint32 // the Result of a run that failed before the session had changed anything here; 0 = none did
	Unsure Mark   // the newest run whose outcome is not known
}

// Claimant is what says that work is finished.
type Claimant string

// The claimants. Only Words are read out of a text.
const (
	ByCommand Claimant = "command"
	ByPhase   Claimant = "phase"
	ByWorker  Claimant = "worker"
	ByWords   Claimant = "words"
)

// Claim is one claim of success, with what the records lacked for it at that time.
type Claim struct {
	Mark
	By    Claimant
	Name  string // of the command or phase
	From  Mark   // where the work began that it speaks of; zero: with the session
	Lacks []Lack // what is not proved, the surest first
	Runs  int    // checks that carried it
}

// Reason is why a claim is not carried.
type Reason string

// The reasons.
const (
	CheckFailed Reason = "failed"     // the last run failed
	CheckStale  Reason = "stale"      // files changed after the last run, which passed
	CheckNotRun Reason = "not run"    // what the claim names did not run
	CheckOther  Reason = "other tree" // it ran in another worktree
)

// Lack is one thing that a claim needs and the records do not have.
type Lack struct {
	Check  workflow.Check
	Why    Reason
	Input  string // the command that would prove it; "" = none is known
	Wt     string // where
	Run    Mark   // the last run; zero: none
	Edit   Mark   // the first change after it, or the first one at all
	Path   string // what changed then
	Before bool   // the last run is older than the work
	Known  bool   // the same failure was there before the session changed anything
}

// checkRun says which check a shell command runs.
func (x *step) checkRun(head string) checkRun {
	return remember(&x.fold.checks, head, func() checkRun {
		kind, run := x.model.Check(head)
		return checkRun{kind, run, kind == workflow.NoCheck && workflow.MayCheck(head)}
	})
}

type checkRun struct {
	kind workflow.Check
	run  workflow.TestRun
	may  bool // it may be a check that aburn does not know
}

// noteCheck notes the end of a call that checked the code.
func (x *step) noteCheck(did *Did) {
	if !IsShell(did.Tool) || did.Denied || len(x.d.Head) == 0 {
		return
	}
	c := x.checkRun(x.d.Head.String())
	if c.kind == workflow.NoCheck && c.may && !did.Failed {
		x.ses.Acted = x.at
	}
	if c.kind == workflow.NoCheck || x.d.HasExitCode && (x.d.ExitCode == 126 || x.d.ExitCode == 127) {
		return
	}
	v := x.checked(c.kind)
	passed, known := x.testOutcome(did, c.run)
	if !known || x.d.HasExitCode && cutOff(x.d.ExitCode) {
		v.Unsure = x.at
		return
	}
	v.Input, v.Last, v.Passed, v.Result = did.Input, x.at, passed, 0
	if !passed {
		v.Result = did.Result
		if !slices.ContainsFunc(x.ses.Files, func(f *File) bool { return f.Wt == x.e.Wt && x.isCode(f.Path) }) {
			v.Base = v.Result
		}
	}
}

// cutOff reports whether an exit code says that a timeout or a signal ended the run, and not its result.
func cutOff(code int64) bool { return code == 124 || code == 130 || code == 137 || code == 143 }

// checked is the worktree's record of a kind, the newest one of all.
func (x *step) checked(kind workflow.Check) *Checked {
	list := x.ses.Checks
	i := slices.IndexFunc(list, func(v *Checked) bool { return v.Kind == kind && v.Wt == x.e.Wt })
	if i < 0 {
		x.ses.Checks = push(list, &Checked{Kind: kind, Wt: x.e.Wt}, maxChecks)
		return x.ses.Checks[len(x.ses.Checks)-1]
	}
	v := list[i]
	copy(list[i:], list[i+1:])
	list[len(list)-1] = v
	return v
}

// isCode reports whether a change of the file may change what a check says.
func (x *step) isCode(file string) bool {
	return x.isProduction(file) || !strings.HasPrefix(file, "/") && !strings.HasPrefix(file, "~") && x.model.IsTestPath(file) && !x.model.IsDocPath(file)
}

// claim notes what says that work is finished, and what the records lack for it.
func (x *step) claim(by Claimant, name string, from Mark, kinds []workflow.Check) {
	c := &Claim{Mark: x.at, By: by, Name: name, From: from}
	edits := x.changes(from, x.e.Wt)
	switch {
	case by == ByWords:
		x.lacksOfWords(c, kinds, edits)
	case len(edits) > 0:
		x.lacks(c, edits)
	}
	c.Lacks = slices.DeleteFunc(c.Lacks, func(l Lack) bool {
		return l.Check == workflow.Lint && l.Edit.Is() || x.ses.Acted.Ord > max(l.Run.Ord, l.Edit.Ord) && l.Why != CheckOther ||
			l.Why == CheckFailed && l.Check == workflow.Build && x.testedAfter(change{Mark: l.Run}, l.Wt)
	})
	slices.SortStableFunc(c.Lacks, func(a, b Lack) int { return reasonRank(a) - reasonRank(b) })
	x.ses.Claims = push(x.ses.Claims, c, maxClaims)
}

func reasonRank(l Lack) int {
	rank := slices.Index([]Reason{CheckFailed, CheckStale, CheckOther, CheckNotRun}, l.Why)
	if l.Check == workflow.Lint || l.Known || l.Before {
		rank += 10
	}
	return rank
}

// change is one change of a file that a check covers.
type change struct {
	Mark
	path string
}

// changes are those in the worktree after the mark, oldest first. What was taken back to the content at the mark counts too:
// see since.
func (x *step) changes(from Mark, wt string) (list []change) {
	for _, f := range x.ses.Files {
		if f.Wt != wt || !x.isCode(f.Path) {
			continue
		}
		for _, v := range f.Hashes {
			if v.Ord > from.Ord {
				list = append(list, change{v.Mark, f.Path})
			}
		}
	}
	slices.SortFunc(list, func(a, b change) int { return int(int64(a.Ord) - int64(b.Ord)) })
	return list
}

// since are the changes after a run, without those of files that are as they were then.
func (x *step) since(run Mark, wt string) []change {
	same := map[string]bool{}
	for _, f := range x.ses.Files {
		then := uint32(0)
		for _, v := range f.Hashes {
			if v.Ord < run.Ord {
				then = v.Hash
			}
		}
		same[f.Path] = f.Wt == wt && then != 0 && f.Hashes[len(f.Hashes)-1].Hash == then
	}
	return slices.DeleteFunc(x.changes(run, wt), func(c change) bool { return same[c.path] })
}

// lacks finds what a machine-made claim lacks: checks that failed last, and the newest passed one if files changed after it.
func (x *step) lacks(c *Claim, edits []change) {
	wt := x.e.Wt
	var passed, other *Checked
	here := false
	for _, v := range x.ses.Checks {
		if v.Wt != wt {
			if v.Passed && v.Last.Ord > edits[0].Ord {
				other = v
			}
			continue
		}
		here = true
		switch {
		case !v.Last.Is() || v.Unsure.Ord > v.Last.Ord:
		case v.Passed:
			if v.Kind != workflow.Lint && (passed == nil || v.Kind == workflow.Tests || passed.Kind != workflow.Tests && v.Last.Ord > passed.Last.Ord) {
				passed = v
			}
			c.Runs++
		case v.Last.Ord > c.From.Ord:
			c.Lacks = append(c.Lacks, x.failedLack(v))
		}
	}
	unsure := slices.ContainsFunc(x.ses.Checks, func(v *Checked) bool { return v.Wt == wt && v.Unsure.Ord > edits[0].Ord && v.Unsure.Ord > v.Last.Ord })
	switch {
	case passed != nil && !unsure && len(c.Lacks) == 0:
		if late := x.since(passed.Last, wt); len(late) > 0 {
			c.Lacks = append(c.Lacks, Lack{Check: passed.Kind, Why: CheckStale, Input: passed.Input, Wt: wt, Run: passed.Last, Edit: late[0].Mark, Path: late[0].path,
				Before: passed.Last.Ord < c.From.Ord})
		}
	case !here && other != nil:
		c.Lacks = append(c.Lacks, Lack{Check: other.Kind, Why: CheckOther, Input: other.Input, Wt: wt, Run: other.Last, Edit: edits[0].Mark, Path: edits[0].path})
	}
}

// testedAfter reports whether tests passed after the change.
func (x *step) testedAfter(last change, wt string) bool {
	return slices.ContainsFunc(x.ses.Checks, func(v *Checked) bool {
		return v.Wt == wt && v.Kind == workflow.Tests && v.Passed && v.Last.Ord > last.Ord
	})
}

func (x *step) failedLack(v *Checked) Lack {
	l := Lack{Check: v.Kind, Why: CheckFailed, Input: v.Input, Wt: v.Wt, Run: v.Last, Known: v.Base != 0 && v.Base == v.Result}
	if late := x.changes(v.Last, v.Wt); len(late) > 0 {
		l.Edit, l.Path = late[0].Mark, late[0].path
	}
	return l
}

// lacksOfWords finds what the words of a turn's last message lack.
func (x *step) lacksOfWords(c *Claim, kinds []workflow.Check, edits []change) {
	for _, kind := range kinds {
		var v *Checked
		for _, known := range x.ses.Checks {
			if known.Wt == x.e.Wt && (known.Kind == kind || kind == workflow.NoCheck && known.Kind != workflow.Lint && !known.Passed && known.Last.Is()) {
				v = known
			}
		}
		ran := v != nil && (v.Last.Ord > c.From.Ord || v.Unsure.Ord > c.From.Ord)
		switch {
		case v != nil && v.Unsure.Ord > v.Last.Ord:
		case v != nil && !v.Passed && (ran || len(edits) > 0):
			c.Lacks = append(c.Lacks, x.failedLack(v))
		case kind == workflow.NoCheck || len(edits) == 0:
		case !ran && kind == workflow.Build && x.testedAfter(edits[len(edits)-1], x.e.Wt): // tests were built
		case !ran:
			l := Lack{Check: kind, Why: CheckNotRun, Wt: x.e.Wt, Edit: edits[0].Mark, Path: edits[0].path}
			if v != nil {
				l.Run, l.Input = v.Last, v.Input
			}
			c.Lacks = append(c.Lacks, l)
		default:
			if late := x.since(v.Last, x.e.Wt); len(late) > 0 {
				c.Lacks = append(c.Lacks, Lack{Check: kind, Why: CheckStale, Input: v.Input, Wt: v.Wt, Run: v.Last, Edit: late[0].Mark, Path: late[0].path})
			} else {
				c.Runs++
			}
		}
	}
}

// claimedKinds reads what a STOP says that its message claims: "tests", "build", "types", "lint", or "done" of no kind.
func claimedKinds(claim logfmt.RawString) (kinds []workflow.Check) {
	for word := range strings.SplitSeq(claim.String(), ",") {
		switch kind := workflow.Check(strings.TrimSpace(word)); kind {
		case workflow.Tests, workflow.Build, workflow.Types, workflow.Lint:
			kinds = append(kinds, kind)
		case "done":
			kinds = append(kinds, workflow.NoCheck)
		}
	}
	return kinds
}

// workerDone folds `aburn done` of the session, whose entry is aburn's own.
func (x *step) workerDone() {
	i := slices.IndexFunc(x.Sessions, func(s *Session) bool { return s.ID == x.e.Session && s.ID != "" })
	if i < 0 || x.e.Agent != nil {
		return
	}
	x.ses = x.Sessions[i]
	x.claim(ByWorker, "", Mark{}, nil)
}
