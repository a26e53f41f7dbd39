package install

import "slices"

// ensurer collects the edits that add aburn's hooks to a document.
type ensurer struct {
	*document
	style style
	edits []edit
	moved int // handlers whose path changes
}

// ensure finds the edits after which agent a calls the hook at path and, with allow, lets prompts log unasked. It
// appends to existing lists and never touches other content.
func (d *document) ensure(a Agent, path string, allow bool) (*ensurer, error) {
	e := &ensurer{document: d, style: d.style()}
	if d.root.kind != object {
		return nil, d.wrong(d.root, "the file", object)
	}
	items, err := e.hooks(a, path)
	if err != nil {
		return nil, err
	}
	if allow {
		more, err := e.permissions()
		if err != nil {
			return nil, err
		}
		items = append(items, more...)
	}
	e.add(d.root, items)
	return e, nil
}

// add appends items to the container v, if there are any.
func (e *ensurer) add(v value, items []item) {
	if len(items) > 0 {
		e.edits = append(e.edits, e.appendTo(v, e.style, items))
	}
}

// put sets the member m to t. A missing m becomes an item for its parent, a null one an edit.
func (e *ensurer) put(key string, m *member, t tree) []item {
	if m == nil {
		return []item{{key, t}}
	}
	e.edits = append(e.edits, edit{m.value.start, "null", e.style.print(t, e.lineIndent(m.keyStart))})
	return nil
}

// hooks returns the items that the root lacks.
func (e *ensurer) hooks(a Agent, path string) ([]item, error) {
	m := e.root.last("hooks")
	if m == nil || m.value.kind == null {
		all := tree{open: "{", lines: true}
		for _, ev := range a.events() {
			all.items = append(all.items, item{ev.Name, a.groups(path, ev.Timeout)})
		}
		return e.put("hooks", m, all), nil
	}
	if m.value.kind != object {
		return nil, e.wrong(m.value, `"hooks"`, object)
	}
	var missing []item
	for _, ev := range a.events() {
		em := m.value.last(ev.Name)
		switch {
		case em == nil || em.value.kind == null:
			missing = append(missing, e.put(ev.Name, em, a.groups(path, ev.Timeout))...)
		case em.value.kind != array:
			return nil, e.wrong(em.value, quote(ev.Name), array)
		case !e.refresh(a, ev.Name, em.value, path):
			e.add(em.value, []item{{"", a.group(path, ev.Timeout)}})
		}
	}
	e.add(m.value, missing)
	return nil, nil
}

// groups is the value of a new event.
func (a *Adapter) groups(path string, timeout int) tree {
	return tree{open: "[", items: []item{{"", a.group(path, timeout)}}}
}

// refresh updates the paths of aburn's handlers of an event in place, and reports whether there are any. Other
// changes of the user's to them (a timeout, a matcher) stay.
func (e *ensurer) refresh(a Agent, event string, groups value, path string) bool {
	found := false
	for _, g := range groups.elems {
		list := g.last("hooks")
		if list == nil {
			continue
		}
		for _, v := range list.value.elems {
			h := e.readHandler(event, g, v)
			if !h.ours(a.Agent) {
				continue
			}
			found = true
			want := path
			if !h.exec {
				want = a.lineFor(path)
			}
			if h.path != path {
				at := h.command.value
				e.edits = append(e.edits, edit{at.start, e.text(at.start, at.end), quote(want)})
				e.moved++
			}
		}
	}
	return found
}

// permissions returns the items that the root lacks for AllowRule.
func (e *ensurer) permissions() ([]item, error) {
	rule := tree{raw: quote(AllowRule)}
	rules := tree{open: "[", items: []item{{"", rule}}}
	m := e.root.last("permissions")
	if m == nil || m.value.kind == null {
		return e.put("permissions", m, tree{open: "{", lines: true, items: []item{{"allow", rules}}}), nil
	}
	if m.value.kind != object {
		return nil, e.wrong(m.value, `"permissions"`, object)
	}
	allow := m.value.last("allow")
	switch {
	case allow == nil || allow.value.kind == null:
		e.add(m.value, e.put("allow", allow, rules))
	case allow.value.kind != array:
		return nil, e.wrong(allow.value, `"permissions.allow"`, array)
	case !e.hasRule(allow.value):
		e.add(allow.value, []item{{"", rule}})
	}
	return nil, nil
}

func (d *document) hasRule(rules value) bool {
	return slices.ContainsFunc(rules.elems, d.isRule)
}

func (d *document) isRule(v value) bool {
	return v.kind == text && unquote(d.data[v.start:v.end]) == AllowRule
}
