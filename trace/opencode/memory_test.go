package opencode

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/internal/lab/world"
)

// TestTracesHoldNoContent: of records of a mebibyte each, a trace keeps some hundred bytes.
func TestTracesHoldNoContent(t *testing.T) {
	world.Slow(t)
	path := fixture(t)
	big := strings.Repeat("some words of a long text ", 40_000)
	state := func(status, more string) string {
		return `{"type":"tool","tool":"write","callID":"call_big","state":{"status":"` + status + `","input":{"filePath":"/home/user/x","content":` + quoted(big) +
			`},` + more + `}}`
	}
	for i, part := range []string{
		`{"type":"text","text":` + quoted(big) + `}`,
		`{"type":"reasoning","text":` + quoted(big) + `}`,
		state("completed", `"output":`+quoted(big)+`,"metadata":{"exists":false}`),
		state("error", `"error":`+quoted(big)),
		`{"type":"tool","tool":"bash","callID":"call_sh","state":{"status":"completed","input":{"command":` + quoted(big) + `},"output":` + quoted(big) +
			`,"metadata":{"exit":2}}}`,
		`{"type":"tool","tool":"task","callID":"call_t","state":{"status":"error","input":{"description":` + quoted(big) + `,"subagent_type":` + quoted(big) +
			`},"error":` + quoted(big) + `,"metadata":{"sessionId":"ses_x"}}}`,
		`{"type":"patch","files":[` + quoted("/home/user/"+big) + `]}`,
	} {
		change(t, path,
			fmt.Sprintf("INSERT INTO part SELECT 'prt_big%d', id, session_id, 1, 1, '%s' FROM message WHERE session_id = '%s' AND json_extract(data, '$.role') = "+
				"'assistant' LIMIT 1", i, part, origin))
	}
	held, traces := tracetest.Held(t, New(), path)
	if len(traces) != 26 || held > 2<<20 {
		t.Errorf("%d traces hold %d bytes", len(traces), held)
	}
	t.Logf("%d traces hold %d KiB", len(traces), held>>10)
}

func quoted(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
