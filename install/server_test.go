package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"aburn/internal/lab/world"
)

// newServerBench puts data where Claude Code keeps the user's MCP servers; nil is no file.
func newServerBench(t *testing.T, data []byte) *bench {
	t.Helper()
	b := newBench(t, Claude, nil)
	b.program(serverName)
	b.options.MCP = true
	b.path = filepath.Join(b.home, ".claude.json")
	if data != nil {
		b.write(data)
	}
	return b
}

// program puts an executable on PATH and returns its path.
func (b *bench) program(name string) string {
	b.Helper()
	path := filepath.Join(b.home, "bin", programFile(name))
	if err := os.WriteFile(path, nil, 0o755); err != nil {
		b.Fatal(err)
	}
	return path
}

// serverChange is what a change does to the file of MCP servers.
func serverChange(c *Change) *FileChange {
	for i := range c.Files {
		if c.Files[i].Server {
			return &c.Files[i]
		}
	}
	return nil
}

// entry is a registration as the client reads it.
type entry struct {
	Type, Command string
	Args          []string
}

// registered is aburn's registration as encoding/json reads it.
func registered(t *testing.T, data []byte) entry {
	t.Helper()
	var file struct {
		MCPServers map[string]json.RawMessage `json:"mcpServers"`
	}
	var e entry
	if err := json.Unmarshal(bytes.TrimPrefix(data, utf8BOM), &file); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(file.MCPServers[ServerName], &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestServerIsReversible: whatever the file is, the server is in it after the install, twice is once, and uninstall gives the bytes back.
func TestServerIsReversible(t *testing.T) {
	world.Slow(t)
	for seed := range uint64(world.Storm(150)) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			original := draw(seed, Claude)
			b := newServerBench(t, original)
			b.install()
			installed := b.read()
			if own := registered(t, installed); own.Command != filepath.Join(b.home, "bin", programFile(serverName)) || own.Type != "stdio" ||
				!slices.Equal(own.Args, []string{"mcp"}) {
				t.Fatalf("registered is %+v", own)
			}
			if c := b.install(); !c.Nothing() {
				t.Fatalf("the second install changes %v", c.Diff())
			}
			c := b.uninstall()
			b.want("uninstalled", b.read(), original)
			if f := serverChange(c); !f.Exact {
				t.Errorf("not said to be exact: %q", f.Notes)
			}

			b.install() // and through the agent, which prints its file anew all the time
			b.write(reprint(t, b.read()))
			if c := b.install(); !c.Nothing() {
				t.Fatalf("after a reprint the install changes %v", c.Diff())
			}
			b.uninstall()
			b.want("uninstalled after a reprint", b.read(), reprint(t, original))
		})
	}
}

func TestServerLayout(t *testing.T) {
	const entry = `"aburn": {X"type": "stdio",Y"command": "/bin/aburn",Y"args": ["mcp"]Z}`
	lines := func(indent string) string {
		return strings.NewReplacer("X", "\n"+indent, "Y", "\n"+indent, "Z", "\n"+strings.TrimSuffix(indent, "  ")).Replace(entry)
	}
	inline := strings.NewReplacer("X", "", "Y", " ", "Z", "").Replace(entry)
	for _, c := range []struct{ name, before, after string }{
		{"empty", "{}\n", "{\n  \"mcpServers\": {\n    " + lines("      ") + "\n  }\n}\n"},
		{"as the agent writes it", "{\n  \"a\": 1,\n  \"mcpServers\": {\n    \"b\": {}\n  }\n}",
			"{\n  \"a\": 1,\n  \"mcpServers\": {\n    \"b\": {},\n    " + lines("      ") + "\n  }\n}"},
		{"null", "{\n  \"mcpServers\": null\n}", "{\n  \"mcpServers\": {\n    " + lines("      ") + "\n  }\n}"},
		{"one line", `{"a": 1}`, `{"a": 1, "mcpServers": {` + inline + `}}`},
	} {
		d, err := parse("f", []byte(c.before))
		if err != nil {
			t.Fatal(err)
		}
		e, err := server{}.ensure(d, "/bin/aburn")
		if err != nil {
			t.Fatal(err)
		}
		if got := string(splice([]byte(c.before), e.edits)); got != c.after {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.after)
		}
	}
}

