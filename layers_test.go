package aburn_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// floors says who may import whom, from the ground up: one row a room, or a part of one that knows less or more.
// A row's packages may import the standard library, one another, and what stands in rows above it. So no arrow runs back up.
//
//	a        the package a
//	a/...    a and all packages below it
//	a/<x>    the packages right below a, none of which imports another
//	*        all rows above
//
// Of the patterns that match a package the most exact one counts: a package that is named elsewhere is not part of a/... .
// A new package of a room needs no row. Don't widen a row just to make a build pass: say why in the commit.
var floors = []struct{ packages, may string }{
	{"internal/...", ""}, // plumbing, which knows nothing of logs, sessions or workers
	{"logfmt/...", ""},
	{"workflow", "internal/shell"},
	{"supervisor/limits", ""},
	{"internal/entries internal/journal/... internal/queue internal/recent internal/settings internal/workspace",
		"internal/... logfmt/... supervisor/limits workflow"},
	{"chain", "internal/... internal/journal/... logfmt/... workflow"},

	// Judging is pure: it opens no file, and time is given to it.
	{"supervisor supervisor/state", "internal/agentcli internal/plain internal/scrub logfmt/... supervisor/limits workflow"},
	{"supervisor/...", "internal/... internal/journal/... internal/queue internal/settings logfmt/... supervisor supervisor/state supervisor/limits workflow"},

	{"supervisor/status", "internal/... internal/entries internal/journal/... internal/queue internal/settings internal/workspace logfmt/... " +
		"supervisor/... supervisor supervisor/state supervisor/limits workflow"},
	{"attention", "internal/... internal/journal/... internal/queue internal/settings internal/workspace logfmt/... " +
		"supervisor/... supervisor/state supervisor/status supervisor/limits"},

	{"hooks", "internal/... internal/journal/... internal/queue internal/recent internal/settings logfmt/..."},
	{"hooks/<agent>", "hooks internal/agentcli internal/project logfmt/..."},

	{"trace", "internal/plain"},
	{"trace/draft", "internal/jsonl internal/scrub trace"},
	{"trace/shapes", "internal/jsonl"},
	{"trace/contents trace/export trace/genai trace/graph trace/join trace/packed", "internal/... trace trace/draft"},
	{"trace/<agent>",
		"internal/agentcli internal/journal/... internal/jsonl internal/project internal/sqlite internal/sqlitero logfmt/... trace trace/draft trace/genai"},
	{"trace/readers", "trace trace/<agent> trace/contents"},
	{"insight/...", "internal/... trace"},
	{"archive/...", "internal/... insight/... trace trace/contents trace/draft trace/join trace/packed"},
	{"archive/story", "archive/... insight/... internal/... internal/entries trace trace/join"},
	{"archive/lookup", "archive/... insight/... internal/... internal/settings internal/workspace trace trace/contents trace/readers"},
	{"insight/toolcalls",
		"archive/... archive/lookup insight/... internal/... internal/entries internal/settings internal/workspace trace trace/readers"},
	{"insight/cost/...", "archive/... hooks insight/... internal/... internal/settings internal/workspace trace"},
	{"insight/queries", // with what failures cost
		"archive/... archive/lookup insight/... insight/cost insight/cost/bill internal/... internal/entries internal/settings " +
			"internal/workspace trace trace/readers"},

	{"history/...", "internal/..."},
	{"guard guard/shell guard/packs guard/facts guard/ruleset", "internal/..."},

	{"guard/...", // with what is recorded of calls
		"archive/... archive/story guard guard/shell guard/packs guard/facts guard/ruleset hooks insight/... internal/... internal/journal/... logfmt/... " +
			"trace trace/contents trace/own trace/readers"},

	{"install/...", "archive/... hooks internal/... internal/journal/... internal/queue internal/settings logfmt/... trace trace/shapes"},
	{"templates", "internal/..."},
	{"worker/...", "internal/... internal/journal/... internal/queue internal/settings logfmt/..."},
	{"worker/board worker/control worker/daemon worker/describe worker/launch worker/projects", // what commands and pages do with workers
		"worker/... hooks install/... internal/... internal/entries internal/journal/... internal/queue internal/settings internal/workspace logfmt/..."},
	{"worker/overview", // with what the archive and the supervisor know of their sessions
		"archive archive/lookup insight/cost insight/cost/bill internal/... internal/settings internal/workspace logfmt/... supervisor/status trace " +
			"worker/... worker/describe worker/projects"},
	{"web/...", "internal/..."},
	{"archive/conversation", "archive/... internal/... trace trace/contents trace/readers web/excerpt"},
	{"history/why", "archive/... archive/conversation archive/lookup archive/story history/... insight/... insight/cost insight/cost/bill " +
		"internal/... internal/settings internal/workspace trace trace/contents trace/readers web/excerpt workflow"},
	{"history/handoff", "archive/... archive/conversation archive/lookup archive/story history/... history/why insight/... insight/failure internal/... " +
		"internal/settings internal/workspace trace trace/contents web/excerpt"},
	{"web/links", "internal/... web/..."},
	{"web/demo", "internal/... internal/journal/... logfmt/..."},
	{"web/serve", "internal/... internal/journal/... internal/workspace supervisor/watchlock web/... web/links"},
	{"web/site/...", "archive/... archive/conversation archive/lookup archive/story attention hooks insight/... insight/cost/... install/... internal/... " +
		"internal/workspace logfmt/... trace trace/contents trace/readers web/..."},
	{"web/graphpage web/reportpage", "insight/... internal/... trace trace/graph web/..."},
	{"insight/forest", "archive/... archive/lookup insight/... internal/... trace trace/graph web/graphpage"},

	{"cmd/internal/...", "internal/... internal/settings internal/workspace"},
	{"cmd/aburn-hold", "internal/hold"},
	{"cmd/aburn-hook", "hooks hooks/<agent> internal/... internal/journal/... supervisor/..."},
	{"cmd/aburn-push/...", "internal/workspace archive/... cmd/internal/... insight/... insight/cost/... internal/... trace"},
	{"cmd/aburn/...", "*"},
	{"instrument/...", "internal/... trace/export"},
	{"cmd/aburn-instrument/...",
		"cmd/internal/... insight/cost/... instrument/... internal/... internal/journal/... internal/settings internal/workspace logfmt/..."},
	{"internal/lab/...", "*"},
}

