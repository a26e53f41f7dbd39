package guard

import (
	"slices"
	"strings"

	"aburn/guard/shell"
)

// Judge says what rules say of a call.
func Judge(rules []Rule, call *Call, place Place, facts Facts) *Verdict {
	m := newMatcher(call, place, facts)
	v := &Verdict{Line: m.line}
	if call.Cut != "" {
		v.Opaque = append(v.Opaque, call.Cut)
	}
	if m.line != nil {
		v.Opaque = append(v.Opaque, m.line.Opaque...)
	}
	for i := range rules {
		r := m.rule(&rules[i])
		switch {
		case r.Hit:
			v.Hits = append(v.Hits, r)
		case r.Open != "":
			v.Open = append(v.Open, r)
		}
	}
	slices.SortStableFunc(v.Hits, func(a, b Result) int {
		return slices.Index(Actions(), b.Rule.Do) - slices.Index(Actions(), a.Rule.Do)
	})
	return v
}

// matcher holds a call with what rules ask of it, worked out once.
type matcher struct {
	call     *Call
	place    Place
	facts    Facts
	line     *shell.Line // nil if it is no shell's
	programs []program
	folders  []string
}

type program struct {
	*shell.Program
	args    *arguments
	effects *effects
}

func newMatcher(call *Call, place Place, facts Facts) *matcher {
	m := &matcher{call: call, place: place, facts: facts}
	if call.Kind != Shell {
		return m
	}
	m.line = shell.Parse(call.Command, shell.Start{Dir: call.Dir, Home: place.Home})
	m.programs = make([]program, len(m.line.Programs))
	for i := range m.line.Programs {
		p := &m.line.Programs[i]
		m.programs[i] = program{p, sorted(p.Name, p.Args), nil}
		m.programs[i].args.holes = m.programs[i].args.holes || p.Fed
		m.programs[i].effects = m.effects(p, m.programs[i].args)
		if p.Fed {
			m.programs[i].effects.unknown(p.Name)
		}
	}
	return m
}

// unknown adds an unknown file, for a program whose operands come from somewhere else.
func (e *effects) unknown(name string) {
	if _, ok := readers[name]; ok {
		e.reads = append(e.reads, target{})
	}
	switch name {
	case "rm", "mv", "chmod", "chown", "truncate", "tee", "touch", "shred", "sed":
		e.writes = append(e.writes, target{})
	}
}

// rule judges one rule.
func (m *matcher) rule(r *Rule) Result {
	res := Result{Rule: r}
	for i := range r.When {
		truth, part, open := m.condition(&r.When[i])
		if truth == Yes && m.excepted(r) {
			continue
		}
		switch {
		case truth == Yes:
			return Result{Rule: r, Hit: true, Part: part}
		case truth == Unknown && res.Open == "":
			res.Open, res.Moment = open, open == momentUnknown
		}
	}
	if res.Open == "" && (m.call.Cut != "" || m.line != nil && len(m.line.Opaque) > 0) && m.mayConcern(r) {
		if res.Open = m.call.Cut; res.Open == "" {
			res.Open = m.line.Opaque[0]
		}
	}
	if res.Open != "" && r.Opaque && !m.excepted(r) {
		res.Hit = true
	}
	return res
}

// mayConcern reports whether the unknown part of a shell command could be what the rule is about.
func (m *matcher) mayConcern(r *Rule) bool {
	return slices.ContainsFunc(r.When, func(c Condition) bool {
		return m.kind(&c) && !c.OfCounts() && (c.OfShell() || len(c.Writes)+len(c.Reads)+len(c.Path)+len(c.Host) > 0 || c.Network != nil)
	})
}

func (m *matcher) excepted(r *Rule) bool {
	return slices.ContainsFunc(r.Not, func(c Condition) bool {
		truth, _, _ := m.condition(&c)
		return truth == Yes
	})
}

// kind reports whether the call's tool is one of the condition's.
func (m *matcher) kind(c *Condition) bool {
	if c.OfShell() && m.call.Kind != Shell {
		return false
	}
	return len(c.Tool) == 0 || slices.Contains(c.Tool, string(m.call.Kind)) || slices.ContainsFunc(c.Tool, func(t string) bool { return match(t, m.call.Tool) })
}

// condition judges one condition: the tool and the moment's cheap facts first, then each program or file of the call, then
// the facts for which other programs have to be asked.
func (m *matcher) condition(c *Condition) (truth Truth, part, open string) {
	if !m.kind(c) {
		return No, "", ""
	}
	if c.SubAgent != nil && *c.SubAgent != m.call.Sub || len(c.Server) > 0 && !matchAny(c.Server, m.call.Server) {
		return No, "", ""
	}
	all := judged{truth: Yes}
	all.and(m.counts(c), "the counts of the session are not known")
	if all.truth == No {
		return No, "", ""
	}
	dir := m.call.Dir
	switch {
	case m.call.Kind == Shell:
		best := judged{truth: No}
		for i := range m.programs {
			one := m.program(c, &m.programs[i])
			if one.truth == Yes || one.truth == Unknown && best.truth == No {
				best, part = one, show(m.programs[i].Program)
				dir = m.dirOf(&m.programs[i])
			}
			if one.truth == Yes {
				break
			}
		}
		if len(m.programs) == 0 && !c.ofPrograms() {
			best.truth = Yes
		}
		all.and(best.truth, best.open)
	default:
		best := m.files(c)
		part = strings.Join(m.call.Paths, " ")
		if m.call.URL != "" {
			part = m.call.URL
		}
		all.and(best.truth, best.open)
	}
	if all.truth == No {
		return No, "", ""
	}
	all.and(m.moment(c, dir), momentUnknown)
	return all.truth, part, all.open
}