func TestServerRefusals(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{`[]`, ":1:1: the file is an array, not an object"},
		{`{"mcpServers": []}`, `:1:16: "mcpServers" is an array, not an object`},
		{"{\"mcpServers\": {\n \"aburn\": {\"command\": \"other\", \"args\": [\"mcp\"]}}}",
			`:2:11: the MCP server "aburn" is somebody else's: it does not run aburn mcp`},
		{`{"mcpServers": {"aburn": {"command": "/bin/aburn", "args": ["mcp", "-v"]}}}`,
			`:1:26: the MCP server "aburn" is somebody else's: it does not run aburn mcp`},
		{`{"mcpServers": {"aburn": null}}`, `:1:26: the MCP server "aburn" is somebody else's: it does not run aburn mcp`},
		{`{"mcpServers": {"aburn": {"type": "http", "url": "https://example.invalid", "command": "/bin/aburn", "args": ["mcp"]}}}`,
			`:1:26: the MCP server "aburn" is somebody else's: it does not run aburn mcp`},
		{`{"mcpServers": {"aburn": {"url": "https://example.invalid"}}}`, `:1:26: the MCP server "aburn" is somebody else's: it does not run aburn mcp`},
	} {
		b := newServerBench(t, []byte(c.data))
		_, err := Plan(b.options)
		if err == nil || err.Error() != b.path+c.want {
			t.Errorf("%s: %v", c.data, err)
		}
		b.uninstall() // somebody else's stays
		b.want("after uninstall", b.read(), []byte(c.data))
	}
	b := newServerBench(t, nil)
	b.options.Scope = Local
	for _, plan := range []func(Options) (*Change, error){Plan, PlanUninstall} {
		if _, err := plan(b.options); !errors.Is(err, ErrNoLocalServer) && !errors.Is(err, ErrNoProject) {
			t.Errorf("local: %v", err)
		}
	}
}

// A registration that a moved executable left behind, or that the user made by hand, is brought up to date where it stands.
func TestServerMoves(t *testing.T) {
	b := newServerBench(t, []byte(`{"mcpServers": {"aburn": {"env": {"A": "b"}, "command": "aburn", "args": ["mcp"]}}, "z": 1}`))
	c := b.install()
	path := filepath.Join(b.home, "bin", programFile(serverName))
	b.want("installed", b.read(), []byte(`{"mcpServers": {"aburn": {"env": {"A": "b"}, "command": `+quote(path)+`, "args": ["mcp"]}}, "z": 1}`))
	if f := serverChange(c); f.Moved != 1 {
		t.Errorf("%d moved", f.Moved)
	}
}

// TestServerFiles: where it is registered, and where not.
func TestServerFiles(t *testing.T) {
	b := newServerBench(t, nil)
	repo := filepath.Join(b.home, "repo")
	makeRepository(t, repo)
	b.options.Dir, b.options.Scope = repo, Project
	b.install()
	data, err := os.ReadFile(filepath.Join(repo, ".mcp.json"))
	if err != nil || registered(t, data).Command != "aburn" {
		t.Errorf("of the project: %v %s", err, data)
	}
	env := func(name string) string {
		if name == "CLAUDE_CONFIG_DIR" {
			return filepath.Join(b.home, "elsewhere")
		}
		return b.env(name)
	}
	if path, _, err := claudeServerPath(User, repo, env); err != nil || path != filepath.Join(b.home, "elsewhere", ".claude.json") {
		t.Errorf("with CLAUDE_CONFIG_DIR: %v %s", err, path)
	}
	b.options.Scope = User
	b.install()
	found := Servers(Claude, repo, b.env)
	if len(found) != 2 || found[0].Scope != User || found[0].Line != 3 || !found[0].Ours || found[1].Path != filepath.Join(repo, ".mcp.json") ||
		found[1].Command != "aburn" {
		t.Errorf("found: %+v", found)
	}
	b.options.MCP = false
	c := b.uninstall()
	if len(c.Notes) != 2 || !strings.Contains(c.Notes[1], "still starts aburn's MCP server") {
		t.Errorf("uninstalling the hooks alone says %q", c.Notes)
	}
}

