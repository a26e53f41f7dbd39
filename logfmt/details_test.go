package logfmt

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

func TestReadDetails(t *testing.T) {
	var d Details
	data := `{"tool":"Bash","tool_use_id":"toolu_1","head":"grep \"a\" \u00e9","input":"0badcafe","exit_code":-1,"outcome":"unknown",` +
		`"duration_ms":25,"background":true,"agent_id":"a1","later":{"tool":"Not this"},"tool":"nor this","bytes":"7"}`
	if !ReadDetails([]byte(data), &d) {
		t.Fatal("not read")
	}
	want := Details{
		Tool: RawString("Bash"), ToolUseID: RawString("toolu_1"), Head: RawString(`grep \"a\" \u00e9`), Input: RawString("0badcafe"),
		ExitCode: -1, HasExitCode: true, Outcome: RawString("unknown"), DurationMS: 25, Background: true, AgentID: RawString("a1"),
	}
	if !reflect.DeepEqual(d, want) {
		t.Errorf("%+v", d)
	}
	if got := d.Head.String(); got != `grep "a" é` {
		t.Errorf("head is %s", got)
	}
	if got := string(d.Head.AppendTo([]byte("> "))); got != `> grep "a" é` {
		t.Errorf("head is %s", got)
	}
}

// What one entry said must not show in the next.
func TestReadDetailsForgets(t *testing.T) {
	var d Details
	ReadDetails([]byte(`{"tool":"Bash","exit_code":3,"background":true,"proc":{"pid":1}}`), &d)
	if !ReadDetails(nil, &d) || !reflect.DeepEqual(d, Details{}) {
		t.Errorf("%+v", d)
	}
}

func TestReadDetailsOfWhatIsBroken(t *testing.T) {
	for _, data := range []string{
		" ", "[]", "1", "{", `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{"a":}`, `{"a":"`, `{"a":"x`, `{,}`, `{"a":1}x`, `{"a":1} `, `{"a" "b"}`,
		`{"a":` + strings.Repeat("[", 600), `{"a":tru}`, `{"tool":"Bash","a":"\q"}`,
	} {
		var d Details
		if ReadDetails([]byte(data), &d) {
			t.Errorf("%s was read", data)
		}
	}
}

func TestReadProc(t *testing.T) {
	pid, start, host := ReadProc([]byte(`{"pid":12,"start":987654321,"host":"a\"b","x":1}`))
	if pid != 12 || start != 987654321 || host != `a"b` {
		t.Error(pid, start, host)
	}
	if pid, start, host = ReadProc(nil); pid != 0 || start != 0 || host != "" {
		t.Error(pid, start, host)
	}
}

func TestEachOutput(t *testing.T) {
	var got []string
	EachOutput([]byte(`["a.md", {"path":"b.md","sha256":"00"}, 7, {"path":"c\u002emd"}, {}, "", "d.md"]`), func(path RawString, hashed bool) bool {
		s := path.String()
		if hashed {
			s += "#"
		}
		got = append(got, s)
		return s != "c.md"
	})
	if want := []string{"a.md", "b.md#", "c.md"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// FuzzDetails compares the one pass with gjson, which looks for one name after the other.
func FuzzDetails(f *testing.F) {
	f.Add([]byte(`{"tool":"Bash","tool_use_id":"t","head":"a \"b\"","exit_code":0,"background":true,"metrics":{"tests_failing":3}}`))
	f.Add([]byte(`{"details":{"a":1},"outputs":["a",{"path":"b","sha256":"c"}],"evidence":[1,2],"seen":true,"confidence":0.5}`))
	f.Add([]byte(`{"details":"x","d\u0065tails":"y","proc":{"pid":1,"start":2,"host":"h"}}`))
	f.Add([]byte(`{"a":"\ud800","error":"\u0000","tool":1,"tool":"x"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var d Details
		ok := ReadDetails(data, &d)
		if whole := len(data) == 0 || Valid(data) && data[0] == '{' && data[len(data)-1] == '}'; ok != whole {
			t.Fatalf("read %v, an object is %v", ok, whole)
		}
		if !ok || len(data) == 0 {
			return
		}
		want := map[string]string{}
		gjson.ParseBytes(data).ForEach(func(k, v gjson.Result) bool {
			if _, twice := want[k.Str]; !twice && v.Type == gjson.String {
				want[k.Str] = strings.ToValidUTF8(v.Str, "\uFFFD")
			}
			return true
		})
		for _, name := range []string{
			"tool", "tool_use_id", "head", "path", "input", "outcome", "error", "reason", "inferred", "sha256", "agent_id", "agent_type", "task", "status",
			"command", "type", "source", "client", "stage", "trigger", "args", "summary", "description", "details", "task_id", "signature", "level",
		} {
			if got := d.text([]byte(name)).String(); got != want[name] {
				t.Errorf("%s is %q, gjson says %q", name, got, want[name])
			}
		}
	})
}

func BenchmarkReadDetails(b *testing.B) {
	for _, tc := range []struct{ name, data string }{
		{"tool",
			`{"tool":"Bash","tool_use_id":"toolu_016FYwLPaPqzR3dWVbHSEs8M","head":"go test ./internal/journal -run 'TestStorm|TestCut' -count=1 2>&1 | tail -20",` +
				`"input":"5f1c02ab","exit_code":0,"duration_ms":5123,"hook_us":412,"lock_us":3}`},
		{"edit",
			`{"tool":"Edit","tool_use_id":"toolu_016FYwLPaPqzR3dWVbHSEs8M","path":"internal/journal/append.go","input":"5f1c02ab","bytes":12345,` +
				`"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","duration_ms":7,"hook_us":812,"lock_us":3}`},
		{"prompt", `{"head":"go on","chars":5,"proc":{"pid":4711,"start":987654321,"host":"build-7"},"hook_us":412,"lock_us":3}`},
	} {
		b.Run(tc.name, func(b *testing.B) {
			data := []byte(tc.data)
			b.ReportAllocs()
			var d Details
			for b.Loop() {
				if !ReadDetails(data, &d) {
					b.Fatal("not read")
				}
			}
		})
	}
}
