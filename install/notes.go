package install

import "fmt"

// notes says what in the file itself keeps hooks from running.
func (d *document) notes(a Agent) (out []string) {
	at := func(v value, format string, args ...any) {
		line, column := place(d.data, v.start)
		out = append(out, fmt.Sprintf("%s:%d:%d: ", d.path, line, column)+fmt.Sprintf(format, args...))
	}
	if a.notes == nil {
		d.duplicates(at)
		return out
	}
	a.notes(d, at)
	return out
}

// duplicates finds keys that hold hooks and stand twice.
func (d *document) duplicates(at func(value, string, ...any)) {
	look := func(v value, interesting func(string) bool) {
		for i, m := range v.members {
			if last := v.last(m.key); interesting(m.key) && last != &v.members[i] {
				at(m.value, "the key %s stands again below, and only the last one counts", quote(m.key))
			}
		}
	}
	look(d.root, func(key string) bool { return key == "hooks" })
	if hooks := d.root.last("hooks"); hooks != nil {
		look(hooks.value, func(string) bool { return true })
	}
}

// elsewhere are the settings files of other scopes, and the plugins, that call aburn's hook for agent a too.
func (o Options) elsewhere(a Agent) (paths []string) {
	here, _, _ := a.settingsPath(o.Scope, o.Dir, o.Env)
	for _, s := range a.scopes() {
		path, root, err := a.settingsPath(s, o.Dir, o.Env)
		if err != nil || path == here {
			continue
		}
		t, err := readTarget(path, root)
		if err != nil {
			continue
		}
		if d, err := parse(path, t.data); err == nil && d.owns(a) {
			paths = append(paths, path)
		}
	}
	if a.Plugins != nil {
		for _, p := range a.Plugins(a, o.Dir, o.Env) {
			if len(p.Own()) > 0 {
				paths = append(paths, "the plugin "+p.Plugin)
			}
		}
	}
	return paths
}

// twice warns of a second registration: the agents merge all files, so every event would be recorded twice.
func (o Options) twice(a Agent) (out []string) {
	for _, path := range o.elsewhere(a) {
		out = append(out, fmt.Sprintf("%s calls the hook too: %s runs both, so every event costs twice; keep one", path, a.Title))
	}
	return out
}

// remaining says which settings files still call the hook after an uninstall of one scope.
func (o Options) remaining() (out []string) {
	for _, a := range o.Agents {
		for _, path := range o.elsewhere(a) {
			out = append(out, fmt.Sprintf("%s still calls the hook", path))
		}
	}
	return out
}
