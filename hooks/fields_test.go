package hooks

import (
	"strings"
	"testing"
	"time"

	"aburn/logfmt"
)

func TestEventName(t *testing.T) {
	for hook, want := range map[string]string{
		"CwdChanged": "CWD_CHANGED", "Setup": "SETUP", "HTTPError2": "HTTPERROR2", "a b\x1b": "A_B_",
		"Complete": "HOOK_COMPLETE", "Checkpoint": "HOOK_CHECKPOINT", // would mean something to readers
	} {
		if got := eventName(hook); string(got) != want {
			t.Errorf("%s: %s, want %s", hook, got, want)
		}
	}
	if n := len(eventName(strings.Repeat("Ab", 500))); n > logfmt.MaxEvent {
		t.Errorf("a name of %d bytes", n)
	}
}

func TestUnknownFields(t *testing.T) {
	secret := "gh" + "p_" + "x7Kq2mZ9tR4vB8nL1c" + "D6wF3hJ5sG0pYaQeUi"
	p, err := ParsePayload([]byte(`{"hook_event_name":"New","b":true,"n":-1.5,"id":"a/b.c:1","prose":"two words","nul":null,"list":[1,2],"object":{"a":"` +
		secret +
		`"},"token":"` + secret + `","known":"x","odd name":1,"":2,"long":"` + strings.Repeat("a", 65) + `"}`))
	if err != nil {
		t.Fatal(err)
	}
	got := string(p.Unknown(func(key string) bool { return key == "known" }))
	want := `{"b":true,"n":-1.5,"id":"a/b.c:1","prose":{"type":"string","bytes":9},"nul":{"type":"null"},"list":{"type":"array","bytes":5},` +
		`"object":{"type":"object","bytes":48},"token":"[redacted:github]","long":{"type":"string","bytes":65}}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	p, err = ParsePayload([]byte(`{"hook_event_name":"New","auth_token":"f00ba7deadbeef1234567890abcdef12345678","dbPassword":"correcthorse","` + secret +
		`":1,"next_token":"abc1"}`))
	if err != nil {
		t.Fatal(err)
	}
	got = string(p.Unknown(func(string) bool { return false }))
	want = `{"auth_token":{"type":"string","bytes":38},"dbPassword":{"type":"string","bytes":12},"next_token":"abc1"}`
	if got != want {
		t.Errorf("secrets by name: got  %s\nwant %s", got, want)
	}
	many := `{"hook_event_name":"New"` + strings.Repeat(`,"k":1`, 100) + `}`
	if p, err = ParsePayload([]byte(many)); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(p.Unknown(func(string) bool { return false })), "k"); n != maxFields {
		t.Errorf("%d fields kept", n)
	}
}

func TestAge(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "age unknown", 0: "less than a minute ago", 90 * time.Second: "1 min ago", 25 * time.Hour: "25 h ago", 72 * time.Hour: "3 days ago",
	} {
		if got := age(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}
