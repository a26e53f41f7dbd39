package logfmt

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func cutEntry(t *testing.T, data []byte, extra ...Member) Entry {
	t.Helper()
	e := full()
	e.Data, e.Extra = data, extra
	line, human := mustWrite(t, e)
	got := mustParse(t, line)
	if !json.Valid(line) || !utf8.Valid(line) {
		t.Errorf("cut line is not JSON: %.300q", line)
	}
	if got.Human() != string(human) {
		t.Errorf("human line %q, of the parsed entry %q", human, got.Human())
	}
	again, _ := mustWrite(t, got)
	if string(again) != string(line) {
		t.Error("a cut entry written again is another one")
	}
	return got
}

func TestJustFits(t *testing.T) {
	e := full()
	e.Extra = nil
	e.Data = nil
	line, _ := mustWrite(t, e)
	room := maxJSON - len(line) - len(`,"data":{"text":""}`)
	for _, more := range []int{-1, 0, 1} {
		text := strings.Repeat("x", room+more)
		e.Data = new(Object).Str("text", text).Bytes()
		line, _ := mustWrite(t, e)
		if whole := strings.Contains(string(line), text); whole != (more <= 0) {
			t.Errorf("%+d bytes: kept whole: %v", more, whole)
		}
	}
}

func TestCutLongestStrings(t *testing.T) {
	long := strings.Repeat("äöü\n\"😀", 100_000)
	mid := strings.Repeat("b", 20_000)
	e := cutEntry(t, new(Object).Str("tool", "Bash").Str("error", long).Raw("list", []byte(`["`+mid+`",{"deep":"`+mid+`"}]`)).Int("exit_code", 1).Bytes())
	d := gjson.ParseBytes(e.Data)
	marker := fmt.Sprintf("…[cut: %d bytes, sha256 %s]", len(long), hashOf(long))
	if s := d.Get("error").Str; !strings.HasSuffix(s, marker) || !strings.HasPrefix(long, strings.TrimSuffix(s, marker)) || len(s) < 10_000 {
		t.Errorf("error is %d bytes, ends %q", len(s), s[max(0, len(s)-150):])
	}
	for path, want := range map[string]string{"tool": "Bash", "exit_code": "1", "list.0": mid, "list.1.deep": mid} {
		if got := d.Get(path).String(); got != want {
			t.Errorf("%s is %d bytes, want %d", path, len(got), len(want))
		}
	}
	if n := len(e.Data); n < MaxEntry*8/10 {
		t.Errorf("only %d bytes of data kept", n)
	}
}

// Every place where a cut may fall: within characters, escapes, surrogate pairs.
func TestCutFallsBetweenCharacters(t *testing.T) {
	unit := []string{"a", "é", "€", "😀", `\n`, `\u00e9`, `\ud83d\ude00`, `\\`, `\"`}
	for shift := range 14 {
		inside := strings.Repeat("x", shift) + strings.Repeat(strings.Join(unit, ""), 3000)
		e := cutEntry(t, []byte(`{"text":"`+inside+`"}`))
		var data struct{ Text string }
		if err := json.Unmarshal(e.Data, &data); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsRune(data.Text, utf8.RuneError) {
			t.Errorf("shift %d: half a character: …%q", shift, data.Text[len(data.Text)-130:])
		}
	}
}

func TestCutLargestMembers(t *testing.T) {
	var list strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&list, ",%d", i)
	}
	big := "[0" + list.String() + "]"
	e := cutEntry(t, new(Object).Str("tool", "Bash").Raw("big", []byte(big)).Int("n", 7).Raw("small", []byte("[1,2]")).Bytes())
	want := fmt.Sprintf(`{"tool":"Bash","big":{"cut":{"bytes":%d,"sha256":"%s"}},"n":7,"small":[1,2]}`, len(big), hashOf(big))
	if string(e.Data) != want {
		t.Errorf("data %.300s\nwant %s", e.Data, want)
	}
}

func TestCutLastMembers(t *testing.T) {
	var o Object
	for i := range 9_000 {
		o.Int(fmt.Sprintf("key%05d", i), int64(i))
	}
	all := string(o.Bytes())
	e := cutEntry(t, o.Bytes())
	d := gjson.ParseBytes(e.Data)
	kept := 0
	d.ForEach(func(k, v gjson.Result) bool {
		if k.Str != "cut" && k.Str != fmt.Sprintf("key%05d", kept) {
			t.Fatalf("member %d is %s", kept, k.Str)
		}
		kept++
		return true
	})
	kept--
	if got := d.Get("cut.members").Int(); got != int64(9_000-kept) || kept < 3000 {
		t.Errorf("%d kept, marker says %d are gone", kept, got)
	}
	if d.Get("cut.bytes").Int() != int64(len(all)) || d.Get("cut.sha256").Str != hashOf(all) {
		t.Errorf("marker %s", d.Get("cut").Raw)
	}
}

func TestCutUnknownMembers(t *testing.T) {
	long := strings.Repeat("e", 200_000)
	e := cutEntry(t, new(Object).Str("text", strings.Repeat("d", 200_000)).Bytes(), Member{"a", []byte(`1`)}, Member{"b", []byte(`"` + long + `"`)})
	if len(e.Extra) != 2 || string(e.Extra[0].Raw) != "1" || e.Extra[1].Key != "b" {
		t.Fatalf("unknown members: %.200q", e.Extra)
	}
	if n := len(e.Extra[1].Raw); n > maxExtra || n < maxExtra-200 || !strings.Contains(string(e.Extra[1].Raw), hashOf(long)) {
		t.Errorf("unknown member has %d bytes", n)
	}
	if n := len(e.Data); n < 40_000 {
		t.Errorf("only %d bytes of data kept", n)
	}
	// A key alone may be too long.
	e = cutEntry(t, []byte(`{"`+strings.Repeat("k", 100_000)+`":1}`))
	if !strings.HasPrefix(string(e.Data), `{"cut":{"members":1,`) {
		t.Errorf("data %.200s", e.Data)
	}
}

// The longest names, all of characters that are escaped: data keeps its room.
func TestNamesLeaveRoomForData(t *testing.T) {
	evil := strings.Repeat("\x01", 10_000)
	e := Entry{
		Time: noon, Cmd: evil, Phase: evil, Event: Event(evil), Session: SessionID(evil), Seq: MaxSeq, ID: evil,
		Agent: &Agent{evil, evil, evil}, Source: evil, Wt: evil, Branch: evil,
	}
	line, _ := mustWrite(t, e)
	if free := maxJSON - len(line); free < minFree {
		t.Errorf("%d bytes left", free)
	}
	e.Data = new(Object).Str("text", strings.Repeat("d", minFree-len(`{"text":""}`))).Bytes()
	e.Extra = nil
	line, _ = mustWrite(t, e)
	if !strings.Contains(string(line), string(e.Data)) {
		t.Error("data of 16 KiB is cut")
	}
	e.Data = []byte(`{"text":"` + evil + evil + evil + evil + `"}`)
	e.Data = []byte(strings.ReplaceAll(string(e.Data), "\x01", "d"))
	mustWrite(t, e)
}
