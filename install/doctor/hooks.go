package doctor

import (
	"fmt"
	"strings"

	"aburn/install"
)

// twice finds events that call the hook more than once. Some agents run identical commands of their settings files once,
// but a plugin's beside them.
func (e *exam) twice(p *patient) {
	calls := map[string]map[string]string{} // event, then what the agent takes for one command, then the file
	var files []string
	for _, s := range p.own() {
		for n, r := range s.Own() {
			identity := r.Shell + "\x00" + r.Path + "\x00" + strings.Join(r.Args, "\x00")
			if !p.Hooks.Once || s.Scope == install.Plugin {
				identity += fmt.Sprintf("\x00%s\x00%d", s.Path, n)
			}
			if calls[r.Event] == nil {
				calls[r.Event] = map[string]string{}
			}
			calls[r.Event][identity] = s.Path
		}
		files = append(files, s.Path)
	}
	n := 0
	for _, c := range calls {
		if len(c) > 1 {
			n++
		}
	}
	if n > 0 {
		e.add(p.topic(), Bad, fmt.Sprintf("%d events call the hook more than once, in %s: every call costs, and what has no id is recorded twice", n, strings.Join(files, " and ")),
			"keep one: aburn uninstall-hooks --agent "+p.Name+" with --user, --project or --local, or disable the plugin")
	}
}
