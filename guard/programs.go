package guard

import (
	"strings"

	"aburn/guard/shell"
)

// forcePush reports whether p pushes by force to a branch that matches.
func (m *matcher) forcePush(p *program, patterns []string) Truth {
	rest, truth := p.args.command(p.Name, "git push")
	if truth != Yes {
		return truth
	}
	if p.args.has("--dry-run|-n|--delete|-d") {
		return No
	}
	forced := p.args.flag("-f|--force|--force-with-lease|--force-if-includes|--mirror")
	refs := rest
	if len(refs) > 0 {
		refs = refs[1:] // the remote
	}
	if len(refs) == 0 {
		if forced == No {
			return No
		}
		if p.args.has("--mirror|--all|--branches") {
			return forced
		}
		return min(m.branchIn(p, patterns), forced)
	}
	best := No
	for _, ref := range refs {
		text, plus := strings.CutPrefix(ref.Text, "+")
		if forced == No && !plus && ref.Known() {
			continue
		}
		if _, to, ok := strings.Cut(text, ":"); ok {
			text = to
		}
		text = strings.TrimPrefix(text, "refs/heads/")
		truth := No
		switch {
		case strings.Contains(text, shell.Hole):
			truth = Unknown
		case text == "HEAD" || text == "@":
			truth = m.branchIn(p, patterns)
		case strings.Contains(text, "*"):
			truth = Yes // all branches
		default:
			truth = TruthOf(matchAny(patterns, text))
		}
		best = max(best, truth)
	}
	return best
}

func (m *matcher) branchIn(p *program, patterns []string) Truth {
	dir := m.dirOf(p)
	if dir == "" {
		return Unknown
	}
	branch := m.facts.Branch(dir)
	if branch == "" {
		return Unknown
	}
	return TruthOf(matchAny(patterns, branch))
}

// localClusters are contexts of kubectl that tools for a developer's own machine make.
var localClusters = []string{
	"kind-*", "minikube*", "docker-desktop", "docker-for-desktop", "k3d-*", "rancher-desktop", "colima*", "orbstack", "microk8s*", "localhost*", "k3s-default",
}

func (m *matcher) cluster(p *program, want string) Truth {
	name := ""
	if w, ok := p.args.of("--context", "--kube-context"); ok {
		if !w.Known() {
			return Unknown
		}
		name = w.Text
	} else if name = m.facts.Cluster(); name == "" {
		return Unknown
	}
	return TruthOf(matchAny(localClusters, name) == (want == "local"))
}

// statement reports whether an argument or the input of a program holds an SQL statement that begins with one of the words.
func statement(p *program, begins []string) Truth {
	texts := append([]shell.Word(nil), p.args.operands...)
	for _, o := range p.args.options {
		if o.has {
			texts = append(texts, o.value)
		}
	}
	if p.StdinKnown {
		texts = append(texts, shell.Word{Text: p.Stdin})
	}
	best := No
	for _, t := range texts {
		for _, s := range statements(t.Text) {
			for _, b := range begins {
				if s == b || strings.HasPrefix(s, b+" ") {
					return Yes
				}
			}
			if strings.HasPrefix(s, shell.Hole) {
				best = Unknown
			}
		}
	}
	return best
}

// statements are the beginnings of the SQL statements of a text: lower case, single blanks, without comments and texts.
func statements(text string) (list []string) {
	var b strings.Builder
	end := func() {
		if s := strings.Join(strings.Fields(strings.ToLower(b.String())), " "); s != "" {
			list = append(list, s)
		}
		b.Reset()
	}
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		switch c := text[i]; {
		case c == ';':
			end()
		case c == '\'' || c == '"' || c == '`':
			n := strings.IndexByte(rest[1:], c)
			if n < 0 {
				n = len(rest) - 2
			}
			b.WriteString("?")
			i += n + 1
		case strings.HasPrefix(rest, "$$"):
			n := strings.Index(rest[2:], "$$")
			if n < 0 {
				n = len(rest) - 4
			}
			i += n + 3
		case strings.HasPrefix(rest, "--"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			i += n - 1
			b.WriteByte(' ')
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest, "*/")
			if n < 0 {
				n = len(rest)
			}
			i += n + 1
			b.WriteByte(' ')
		default:
			b.WriteByte(c)
		}
	}
	end()
	return list
}
