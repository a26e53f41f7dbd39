package describe

import (
	"fmt"
	"io"
	"strings"

	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/worker/manager"
	"aburn/worker/tree"
)

// CleanupText prints what became of each tree.
func CleanupText(out io.Writer, a fault.Reporter, results []manager.Cleanup, o manager.CleanupOptions) error {
	removed, kept, dropped := "removed", "kept", "dropped"
	if o.DryRun {
		removed, kept, dropped = "would be removed", "would be kept", "would be dropped"
	}
	if len(results) == 0 {
		fmt.Fprintln(out, "no worker has a tree")
	}
	forced := false
	for _, r := range results {
		text := fmt.Sprintf("%s  %s: %s", r.Name, kept, r.Why)
		if r.Expired > 0 {
			text = fmt.Sprintf("%s  %s %s: its tree is gone for long, and each change of it was made by a commit", r.Name, plain.Plural(int64(r.Expired), "snapshot"),
				dropped)
		}
		if r.Removed {
			text = r.Name + "  tree " + removed
			if r.Left > 0 && o.DryRun {
				text += " · " + plain.Plural(int64(r.Left), "process", "processes") + " that it left would be ended"
			} else if r.Left > 0 {
				text += " · " + plain.Plural(int64(r.Left), "process", "processes") + " that it left ended"
			}
			if r.Kept != "" {
				text += fmt.Sprintf(" · state in snapshot %d, %s", r.Snapshot, r.Kept)
			}
			if r.Branch != "" {
				text += " · branch " + r.Branch + " stays"
			}
			if len(r.Former) > 0 {
				text += " · so do those before it: " + strings.Join(r.Former, ", ")
			}
			if len(r.GoOn) > 0 {
				text += " · workers that it spawned keep running: " + strings.Join(r.GoOn, ", ")
			}
		}
		forced = forced || strings.Contains(r.Why, "changed: ")
		fmt.Fprintln(out, plain.Line(text))
	}
	if forced && !o.Preserve {
		a.Hint("aburn cleanup --force-preserve keeps changes in a snapshot first")
	}
	return nil
}

// ConflictLines lists files that conflict.
func ConflictLines(out io.Writer, list []tree.Conflict) {
	for _, c := range list {
		text := "  " + c.Path
		if c.Kind != "" {
			text += "  (" + c.Kind + ")"
		}
		fmt.Fprintln(out, plain.Line(text))
	}
}

// MergeText prints what a merge did.
func MergeText(out io.Writer, a fault.Reporter, m *manager.Member, r manager.Merge) error {
	commits, files := plain.Plural(int64(r.Commits), "commit"), plain.Plural(int64(r.Files), "file")
	text := r.Worker + "  "
	switch {
	case len(r.Conflicts) > 0:
		text += fmt.Sprintf("conflicts with %s in %s; nothing was touched", r.Into, plain.Plural(int64(len(r.Conflicts)), "file"))
		if r.Stopped != "" {
			text += ". The commit that does not fit: " + r.Stopped[:min(8, len(r.Stopped))]
		}
	case r.How == manager.HowAlready && len(r.Left) == 0 && r.Head == m.Base():
		text += "changed nothing"
	case r.How == manager.HowAlready && len(r.Left) == 0:
		text += r.Into + " has all of it"
	case r.How == manager.HowAlready:
		text += r.Into + " has all that it committed"
	case r.Check:
		text += fmt.Sprintf("would merge into %s without a conflict: %s, %s (%s)", r.Into, commits, files, r.How)
	default:
		text += fmt.Sprintf("merged into %s: %s, %s (%s) · %s..%s", r.Into, commits, files, r.How, r.From[:8], r.To[:8])
	}
	fmt.Fprintln(out, plain.Line(text))
	ConflictLines(out, r.Conflicts)
	did := "committed first"
	if r.Check || len(r.Conflicts) > 0 {
		did = "would be committed first"
	}
	for _, f := range r.Included {
		fmt.Fprintln(out, plain.Line("  "+did+": "+f))
	}
	if r.Works {
		a.Warn("its agent's turn is not over: what it commits later is not in this", "aburn ps "+m.Name)
	}
	WarnBehind(a, r.Branch, r.Behind)
	if len(r.Left) > 0 {
		a.Warn(plain.Plural(int64(len(r.Left)), "file")+" of its tree in no commit, and so not merged: "+plain.Line(strings.Join(r.Left[:min(5, len(r.Left))], ", ")),
			"aburn merge --include-changes "+m.Name)
	}
	switch {
	case len(r.Conflicts) > 0 && m.Quiet():
		a.Hint("aburn sync " + m.Name + " shows which of its commits does not fit; or git merge " + m.Request.Branch + ", and solve it here")
	case len(r.Modules) > 0 && !r.Check:
		a.Hint("git submodule update: " + plain.Line(strings.Join(r.Modules[:min(3, len(r.Modules))], ", ")) + " moved")
	}
	return nil
}

// WarnBehind warns of former branches of a worker with commits that its present one does not have.
func WarnBehind(a fault.Reporter, branch string, behind []string) {
	for _, b := range behind {
		a.Warn(plain.Line("it worked on "+b+" before, which has commits that "+branch+" does not have"), "git log --oneline "+branch+".."+b, "git merge "+b)
	}
}
