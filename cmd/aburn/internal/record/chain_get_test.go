package record

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"aburn/internal/plain"
)

// answer is what `aburn chain plan --json` prints of an entry that another tool wrote.
const answer = `{"ts":"2026-11-21T10:00:00.000Z","cmd":"plan","event":"COMPLETE","wt":"","data":{"summary":"4 slices","outputs":["a.md",{"path":"b.md",` +
	`"bytes":3},7,""],"metrics":{"slices":4,"by":"me"}},"mood":"good","found":true,"state":"done","age_s":7200,"stale":true,` +
	`"outputs":[{"path":"a.md","state":"exists"},{"path":"b.md","state":"changed","bytes":3}],"notes":[{"kind":"output_changed","text":"b.md has changed"}]}`

func asLogged(_, output string) (string, error) { return output, nil }

// TestChainValue takes single values out of an answer, an output as its path.
func TestChainValue(t *testing.T) {
	for path, want := range map[string]string{
		"data.outputs.0": "a.md", "data.outputs.1.path": "b.md", "data.outputs.1": "b.md", "data.summary": "4 slices",
		"mood": "good", "found": "true", "age_s": "7200", "outputs.1": "b.md", "outputs.1.state": "changed", "outputs.#": "2", "stale": "true",
		"notes.0.kind": "output_changed", "data.metrics.slices": "4", "wt": "",
	} {
		if got, ok, err := chainValue([]byte(answer), path, asLogged); got != want || !ok || err != nil {
			t.Errorf("--get %s is %q, %v, %v; want %q", path, got, ok, err, want)
		}
	}
	for _, path := range []string{"crc", "data.none", "session", "nothing.at.all"} {
		if got, ok, _ := chainValue([]byte(answer), path, asLogged); ok {
			t.Errorf("--get %s is %q, want nothing", path, got)
		}
	}
}

// A value is shown to people and models: nothing in it may act on a terminal or be invisible.
func TestChainValueHidesNothing(t *testing.T) {
	raw := "a\u202eb\u200bc\x1b[31m\U000e0041\u2028\xff"
	value, _ := json.Marshal(raw)
	for _, path := range []string{"a", "b"} {
		got, ok, err := chainValue([]byte(`{"a":`+string(value)+`,"b":[`+string(value)+`]}`), path, nil)
		if !ok || err != nil || !utf8.ValidString(got) || plain.ModelText(got) != got {
			t.Errorf("%s: %q, %v, %v", path, got, ok, err)
		}
	}
}
