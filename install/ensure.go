package install

import "slices"

// ensurer collects the edits that add aburn's hooks to a document.
type ensurer struct {
	*document
	style style
	edits []edit
	moved int // events whose handler was not up to date
}

// ensure finds the edits after which the agent calls the hook, with allow lets prompts log unasked, and has the status
// line of status. It appends to existing lists and never touches other content.
func (d *document) ensure(c call, allow bool, status StatusLine) (*ensurer, error) {
	e := &ensurer{document: d, style: d.style()}
	if d.root.kind != object {
		return nil, d.wrong(d.root, "the file", object)
	}
	items, err := e.hooks(c)
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
	if c.agent.Settings.StatusLine {
		items = append(items, e.statusLine(c, status)...)
	}
	e.add(d.root, items)
	return e, nil
}

// add appends items to the container v, if there are any.
func (e *ensurer) add(v value, items []item) {
	if len(items) > 0 {
		e.edits = append(e.edits, e.appendTo(v, e.style, items)...)
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
func (e *ensurer) hooks(c call) ([]item, error) {
	m := e.root.last("hooks")
	if m == nil || m.value.kind == null {
		all := tree{open: "{", lines: true}
		for _, ev := range c.agent.events() {
			all.items = append(all.items, item{ev.Name, c.groups(ev.Timeout)})
		}
		return e.put("hooks", m, all), nil
	}
	if m.value.kind != object {
		return nil, e.wrong(m.value, `"hooks"`, object)
	}
	var missing []item
	for _, ev := range c.agent.events() {
		em := m.value.last(ev.Name)
		switch {
		case em == nil || em.value.kind == null:
			missing = append(missing, e.put(ev.Name, em, c.groups(ev.Timeout))...)
		case em.value.kind != array:
			return nil, e.wrong(em.value, quote(ev.Name), array)
		case !e.refresh(c, ev.Name, em.value):
			e.add(em.value, []item{{"", c.group(ev.Timeout)}})
		}
	}
	e.add(m.value, missing)
	return nil, nil
}

// groups is the value of a new event.
func (c call) groups(timeout int) tree {
	return tree{open: "[", items: []item{{"", c.group(timeout)}}}
}

// refresh brings aburn's handler of an event up to date in place, and reports whether there is one. The user's other
// changes to it (a timeout, a matcher) stay. Further handlers of aburn's go, because each would run the hook again.
func (e *ensurer) refresh(c call, event string, groups value) bool {
	var own []handler
	for _, g := range groups.elems {
		list := g.last("hooks")
		if list == nil {
			continue
		}
		for _, v := range list.value.elems {
			if h := e.readHandler(event, g, v); h.ours(c.agent.Agent) {
				own = append(own, h)
			}
		}
	}
	if len(own) == 0 {
		return false
	}
	kept := own[max(0, slices.IndexFunc(own, func(h handler) bool { return e.everything(h.group) }))]
	if e.update(c, kept) || len(own) > 1 {
		e.moved++
	}
	if len(own) > 1 {
		r := &remover{document: e.document, agent: c.agent, was: allAbsent, kept: kept.value.start}
		r.event("hooks."+event, member{key: event, value: groups})
		e.edits = append(e.edits, r.edits...)
	}
	return true
}

// everything reports whether a group matches everything at its event.
func (e *ensurer) everything(group value) bool {
	m := group.last("matcher")
	return m == nil || m.value.kind == null || m.value.kind == text && (e.str(m) == "" || e.str(m) == "*")
}

// update replaces a handler's program and arguments if they are not those of the call.
func (e *ensurer) update(c call, h handler) bool {
	command := c.line()
	if h.exec {
		command = c.path
	}
	same := slices.Equal(h.args, c.args())
	bare := !h.exec && h.guarded != c.agent.Hooks.MissingBlocks
	if h.path != c.path || !h.exec && !same || bare {
		at := h.command.value
		e.edits = append(e.edits, edit{at.start, e.text(at.start, at.end), quote(command)})
	}
	if h.exec && !same {
		at := h.argList.value
		e.edits = append(e.edits, edit{at.start, e.text(at.start, at.end), e.style.print(c.list(), "")})
	}
	return h.path != c.path || !same || bare
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
