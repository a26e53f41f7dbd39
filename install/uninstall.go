package install

import (
	"bytes"
	"fmt"
	"slices"
)

// PlanUninstall plans an uninstall. A file that is as the install left it is restored from the backup, or removed if
// the install made it. From other files it removes aburn's handlers, and the install's containers that are empty
// without them.
func PlanUninstall(o Options) (*Change, error) {
	o = o.complete()
	c := &Change{env: o.Env}
	if o.StatusLine == DropStatus {
		for _, a := range o.Agents {
			if !a.Settings.StatusLine {
				continue
			}
			f, err := planNoStatus(o, hooksFile(o, a))
			if err != nil {
				return nil, err
			}
			c.Files = append(c.Files, f)
		}
		return c, nil
	}
	for _, a := range o.Agents {
		plan := planUninstall
		if a.own != nil {
			plan = planNoOwn
		}
		f, err := plan(o, hooksFile(o, a))
		if err != nil {
			return nil, err
		}
		if !f.Same() && a.Recorded != nil {
			s := InspectFile(a, f.Path, f.root, o.Env)
			if records := a.Recorded(&s, o.Env); records != nil {
				c.Trust = append(c.Trust, records)
			}
		}
		c.Files = append(c.Files, f)
	}
	c.Notes = o.remaining()
	if !o.MCP {
		c.Notes = append(c.Notes, o.remainingServers()...)
	} else if err := c.planNoServer(o); err != nil {
		return nil, err
	}
	c.planNoPlace(o)
	return c, nil
}

func planUninstall(o Options, f FileChange) (FileChange, error) {
	t, err := f.begin(o)
	if err != nil {
		return f, err
	}
	f.record = readRecord(t.real, o.Env)
	if !t.exists || !f.what.mentioned(t.data) && (f.record == nil || !f.record.Rule) {
		return f, nil
	}
	d, err := f.Agent.parse(f.Path, t.data)
	if err != nil {
		return f, err
	}
	f.edits = removal(d, f.what, f.record)
	f.New = splice(t.data, f.edits)
	if f.record.leads(t.data) {
		if f.restore(); f.Exact {
			return f, nil
		}
	}
	f.judge(d)
	if f.Remove {
		return f, nil
	}
	if _, err := f.Agent.parse(f.Path, f.New); err != nil {
		return f, fmt.Errorf("%s: without the hooks it would not parse, so aburn leaves it alone: %w", f.Path, err)
	}
	return f, nil
}

// restore plans to restore the backup, if it is unchanged.
func (f *FileChange) restore() {
	data, err := f.record.original()
	if err != nil {
		f.Notes = append(f.Notes, err.Error())
		return
	}
	f.Exact = true
	f.Remove = !f.record.Existed
	switch {
	case f.Remove:
		f.New, f.edits = nil, []edit{{old: string(f.Old)}}
	case !bytes.Equal(f.New, data):
		f.New, f.edits = data, []edit{{old: string(f.Old), new: string(data)}}
	}
}

// judge decides how exact the removal is for a file that changed since the install or has no record.
func (f *FileChange) judge(d *document) {
	if f.Same() {
		return
	}
	if f.record == nil {
		f.Notes = append(f.Notes, "no record of an install: aburn removed its own lines, but can't promise the same bytes as before")
		return
	}
	if !f.record.Existed && f.isEmptyObject(f.New) {
		f.Remove, f.New, f.edits = true, nil, []edit{{old: string(f.Old)}}
		f.Notes = append(f.Notes, "install-hooks made this file, and nothing else is in it")
		return
	}
	cut := spansOf(d.data, f.edits)
	f.Exact = slices.EqualFunc(cut, f.record.Spans, func(a, b recorded) bool {
		return a.Installed == b.Installed && a.Original == b.Original
	})
	if f.Exact {
		return
	}
	for _, s := range f.record.Spans {
		if !bytes.Contains(d.data, []byte(s.Installed)) {
			f.Notes = append(f.Notes, fmt.Sprintf("not byte-exact: changed since the install, around %s", around(s)))
			return
		}
	}
	f.Notes = append(f.Notes, "not byte-exact: changed since the install")
}

// around names the place of a recorded span by the words before it.
func around(s recorded) string {
	words := bytes.Fields([]byte(s.Before))
	if len(words) == 0 {
		return "the beginning"
	}
	return fmt.Sprintf("%q", bytes.Join(words[max(0, len(words)-2):], []byte(" ")))
}
