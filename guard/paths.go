package guard

import (
	"path"
	"slices"
	"strings"

	"aburn/internal/agentcli"
)

// classes are the names of groups of files that rules can use.
var classes = []string{"any", "outside", "repository", "tracked", "ignored", "secret", "hooks", "device"}

// target is a file or folder that a call touches.
type target struct {
	path  string // absolute where possible
	known bool
	glob  bool // the last part is a pattern
	tree  bool // removed or moved away with all that it contains
	empty bool // emptied
}

// in reports whether the target is of a class or matches a pattern.
func (m *matcher) in(t target, class string) Truth {
	if !t.known {
		return Unknown
	}
	switch class {
	case "any":
		return Yes
	case "device":
		return TruthOf(isDevice(t.path))
	}
	if strings.HasPrefix(t.path, "/dev/") && !strings.HasPrefix(t.path, "/dev/shm/") { // shm has files of people
		return No
	}
	real := t.path
	if t.glob { // the folder is known, the files in it are not
		real = path.Join(m.facts.Resolve(path.Dir(t.path)), path.Base(t.path))
	} else {
		real = m.facts.Resolve(t.path)
	}
	switch class {
	case "outside":
		return m.outside(real)
	case "repository":
		return m.repository(real, t)
	case "tracked":
		return m.facts.Tracked(real)
	case "ignored":
		return m.facts.Ignored(real)
	case "secret":
		return TruthOf(m.secret(real) || m.secret(t.path))
	case "hooks":
		return TruthOf(m.hooks(real, t.tree) || m.hooks(t.path, t.tree))
	}
	return TruthOf(m.matchPath(class, real) || m.matchPath(class, t.path))
}

// outside: neither in the worktree nor in a folder for temporary files.
func (m *matcher) outside(p string) Truth {
	if m.place.Root == "" || !path.IsAbs(p) {
		return Unknown
	}
	if within(p, m.facts.Resolve(m.place.Root)) || within(p, m.place.Root) {
		return No
	}
	for _, dir := range m.place.Temp {
		if dir != "" && p != dir && within(p, dir) {
			return No
		}
	}
	return Yes
}

// repository: the worktree itself, all files in it, or what git keeps of it.
func (m *matcher) repository(p string, t target) Truth {
	if m.place.Root == "" || !path.IsAbs(p) {
		return Unknown
	}
	for _, root := range [...]string{m.place.Root, m.facts.Resolve(m.place.Root)} {
		switch {
		case p == root, p == root+"/.git", root != "/" && within(root, p):
			return Yes
		case t.glob && path.Dir(p) == root && strings.Trim(path.Base(p), "*.?") == "":
			return Yes
		}
	}
	return No
}

func within(p, dir string) bool {
	return p == dir || dir == "/" || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}

// isDevice: a device on which data is, and not one of those that every script writes to.
func isDevice(p string) bool {
	name, ok := strings.CutPrefix(p, "/dev/")
	if !ok {
		return false
	}
	for _, harmless := range [...]string{
		"null", "zero", "full", "random", "urandom", "tty", "stdin", "stdout", "stderr", "fd/", "shm/", "pts/", "ptmx", "tcp/", "udp/",
	} {
		if strings.HasPrefix(name, harmless) {
			return false
		}
	}
	return name != ""
}

// The names of files that hold secrets, and of those below a home.
var (
	secretNames = []string{
		".env", ".env.*", ".envrc", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "*.pem", "*.key", "*.p12", "*.pfx", "*.keystore", "*.jks",
		".netrc", "_netrc", ".pypirc", ".git-credentials", ".vault-token", "*.kdbx",
	}
	publicNames = []string{"*.example", "*.sample", "*.template", "*.dist", "*.md", "*.pub", "cacert.pem", "ca.pem", "ca-*.pem"}
	secretHome  = []string{
		".npmrc", ".aws/credentials", ".kube/config", ".docker/config.json", ".config/gh/hosts.yml", ".config/hub", ".gnupg/private-keys-v1.d/*",
		".config/gcloud/*credentials*", ".azure/*tokens*", ".ssh/*", ".terraform.d/credentials.tfrc.json", ".config/op/config", ".pgpass", ".my.cnf",
	}
	publicSSH = []string{"known_hosts", "known_hosts.old", "config", "authorized_keys", "*.pub", "environment"}
)

func (m *matcher) secret(p string) bool {
	name := path.Base(p)
	if matchAny(publicNames, name) {
		return false
	}
	if matchAny(secretNames, name) || p == "/etc/shadow" || p == "/etc/gshadow" || p == "/root/.ssh/"+name && !matchAny(publicSSH, name) {
		return true
	}
	rel, ok := strings.CutPrefix(p, m.place.Home+"/")
	if !ok || m.place.Home == "" {
		return false
	}
	if path.Dir(rel) == ".ssh" && matchAny(publicSSH, name) {
		return false
	}
	return matchAny(secretHome, rel)
}

