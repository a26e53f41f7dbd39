package doctor

import (
	"fmt"

	"aburn/install"
)

// servers looks at where the agent registers aburn's MCP server. Without one nothing is said: it is for who wants it.
func (e *exam) servers(p *patient) {
	for _, s := range install.Servers(p.Agent, e.Dir, e.Env) {
		at := s.Path
		if s.Line > 0 {
			at = fmt.Sprintf("%s:%d", s.Path, s.Line)
		}
		switch {
		case s.Err != nil:
			e.addf(p.topic(), Note, "%v: whether it registers aburn's MCP server cannot be told", s.Err)
		case !s.Ours:
			e.addf(p.topic(), Note, "%s: %v: %s", at, install.ErrOtherServer, s.Runs())
		case s.Program(e.Env) == "":
			e.add(p.topic(), Note, fmt.Sprintf("%s: the MCP server runs %s, which is not there: %s cannot ask aburn", at, s.Command, p.Title), "aburn install-hooks --mcp")
		default:
			e.addf(p.topic(), OK, "%s: the MCP server runs %s", at, s.Command)
		}
	}
}
