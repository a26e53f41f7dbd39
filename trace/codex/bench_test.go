package codex_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"aburn/internal/lab/tracetest"
	"aburn/trace"
	"aburn/trace/codex"
)

// generated is a long rollout with the mix of a real one: instructions, prompts, commands with outputs of all lengths (told
// twice, as the client does), patches, tokens after each answer.
func generated() string {
	random := rand.New(rand.NewPCG(1, 4))
	words := strings.Fields("the a of test build parser error value request handler index cache\\n func return if err nil \\\"quoted\\\" \\t path/to/file.go")
	text := func(n int) string {
		var b strings.Builder
		for b.Len() < n {
			b.WriteString(words[random.IntN(len(words))])
			b.WriteByte(' ')
		}
		return b.String()
	}
	w := paginated(`,"source":"exec","base_instructions":{"text":"` + text(21000) + `"}`)
	for turn := range 20 {
		w.event("task_started", fmt.Sprintf(`,"turn_id":"t%d"`, turn))
		w.rec("response_item", `"type":"message","id":"m","role":"developer","content":[{"type":"input_text","text":"`+text(5000)+`"}]`)
		w.rec("world_state", `"full":true,"state":{"body":"`+text(4600)+`"}`)
		w.rec("turn_context", `"turn_id":"t","model":"gpt-5.5","cwd":"/home/user/project"`)
		w.item(`"type":"UserMessage","id":"u","content":[{"type":"text","text":"` + text(400) + `"}]`)
		for call := range 12 {
			id := fmt.Sprintf("call_%d_%d", turn, call)
			out := text(200 << random.IntN(7))
			if call%6 == 5 {
				w.rec("response_item", `"type":"custom_tool_call","name":"apply_patch","call_id":"`+id+`","input":"*** Update File: a.go\n`+text(1500)+`"`)
				w.item(`"type":"FileChange","id":"` + id + `","status":"completed","changes":{"/home/user/project/a.go":{"type":"update","unified_diff":"@@ -1 +1 @@\n+` +
					text(1500) + `","move_path":null}}`)
				out = "Success"
			} else {
				w.call(id, "exec_command", `{"cmd":"go test ./..."}`, "")
				w.item(`"type":"CommandExecution","id":"` + id + `","command":["/bin/bash","-lc","go test ./..."],"status":"completed","aggregated_output":"` + out +
					`","exit_code":0,"duration":{"secs":1,"nanos":2}`)
			}
			usage := `{"input_tokens":6000,"cached_input_tokens":5400,"cache_write_input_tokens":0,"output_tokens":300,"reasoning_output_tokens":100,` +
				`"total_tokens":6300}`
			w.rec("token_usage_record", fmt.Sprintf(`"thread_id":"%s","turn_id":"t%d","response_id":"resp_%s","usage":%s,"turn_token_usage":%s,"thread_token_usage":%s`,
				thread, turn, id, usage, usage, usage))
			w.rec("response_item", `"type":"function_call_output","id":"fco_`+id+`","call_id":"`+id+`","output":"Process exited with code 0\nOutput:\n`+out+`"`)
			w.event("token_count", `,"info":{"total_token_usage":`+usage+`,"last_token_usage":`+usage+`},"rate_limits":null`)
		}
		w.event("task_complete", `,"turn_id":"t","last_agent_message":"done"`)
	}
	return w.text()
}

// BenchmarkRead reads a rollout, and for comparison takes apart its lines with encoding/json and counts them.
func BenchmarkRead(b *testing.B) {
	content := generated()
	path := write(b, b.TempDir(), rolloutName, content)
	b.Run("codex", func(b *testing.B) {
		b.SetBytes(int64(len(content)))
		b.ReportAllocs()
		for b.Loop() {
			s := silent{tracetest.NewSink()}
			if err := codex.New().Read(context.Background(), trace.Store{Path: path}, s); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.SetBytes(int64(len(content)))
		for b.Loop() {
			lines := bufio.NewScanner(strings.NewReader(content))
			lines.Buffer(nil, 1<<20)
			for lines.Scan() {
				var record struct{ Payload map[string]any }
				if err := json.Unmarshal(lines.Bytes(), &record); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("lines", func(b *testing.B) {
		b.SetBytes(int64(len(content)))
		for b.Loop() {
			if bytes.Count([]byte(content), []byte{'\n'}) == 0 {
				b.Fatal("no lines")
			}
		}
	})
}

// silent is a sink that stores nothing.
type silent struct{ *tracetest.Sink }

func (silent) Trace(*trace.SessionTrace) error { return nil }