// ofPrograms reports whether the condition asks something of a program.
func (c *Condition) ofPrograms() bool {
	return c.OfShell() || len(c.Path)+len(c.Reads)+len(c.Writes)+len(c.Host) > 0 || c.Network != nil
}

// judged is a truth with the reason why it is unknown.
type judged struct {
	truth Truth
	open  string
}

func (j *judged) and(t Truth, open string) {
	switch {
	case j.truth == No || t == No:
		j.truth = No
	case t == Unknown && j.truth == Yes:
		j.truth, j.open = Unknown, open
	}
}

const momentUnknown = "the state of the repository at that moment is not known"

const notInText = "a word is not in the text"

// program judges what a condition asks of one program.
func (m *matcher) program(c *Condition, p *program) judged {
	j := judged{truth: Yes}
	operands := p.args.operands
	if len(c.Command) > 0 {
		best := No
		for _, spec := range c.Command {
			rest, truth := p.args.command(p.Name, spec)
			if truth == Yes || truth == Unknown && best == No {
				best, operands = truth, rest
			}
			if truth == Yes {
				break
			}
		}
		if j.and(best, notInText); j.truth == No {
			return j
		}
	}
	for _, spec := range c.Flags {
		j.and(p.args.flag(spec), notInText)
	}
	for _, spec := range c.NotFlags {
		if p.args.flag(spec) == Yes {
			return judged{truth: No}
		}
	}
	for _, pattern := range c.Args {
		j.and(anyWord(operands, pattern), notInText)
	}
	for _, pattern := range c.NotArgs {
		if anyWord(operands, pattern) == Yes {
			return judged{truth: No}
		}
	}
	if c.AtLeast > len(operands) {
		j.and(TruthOf(false), "")
	}
	if len(c.Statement) > 0 {
		j.and(statement(p, c.Statement), notInText)
	}
	if c.Runs != "" {
		j.and(TruthOf(p.Download), "")
	}
	if len(c.ForcePush) > 0 {
		j.and(m.forcePush(p, c.ForcePush), "the branch is not in the text")
	}
	if c.Cluster != "" {
		j.and(m.cluster(p, c.Cluster), "the cluster is not known")
	}
	m.touched(c, &j, p.effects)
	if c.Network != nil {
		truth := p.effects.network
		if !*c.Network {
			truth = not(truth)
		}
		j.and(truth, "the host is not in the text")
	}
	if len(c.Host) > 0 {
		best := No
		for _, h := range p.effects.hosts {
			best = max(best, matchWord(h, c.Host))
		}
		j.and(best, "the host is not in the text")
	}
	return j
}

// touched judges what a condition asks of the files of a program or tool.
func (m *matcher) touched(c *Condition, j *judged, e *effects) {
	for _, one := range [...]struct {
		classes []string
		files   []target
	}{{c.Reads, e.reads}, {c.Writes, e.writes}, {c.Empties, e.empties}, {c.Path, slices.Concat(e.reads, e.writes)}} {
		if len(one.classes) == 0 || j.truth == No {
			continue
		}
		best := No
		for _, t := range one.files {
			for _, class := range one.classes {
				best = max(best, m.in(t, class))
			}
		}
		j.and(best, "a path or what it is is not known")
	}
}

// files judges what a condition asks of a tool that is no shell.
func (m *matcher) files(c *Condition) judged {
	j, e := judged{truth: Yes}, &effects{network: No}
	for _, p := range m.call.Paths {
		t := m.target(&shell.Program{Dir: m.call.Dir}, shell.Word{Text: m.tilde(p)})
		if m.call.Kind == Edit {
			e.writes = append(e.writes, t)
		} else {
			e.reads = append(e.reads, t)
		}
	}
	if m.call.Kind == Web {
		e.network = Unknown
		if m.call.URL != "" {
			h := hostOf(shell.Word{Text: m.call.URL}, "curl")
			e.hosts = []shell.Word{h}
			e.network = TruthOf(!loopback(h.Text))
		}
	}
	m.touched(c, &j, e)
	if c.Network != nil {
		truth := e.network
		if !*c.Network {
			truth = not(truth)
		}
		j.and(truth, "the address is not known")
	}
	if len(c.Host) > 0 {
		best := No
		if m.call.Kind == Web && len(e.hosts) == 0 {
			best = Unknown
		}
		for _, h := range e.hosts {
			best = max(best, matchWord(h, c.Host))
		}
		j.and(best, "the address is not known")
	}
	return j
}

func (m *matcher) tilde(p string) string {
	if strings.HasPrefix(p, "~/") && m.place.Home != "" {
		return m.place.Home + p[1:]
	}
	return p
}

// dirOf is the folder that a program works in: git's -C counts.
func (m *matcher) dirOf(p *program) string {
	dir := p.Dir
	if to, ok := p.args.of("-C"); ok && p.Name == "git" && to.Known() {
		if t := m.target(p.Program, to); t.known {
			dir = t.path
		}
	}
	return dir
}

func not(t Truth) Truth { return -t }

func matchWord(w shell.Word, patterns []string) Truth {
	if !w.Known() {
		return Unknown
	}
	return TruthOf(slices.ContainsFunc(patterns, func(p string) bool { return matchFold(p, w.Text) }))
}

func anyWord(words []shell.Word, pattern string) Truth {
	best := No
	for _, w := range words {
		switch {
		case matchFold(pattern, strings.ReplaceAll(w.Text, shell.Hole, "?")) && w.Known():
			return Yes
		case !w.Known():
			best = Unknown
		}
	}
	return best
}
