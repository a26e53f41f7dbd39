package record

import "time"

// Span is one span as it ended, or as it began if it never did.
type Span struct {
	Trace, ID, Parent string // in hex; Parent is "" for a root
	Remote            bool   // the parent is of another process
	Name              string
	Scope             string // the tracer's name
	Kind              string // internal, server, client, producer, consumer
	Start, End        time.Time
	Attributes        []Attribute
	Events            []Event
	Links             int
	Failed            bool
	Resource          []Attribute // only where an SDK runs
	File              string      // that made it, relative to the folder of the command; "" is unknown
	Line              int         // 0 is unknown
	Test              Test        // zero: outside of a test, or unknown
	Ended             bool
	EndedAgain        int // further calls of end
}

// Attribute is a key with the kind of its value: string, int, double, boolean, any of
// them with [], or what must not be: undefined, null, object, mixed[].
type Attribute struct {
	Key, Kind string
	Value     string // of a scalar, its beginning; not for printing
}

// Event is an event of a span.
type Event struct {
	Name       string
	Attributes []Attribute
}

// Test is a test by the file that it stands in. Name is "" where only the file is
// known: outside of a test, or of several that run side by side.
type Test struct {
	File string `json:"file"`
	Name string `json:"name"`
}

// Process is a node process, or a thread of one, that loaded the recorder.
type Process struct {
	PID    int    `json:"pid"`
	Thread int    `json:"thread"`
	Node   string `json:"node"`
	Script string `json:"script"`
	Spans  int    `json:"spans"`
}

// kinds are the API's span kinds by their number; OTLP's are one more.
var kinds = [...]string{"internal", "server", "client", "producer", "consumer"}

func kindName(n int) string {
	if n < 0 || n >= len(kinds) {
		return kinds[0]
	}
	return kinds[n]
}

// Manager says whether the process is a package manager rather than the project.
func (p Process) Manager() bool { return managers[baseName(p.Script)] }

var managers = map[string]bool{
	"npm-cli.js": true, "npx-cli.js": true, "npm": true, "npx": true, "yarn": true, "yarn.js": true, "yarn.cjs": true, "yarnpkg": true,
	"pnpm": true, "pnpm.cjs": true, "pnpx": true, "corepack": true, "corepack.cjs": true, "pnpm.js": true,
}