// only says by whom alone a package may be imported, whatever its floor: rooms that nobody else needs, and each module of
// others, which stays behind its adapter.
var only = []struct{ what, by string }{
	{"instrument/...", "instrument/... cmd/aburn-instrument/..."},
	{"cmd/aburn/...", "cmd/aburn/..."},
	{"cmd/aburn-push/...", "cmd/aburn-push/..."},
	{"cmd/aburn-instrument/...", "cmd/aburn-instrument/..."},
	{"internal/lab/...", "internal/lab/..."},

	{"github.com/bmatcuk/doublestar/...", "instrument/..."},
	{"github.com/coder/websocket/...", "cmd/aburn/... web/..."},
	{"github.com/creack/pty/...", "worker/..."},
	{"github.com/dop251/goja/...", "instrument/jsast"}, // larger than all the rest of aburn
	{"github.com/fatih/color/...", "internal/term"},
	{"github.com/fsnotify/fsnotify/...", "archive/... attention cmd/aburn/... supervisor/watch web/... worker/..."},
	{"github.com/godbus/dbus/...", "internal/notify"},
	{"github.com/gofrs/flock/...", "internal/lockfile"},
	{"github.com/google/jsonschema-go/...", "internal/mcpserver"},
	{"github.com/jackc/pgx/...", "cmd/aburn-push/internal/postgres"},
	{"github.com/klauspost/compress/...", "archive/... trace/contents trace/openclaw"},
	{"github.com/modelcontextprotocol/go-sdk/...", "internal/mcpserver"},
	{"github.com/ncruces/go-sqlite3/...", "internal/sqlite"},
	{"github.com/rogpeppe/go-internal/...", "cmd/aburn-instrument/... internal/lab/..."},
	{"github.com/tidwall/gjson/...",
		"cmd/aburn/... chain guard/live hooks/... install/... instrument/... internal/... logfmt/... supervisor/... trace/... worker/..."},
	{"github.com/urfave/cli/...", "cmd/..."},
	{"github.com/yuin/goldmark/...", "web/excerpt"},
	{"go.yaml.in/yaml/v3/...", "guard/... instrument/... internal/lab/... worker/..."},
	{"mvdan.cc/sh/v3/...", "guard/shell"},
	{"golang.org/x/mod/...", "install/... internal/lab/..."},
	{"golang.org/x/sys/...", "internal/..."},
	{"golang.org/x/term/...", "cmd/... internal/term worker/..."},
}

// depthCeiling is how many packages the longest chain of imports within this module may have. Lower it where you can: 9 is
// the aim.
const depthCeiling = 10

// links says how many packages an executable may link, the standard library included, and which it must not. Linked
// packages cost more than running code: aburn-hook runs on every tool call, and one aburn-hold stays with each worker for
// days. 27 of the hook's belong to sha256, which ids and outputs need.
var links = []struct {
	name    string
	ceiling int // 0 for none
	never   string
}{
	{"aburn-hook", 136, costly + engines},
	{"aburn-hold", 75, costly + engines},
	{"aburn", 0, engines},
	{"aburn-push", 0, "github.com/dop251/goja"},
}

const (
	// costly are packages that each cost a hook more than its whole work.
	costly = "net/http net os/exec text/template html/template database/sql encoding/gob encoding/xml go/ast crypto/tls log/slog flag testing" +
		" github.com/urfave/cli/v3 github.com/fatih/color "
	engines = "github.com/dop251/goja github.com/jackc/pgx/v5"
)

func TestLayers(t *testing.T) {
	imports := importsOf(house(t))
	for _, fault := range faults(imports) {
		t.Error(fault)
	}
	for _, row := range floors {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(imports)), func(p string) bool { return slices.Contains(strings.Fields(row.packages), patternOf(p)) }) {
			t.Errorf("the row %q has no package", row.packages)
		}
	}
	if chain := longest(imports); len(chain) > depthCeiling {
		t.Errorf("imports are %d packages deep, the ceiling is %d:\n%s", len(chain), depthCeiling, strings.Join(chain, "\n"))
	}
}
