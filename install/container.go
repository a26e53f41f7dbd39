package install

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