// Files that decide what guards, hooks and checks do.
var (
	ciFiles = []string{
		".github/workflows", ".gitlab-ci.yml", ".gitlab-ci.yaml", ".circleci", "Jenkinsfile", ".git/hooks", ".git/config", ".husky", ".pre-commit-config.yaml",
		"lefthook.yml", ".lefthook.yml", ".travis.yml", "azure-pipelines.yml", ".buildkite", ".mcp.json", "opencode.json", "opencode.jsonc",
		".oss/guard.yaml", ".oss/settings.json", ".oss/workflow.log", ".oss/queue.json",
	}
	agentFiles = []string{"settings.json", "settings.*.json", "config.toml", "config.json", "hooks.json", "opencode.json", "opencode.jsonc", "hooks/*", "hooks"}
	homeFiles  = []string{".gitconfig", ".claude.json", ".config/git/config"}
)

// hooks reports whether p is a setting or hook of aburn, an agent, git or a CI. A tree counts if such files are in it.
func (m *matcher) hooks(p string, tree bool) bool {
	if m.place.Config != "" && (within(p, m.place.Config) || tree && within(m.place.Config, p)) {
		return true
	}
	root := m.place.Root
	if root != "" {
		if rel, ok := strings.CutPrefix(p, root+"/"); ok && inFiles(rel, ciFiles, tree) {
			return true
		}
	}
	for _, dir := range m.agentFolders() {
		if p == dir && tree {
			return true
		}
		if rel, ok := strings.CutPrefix(p, dir+"/"); ok && (matchAny(agentFiles, rel) || strings.HasPrefix(rel, "hooks/")) {
			return true
		}
	}
	rel, ok := strings.CutPrefix(p, m.place.Home+"/")
	return ok && m.place.Home != "" && slices.Contains(homeFiles, rel)
}

func inFiles(rel string, files []string, tree bool) bool {
	for _, f := range files {
		if rel == f || strings.HasPrefix(rel, f+"/") || tree && strings.HasPrefix(f, rel+"/") {
			return true
		}
	}
	return false
}

// agentFolders are the folders of all agents in the home and in the worktree.
func (m *matcher) agentFolders() []string {
	if m.folders != nil {
		return m.folders
	}
	for _, a := range agentcli.All() {
		if m.place.Home != "" && a.Home.Dir != "" {
			m.folders = append(m.folders, path.Join(m.place.Home, a.Home.Dir))
		}
		for _, file := range [...]string{a.Settings.Project, a.Settings.Local} {
			if dir, _, ok := strings.Cut(file, "/"); ok && m.place.Root != "" {
				m.folders = append(m.folders, path.Join(m.place.Root, dir))
			}
		}
	}
	if m.place.Home != "" {
		m.folders = append(m.folders, path.Join(m.place.Home, ".config/opencode"))
	}
	return m.folders
}

// matchPath matches a pattern of paths: relative ones below the worktree, ~ for the home, ** for any number of folders.
func (m *matcher) matchPath(pattern, p string) bool {
	switch {
	case strings.HasPrefix(pattern, "~/"):
		pattern = m.place.Home + pattern[1:]
	case strings.HasPrefix(pattern, "**"):
	case !path.IsAbs(pattern):
		pattern = path.Join(m.place.Root, pattern)
	}
	return matchParts(strings.Split(pattern, "/"), strings.Split(p, "/"))
}

func matchParts(pattern, parts []string) bool {
	for i, one := range pattern {
		if one == "**" {
			for k := i; k <= len(parts); k++ {
				if matchParts(pattern[i+1:], parts[k:]) {
					return true
				}
			}
			return false
		}
		if i >= len(parts) || !match(one, parts[i]) {
			return false
		}
	}
	return len(pattern) == len(parts)
}

// match matches a pattern with * and ?, where * takes slashes too.
func match(pattern, s string) bool {
	px, sx, star, mark := 0, 0, -1, 0
	for sx < len(s) {
		switch {
		case px < len(pattern) && pattern[px] == '*':
			star, mark = px, sx
			px++
		case px < len(pattern) && (pattern[px] == '?' || pattern[px] == s[sx]):
			px++
			sx++
		case star >= 0:
			mark++
			px, sx = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[px:], "*") == ""
}

func matchAny(patterns []string, s string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return match(p, s) })
}

// matchFold is match without regard to case.
func matchFold(pattern, s string) bool { return match(strings.ToLower(pattern), strings.ToLower(s)) }