// TestCodexServer: what Codex is told, by what config.toml says now.
func TestCodexServer(t *testing.T) {
	newCodex := func(config string) *bench {
		b := newBench(t, Codex, nil)
		b.program(serverName)
		b.program("codex")
		b.options.MCP = true
		inText := strings.ReplaceAll(filepath.Join(b.home, "bin", programFile(serverName)), `\`, `\\`) // Windows
		if err := os.WriteFile(filepath.Join(filepath.Dir(b.path), "config.toml"), []byte(strings.ReplaceAll(config, "BIN/aburn", inText)), 0o600); err != nil {
			t.Fatal(err)
		}
		return b
	}
	add := "codex mcp add aburn -- BIN/aburn mcp"
	for _, c := range []struct{ name, config, install, uninstall string }{
		{"nothing", "", add, ""},
		{"others", "[mcp_servers.other]\ncommand = \"aburn\"\nargs = [\"mcp\"]\n", add, ""},
		{"there already", "[mcp_servers.aburn]\ncommand = \"BIN/aburn\"\nargs = [\"mcp\"]\n", "", "codex mcp remove aburn"},
		{"laid out otherwise", "[mcp_servers.aburn]\ncommand = \"BIN/aburn\"\nargs = [\n  \"mcp\",\n]\n", "", "codex mcp remove aburn"},
		{"from another place", "[mcp_servers.aburn]\ncommand = \"/old/aburn\"\nargs = [\"mcp\"]\n", add, "codex mcp remove aburn"},
		{"with a folder that is not set any more", "[mcp_servers.aburn]\ncommand = \"BIN/aburn\"\nargs = [\"mcp\"]\n\n[mcp_servers.aburn.env]\nABURN_HOME = \"/x\"\n",
			add, "codex mcp remove aburn"},
	} {
		b := newCodex(c.config)
		for what, want := range map[string]string{"install": c.install, "uninstall": c.uninstall} {
			plan := Plan
			if what == "uninstall" {
				plan = PlanUninstall
			}
			change, err := plan(b.options)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if change.Tell != nil {
				got = strings.ReplaceAll(change.Tell.String(), filepath.Join(b.home, "bin", programFile(serverName)), "BIN/aburn")
			}
			if got != want {
				t.Errorf("%s, %s: %q, want %q", c.name, what, got, want)
			}
		}
	}
	for config, why := range map[string]string{
		"[mcp_servers.aburn]\ncommand = \"/bin/other\"\n":                         "it runs /bin/other",
		"\ufeff[mcp_servers.aburn]\ncommand = \"/bin/other\"\n":                   "it runs /bin/other",
		"[mcp_servers.aburn]\nurl = \"https://example.invalid\"\n":                "it does not run aburn mcp",
		"[mcp_servers.aburn]\ncommand = \"BIN/aburn\"\nargs = [\"tail\"]\n":       "it does not run aburn mcp",
		"mcp_servers.aburn = { command = \"aburn\", args = [\"mcp\", \"-v\"] }\n": "it does not run aburn mcp",
	} {
		b := newCodex(config)
		if _, err := Plan(b.options); !errors.Is(err, ErrOtherServer) || !strings.HasSuffix(err.Error(), ": "+why) {
			t.Errorf("somebody else's: %v", err)
		}
		if c, err := PlanUninstall(b.options); err != nil || c.Tell != nil {
			t.Errorf("somebody else's is taken out: %v %v", c, err)
		}
	}
	b := newCodex("")
	b.options.Env = func(name string) string {
		if name == "XDG_STATE_HOME" {
			return filepath.Join(b.home, "my state")
		}
		return b.env(name)
	}
	change, err := Plan(b.options)
	folder := "'XDG_STATE_HOME=" + b.home + "/my state'"
	if runtime.GOOS == "windows" {
		folder = `"XDG_STATE_HOME=` + filepath.Join(b.home, "my state") + `"`
	}
	if err != nil || !strings.Contains(change.Tell.String(), "--env "+folder+" --") {
		t.Errorf("with a folder of the user's: %v %v", change.Tell, err)
	}
	os.Remove(filepath.Join(b.home, "bin", programFile("codex")))
	if _, err := Plan(b.options); !errors.Is(err, ErrNoCodex) {
		t.Errorf("without codex: %v", err)
	}
	b.options.Agents = []Agent{Claude, Codex}
	if change, err := Plan(b.options); err != nil || len(change.Notes) != 1 || change.Tell != nil {
		t.Errorf("without codex, and not asked for: %v %q", err, change.Notes)
	}
}
