package install

import "bytes"

// content is what an install puts into one kind of file.
type content interface {
	// path is the file, and the project that it must not lead out of; "" is anywhere.
	path(o Options) (path, root string, err error)
	// ensure finds the edits that make d hold it, calling the executable at path.
	ensure(d *document, path string) (*ensurer, error)
	// remove finds the edits that undo ensure, given what containers were before; rule says that AllowRule was put there.
	remove(d *document, was func(path string) container, rule bool) []edit
	// containers notes what the containers that ensure may make or fill are in d.
	containers(d *document) []container
	// owns says whether some of it is anywhere in d.
	owns(d *document) bool
	// mentioned says whether it can be in the data at all; a file without it need not even be JSON.
	mentioned(data []byte) bool
	// notes says what in d, and in other files, is in its way.
	notes(o Options, d *document) []string
}

// hooks are the hooks of an agent, and with allow AllowRule.
type hooks struct {
	agent Agent
	allow bool
}

func (h hooks) path(o Options) (path, root string, err error) {
	return h.agent.settingsPath(o.Scope, o.Dir, o.Env)
}

func (h hooks) ensure(d *document, path string) (*ensurer, error) {
	return d.ensure(h.agent, path, h.allow)
}

func (h hooks) remove(d *document, was func(string) container, rule bool) []edit {
	return d.remove(h.agent, was, rule)
}

func (h hooks) containers(d *document) []container { return d.containers(h.agent) }
func (h hooks) owns(d *document) bool              { return d.owns(h.agent) }
func (h hooks) mentioned(data []byte) bool         { return bytes.Contains(data, []byte(hookName)) }

func (h hooks) notes(o Options, d *document) []string {
	return append(d.notes(h.agent), o.twice(h.agent)...)
}
