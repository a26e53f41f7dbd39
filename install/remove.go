package install

// remover collects the edits that remove aburn's hooks from a document.
type remover struct {
	*document
	agent Agent
	was   func(path string) container // what a container was before the install
	rule  bool                        // an install added AllowRule
	kept  int                         // where the handler begins that stays; 0 for none
	edits []edit
}

// remove finds the edits that undo ensure. They remove aburn's handlers, groups with nothing else in them, and
// containers that an install made or filled and nobody else uses. If positions count, a removed group before somebody
// else's leaves an empty one.
func (d *document) remove(a Agent, was func(string) container, rule bool) []edit {
	r := &remover{document: d, agent: a, was: was, rule: rule}
	gone := map[int]bool{}
	for i, m := range d.root.members {
		switch {
		case m.key == "hooks" && m.value.kind == object:
			gone[i] = r.object("hooks", m.value, r.event)
		case m.key == "permissions" && m.value.kind == object && rule:
			gone[i] = r.object("permissions", m.value, r.rules)
		case m.key == statusKey && a.Settings.StatusLine:
			gone[i] = r.statusLine(&d.root.members[i])
		}
	}
	return append(r.edits, d.cut(d.root, was("").Inside, func(i int) bool { return gone[i] })...)
}

// object removes the members of v for which member returns true, and reports whether v goes too.
func (r *remover) object(path string, v value, member func(path string, m member) bool) bool {
	before := len(r.edits)
	gone := map[int]bool{}
	for i, m := range v.members {
		gone[i] = m.value.kind == array && member(path+"."+m.key, m)
	}
	return r.close(path, v, before, func(i int) bool { return gone[i] })
}

// close removes the items of v that are gone. If none is left, v becomes what it was before the install: absent (then
// close returns true), null or empty. That voids the edits inside v, which were made since before.
func (r *remover) close(path string, v value, before int, gone func(int) bool) bool {
	n := len(v.spans())
	left := n
	for i := range n {
		if gone(i) {
			left--
		}
	}
	if left > 0 || n == 0 {
		r.edits = append(r.edits, r.cut(v, "", gone)...)
		return false
	}
	r.edits = r.edits[:before]
	switch c := r.was(path); c.Was {
	case wasAbsent:
		return true
	case wasNull:
		r.edits = append(r.edits, edit{v.start, r.text(v.start, v.end), "null"})
	default:
		r.edits = append(r.edits, r.cut(v, c.Inside, gone)...)
	}
	return false
}

// rules removes AllowRule from the list of allowed tools.
func (r *remover) rules(path string, m member) bool {
	if path != "permissions.allow" {
		return false
	}
	return r.close(path, m.value, len(r.edits), func(i int) bool { return r.isRule(m.value.elems[i]) })
}

// event removes aburn's groups and handlers from one event.
func (r *remover) event(path string, m member) bool {
	before := len(r.edits)
	groups := m.value.elems
	gone := make([]bool, len(groups))
	lastKept := -1
	for i, g := range groups {
		gone[i] = r.group(m.key, g)
		if !gone[i] {
			lastKept = i
		}
	}
	if r.agent.positional {
		for i := range lastKept {
			if gone[i] {
				gone[i] = false
				r.edits = append(r.edits, edit{groups[i].start, r.text(groups[i].start, groups[i].end), `{"hooks":[]}`})
			}
		}
	}
	return r.close(path, m.value, before, func(i int) bool { return gone[i] })
}

// group reports whether the group has only aburn's handlers. From other groups it removes aburn's.
func (r *remover) group(event string, g value) bool {
	list := g.last("hooks")
	if list == nil || list.value.kind != array {
		return false
	}
	own := func(i int) bool {
		v := list.value.elems[i]
		return v.start != r.kept && r.readHandler(event, g, v).ours(r.agent.Agent)
	}
	others := 0
	for i := range list.value.elems {
		if !own(i) {
			others++
		}
	}
	if others == 0 && len(list.value.elems) > 0 && len(g.members) == 1 {
		return true
	}
	r.edits = append(r.edits, r.cut(list.value, "", own)...)
	return false
}

// container is an object or array around hooks, as it is in the file without aburn's. A container with content of the
// user's is not recorded: it stays.
type container struct {
	Path   string `json:"path"`             // "" is the root; else keys joined by dots
	Was    string `json:"was"`              // wasAbsent, wasNull, wasEmpty or wasText
	Inside string `json:"inside,omitempty"` // with wasEmpty: the space between its brackets; with wasText: the text as written
}

const (
	wasAbsent = "absent"
	wasNull   = "null"
	wasEmpty  = "empty"
	wasText   = "text"
)

// containers records the containers in d that an install for agent a may make or fill.
func (d *document) containers(a Agent) []container {
	out := d.container(nil, "", &member{value: d.root})
	hooks := d.root.last("hooks")
	out = d.container(out, "hooks", hooks)
	for _, ev := range a.events() {
		out = d.container(out, "hooks."+ev.Name, hooks.under(ev.Name))
	}
	if a.rules {
		permissions := d.root.last("permissions")
		out = d.container(out, "permissions", permissions)
		out = d.container(out, "permissions.allow", permissions.under("allow"))
	}
	if a.Settings.StatusLine {
		out = d.statusContainers(out)
	}
	return out
}

// under is the last member of m's value with that key; nil if there is none or m is nil.
func (m *member) under(key string) *member {
	if m == nil {
		return nil
	}
	return m.value.last(key)
}

func (d *document) container(out []container, path string, m *member) []container {
	switch {
	case m == nil:
		return append(out, container{Path: path, Was: wasAbsent})
	case m.value.kind == null:
		return append(out, container{Path: path, Was: wasNull})
	case (m.value.kind == object || m.value.kind == array) && len(m.value.spans()) == 0:
		return append(out, container{path, wasEmpty, d.text(m.value.start+1, m.value.end-1)})
	}
	return out
}

// allAbsent stands in for a missing record: every container with only aburn's hooks goes with them.
func allAbsent(path string) container {
	if path == "" {
		return container{}
	}
	return container{Path: path, Was: wasAbsent}
}

// allowed reports whether the document's permissions hold AllowRule.
func (d *document) allowed() bool {
	allow := d.root.last("permissions").under("allow")
	return allow != nil && d.hasRule(allow.value)
}

// owns reports whether the document has handlers or a status line of aburn for agent a.
func (d *document) owns(a Agent) bool {
	if a.Settings.StatusLine {
		if _, own := d.ownsStatus(a, d.root.last(statusKey)); own {
			return true
		}
	}
	for _, h := range d.handlers() {
		if h.ours(a.Agent) {
			return true
		}
	}
	return false
}
