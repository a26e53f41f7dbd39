package install

// remover collects the edits that take aburn's hooks out of a document.
type remover struct {
	*document
	agent Agent
	was   func(path string) container // what a container goes back to when nothing is left in it
	rule  bool                        // AllowRule was put there by an install
	edits []edit
}

// remove finds the edits that undo ensure: own handlers, the groups that held nothing else, and every container that an
// install made or filled and that nobody else has used since. Where places count, a group that somebody else's
// follows leaves an empty one in its place.
func (d *document) remove(a Agent, was func(string) container, rule bool) []edit {
	r := &remover{document: d, agent: a, was: was, rule: rule}
	gone := map[int]bool{}
	for i, m := range d.root.members {
		switch {
		case m.key == "hooks" && m.value.kind == object:
			gone[i] = r.object("hooks", m.value, r.event)
		case m.key == "permissions" && m.value.kind == object && rule:
			gone[i] = r.object("permissions", m.value, r.rules)
		}
	}
	return append(r.edits, d.cut(d.root, was("").Inside, func(i int) bool { return gone[i] })...)
}

// object takes the members of v out for which member says that nothing is left, and returns whether v goes too.
func (r *remover) object(path string, v value, member func(path string, m member) bool) bool {
	before := len(r.edits)
	gone := map[int]bool{}
	for i, m := range v.members {
		gone[i] = m.value.kind == array && member(path+"."+m.key, m)
	}
	return r.close(path, v, before, func(i int) bool { return gone[i] })
}

// close cuts the items that are gone out of v. When none is left, v goes back to what it was: it is either gone itself,
// which is the return value, or null, or empty. Edits inside it, made since before, are then void.
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

// rules takes AllowRule out of the list of allowed tools.
func (r *remover) rules(path string, m member) bool {
	if path != "permissions.allow" {
		return false
	}
	return r.close(path, m.value, len(r.edits), func(i int) bool { return r.isRule(m.value.elems[i]) })
}

// event takes own groups and handlers out of one event.
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

// group says whether the group is aburn's alone; from one that is not it takes the own handlers.
func (r *remover) group(event string, g value) bool {
	list := g.last("hooks")
	if list == nil || list.value.kind != array {
		return false
	}
	own := func(i int) bool { return r.readHandler(event, g, list.value.elems[i]).ours(r.agent.Agent) }
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

// container is what a container of hooks is in a file without aburn's. One that holds something of the user's needs no
// note: it stays.
type container struct {
	Path   string `json:"path"`             // "" is the root; else keys joined by dots
	Was    string `json:"was"`              // wasAbsent, wasNull or wasEmpty
	Inside string `json:"inside,omitempty"` // with wasEmpty: the space between its brackets
}

const (
	wasAbsent = "absent"
	wasNull   = "null"
	wasEmpty  = "empty"
)

// containers notes what the containers that an install of agent a may make or fill are in d.
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
	return out
}

// under is the last member of m's value with that key, nil also when m is nil.
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

// allAbsent is how a file is read of which no record says what it was: every container that only aburn's hooks keep open
// goes with them.
func allAbsent(path string) container {
	if path == "" {
		return container{}
	}
	return container{Path: path, Was: wasAbsent}
}

// allowed says whether the document's permissions hold AllowRule.
func (d *document) allowed() bool {
	allow := d.root.last("permissions").under("allow")
	return allow != nil && d.hasRule(allow.value)
}

// owns says whether agent a's own handlers are anywhere in the document.
func (d *document) owns(a Agent) bool {
	for _, h := range d.handlers() {
		if h.ours(a.Agent) {
			return true
		}
	}
	return false
}
