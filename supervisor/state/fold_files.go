package state

import (
	"slices"
	"strings"

	"aburn/logfmt"
	"aburn/workflow"
)

// edits reports whether a tool changes the file that it names.
func edits(tool string) bool {
	switch tool {
	case "Write", "Edit", "MultiEdit", "NotebookEdit", "apply_patch", "write_file", "replace", "edit":
		return true
	}
	return false
}

// noteEdit notes what a successful edit left behind.
func (x *step) noteEdit(did *Did) {
	if !did.Edit || x.e.Event != logfmt.Tool || did.Unsure || len(x.d.Path) == 0 || len(x.d.Path) > maxPath {
		return
	}
	f := x.file(x.d.Path.String())
	f.Edits++
	hash := uint32(0)
	if len(x.d.Sha256) > 0 {
		hash = hashStart.add(x.d.Sha256).sum()
	}
	if n := len(f.Hashes); n > 0 && hash != 0 && f.Hashes[n-1].Hash == hash && !x.changedByOther(f, f.Hashes[n-1].Mark) {
		return
	}
	isNew := !slices.ContainsFunc(f.Hashes, func(v Version) bool { return v.Hash == hash })
	f.Hashes = push(f.Hashes, Version{x.at, hash}, maxVersions)
	if hash != 0 && isNew {
		x.noteProgress()
	} else {
		x.beginEpoch()
	}
	x.noteProductionEdit(f.Path)
}

// changedByOther reports whether another session has changed the file since.
func (x *step) changedByOther(f *File, since Mark) bool {
	return slices.ContainsFunc(x.Sessions, func(s *Session) bool {
		return s != x.ses && slices.ContainsFunc(s.Files, func(o *File) bool {
			return o.Path == f.Path && o.Wt == f.Wt && len(o.Hashes) > 0 && o.Hashes[len(o.Hashes)-1].Ord > since.Ord
		})
	})
}

// file returns the file of this path and makes it the newest.
func (x *step) file(path string) *File {
	files := x.ses.Files
	i := slices.IndexFunc(files, func(f *File) bool { return f.Path == path && f.Wt == x.e.Wt })
	if i < 0 {
		x.ses.Files = push(files, &File{Path: path, Wt: x.e.Wt}, maxFiles)
		return x.ses.Files[len(x.ses.Files)-1]
	}
	f := files[i]
	copy(files[i:], files[i+1:])
	files[len(files)-1] = f
	return f
}

// noteProductionEdit notes an edit of production code in a tests-only phase.
func (x *step) noteProductionEdit(path string) {
	for _, p := range x.phases() {
		if m, ok := x.model.Phase(p.Name); !ok || !m.TestsOnly || !x.isProduction(path) {
			continue
		}
		if p.Edited++; len(p.Edits) < maxEdits {
			p.Edits = append(p.Edits, Edit{x.at, path})
		}
	}
}

// isProduction reports whether a path of the worktree is neither test nor document.
func (x *step) isProduction(path string) bool {
	switch {
	case strings.HasPrefix(path, "~"), strings.HasPrefix(path, "/"), strings.HasPrefix(path, "../"), strings.HasPrefix(path, ".oss/"),
		strings.Contains(path, ":\\"):
		return false
	}
	return remember(&x.fold.products, path, func() bool { return !x.model.IsTestPath(path) && !x.model.IsDocPath(path) })
}

// remember caches f() by key: the same paths and commands come again and again, and
// the model compares each with many patterns.
func remember[T any](m *map[string]T, key string, f func() T) T {
	if v, ok := (*m)[key]; ok {
		return v
	}
	if *m == nil || len(*m) >= maxRemembered {
		*m = map[string]T{}
	}
	v := f()
	(*m)[key] = v
	return v
}

// phases are the open phases of the session and of the entry's sub-agent.
func (x *step) phases() []*Phase {
	list := x.fold.phases[:0]
	if p := x.ses.Own.Run.Open(); p != nil {
		list = append(list, p)
	}
	if x.agent != nil {
		if p := x.line.Run.Open(); p != nil {
			list = append(list, p)
		}
	}
	return list
}

// noteTest notes the result of a call that ran tests.
func (x *step) noteTest(did *Did) {
	if len(x.d.Head) == 0 || did.Denied || did.Tool == "Skill" {
		return
	}
	head := x.d.Head.String()
	t := x.testRun(head)
	if !t.Runs {
		return
	}
	passed, known := x.testOutcome(did, t)
	for _, p := range x.phases() {
		switch {
		case !known:
			p.TestUnsure++
		case passed && !p.TestPassed.Is():
			p.TestPassed = x.at
		case !passed && !p.TestFailed.Is():
			p.TestFailed = x.at
		}
	}
	key := did.Key
	if !strings.Contains(head, "…") {
		key = hashStart.add(x.d.Tool).add(x.d.Head).sum()
	}
	if known && key != 0 {
		x.noteTestResult(key, did.Input, passed)
	}
}

func (x *step) testRun(head string) workflow.TestRun {
	return remember(&x.fold.tests, head, func() workflow.TestRun { return x.model.TestRun(head) })
}

// testOutcome is the result of the tests, by the exit code of the command. Entries of
// other tools may have no exit code; there the outcome counts.
func (x *step) testOutcome(did *Did, t workflow.TestRun) (passed, known bool) {
	switch d := &x.d; {
	case did.Unsure:
		return false, false
	case d.HasExitCode:
		passed = d.ExitCode == 0
	case x.by.Hooked():
		return false, false
	case x.e.Event == logfmt.Tool:
		if string(d.Outcome) != "ok" {
			return false, false
		}
		passed = true
	}
	return passed, passed && t.Pass || !passed && t.Fail
}

func (x *step) noteTestResult(key uint32, input string, passed bool) {
	tests := x.ses.Tests
	i := slices.IndexFunc(tests, func(t *Test) bool { return t.Key == key })
	t := &Test{Key: key, Input: input}
	if i >= 0 {
		t = tests[i]
		copy(tests[i:], tests[i+1:])
		tests[len(tests)-1] = t
	} else {
		x.ses.Tests = push(tests, t, maxTests)
	}
	before := t.LastPass.Ord > t.LastFail.Ord
	if passed {
		if !t.FirstPass.Is() {
			t.FirstPass = x.at
		}
		t.LastPass, t.Broke = x.at, Mark{}
	} else {
		if t.LastPass.Is() && !t.Broke.Is() {
			t.Broke = x.at
		}
		t.LastFail = x.at
	}
	if t.Runs++; t.Runs > 1 && before != passed {
		x.noteProgress()
	}
}
