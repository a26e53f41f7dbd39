package replay

import (
	"cmp"
	"slices"

	"aburn/insight"
	"aburn/insight/failure"
	"aburn/trace"
)

// The lists over all sessions. members come newest first, so that the first reference is the
// newest.

// errorsOf groups the members' equal errors.
func errorsOf(members []*insight.Digest) []Error {
	type name struct {
		class failure.Class
		kind  trace.ToolType
		hash  string
	}
	var list []Error
	at := map[name]int{}
	last := map[name]*insight.Digest{} // the last session counted
	for _, d := range members {
		for i := range d.Errors {
			e := &d.Errors[i]
			n := name{e.Class, e.Type, e.Hash}
			k, ok := at[n]
			if !ok {
				k = len(list)
				at[n] = k
				list = append(list, Error{Class: e.Class, Type: e.Type, Tool: e.Tool, Exit: e.Exit, Head: e.Head, Ref: refTo(d, e.First)})
			}
			one := &list[k]
			one.Count += e.Count
			if last[n] != d {
				last[n] = d
				one.Sessions++
				if e.Solved > 0 {
					one.Solved++
				}
			}
			if e.Tool != one.Tool {
				one.Tool = ""
			}
			if e.Exit == nil || one.Exit == nil || *e.Exit != *one.Exit {
				one.Exit = nil
			}
		}
	}
	slices.SortStableFunc(list, func(x, y Error) int {
		return cmp.Or(cmp.Compare(y.Sessions, x.Sessions), cmp.Compare(y.Count, x.Count))
	})
	return list
}

func toolsOf(members []*insight.Digest) []Tool {
	var list []Tool
	for _, d := range members {
		for i := range d.Tools {
			u := &d.Tools[i]
			k := slices.IndexFunc(list, func(t Tool) bool { return t.Type == u.Type })
			if k < 0 {
				k = len(list)
				list = append(list, Tool{Type: u.Type, Ref: refTo(d, failedAt(d, u.Type))})
			}
			one := &list[k]
			if one.Failed == 0 && u.Failed > 0 {
				one.Ref = refTo(d, failedAt(d, u.Type))
			}
			one.Sessions++
			one.Calls += u.Calls
			one.Ended += u.Ended
			one.Failed += u.Failed
			one.Retries += u.Retries
		}
	}
	slices.SortStableFunc(list, func(x, y Tool) int {
		return cmp.Or(cmp.Compare(y.Failed, x.Failed), cmp.Compare(y.Calls, x.Calls), cmp.Compare(x.Type, y.Type))
	})
	return list
}

// failedAt is the first error of a type of tool, or 0.
func failedAt(d *insight.Digest, kind trace.ToolType) int {
	for i := range d.Errors {
		if d.Errors[i].Type == kind {
			return d.Errors[i].First
		}
	}
	return 0
}

// filesOf sums up the members' changed files. Equal paths in different projects are different
// files.
func filesOf(members []*insight.Digest) []File {
	type name struct{ project, path string }
	var list []File
	at := map[name]int{}
	for _, d := range members {
		for i := range d.Changes {
			c := &d.Changes[i]
			n := name{d.Project.Key, c.Path}
			k, ok := at[n]
			if !ok {
				k = len(list)
				at[n] = k
				list = append(list, File{Path: c.Path, Project: d.Project.Path, Ref: refTo(d, c.Event)})
			}
			list[k].Sessions++
			list[k].Changes += c.Times
			if slices.ContainsFunc(d.Loops, func(l insight.EditLoop) bool { return l.Path == c.Path }) {
				list[k].Loops++
			}
		}
	}
	slices.SortStableFunc(list, func(x, y File) int {
		return cmp.Or(cmp.Compare(y.Sessions, x.Sessions), cmp.Compare(y.Changes, x.Changes))
	})
	return list
}
