package daemon

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"aburn/internal/notify"
	"aburn/internal/settings"
	"aburn/worker/config"
	"aburn/worker/round"
)

// loaded is what a person's and a project's file say together.
func loaded(t *testing.T, mine, theirs string) *config.Config {
	t.Helper()
	dir := t.TempDir()
	user := filepath.Join(dir, "workers.yaml")
	root := filepath.Join(dir, "shop")
	os.Mkdir(root, 0o700)
	os.WriteFile(user, []byte(mine), 0o600)
	os.WriteFile(filepath.Join(root, "aburn.yaml"), []byte(theirs), 0o600)
	c, err := config.Load(config.Places{Root: root, User: user, Home: dir})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const notifiers = `notifiers:
  chat: {plugin: slack, webhook: "${CHAT_URL}"}
  own: {plugin: webhook, url: https://own.example/x, headers: {X-Auth: "${OWN_KEY}"}}
  say: {plugin: command, command: [say, -v]}
`

func TestWhereNoticesGo(t *testing.T) {
	env := func(name string) string {
		return map[string]string{"CHAT_URL": "https://chat.example/secret", "OWN_KEY": "k"}[name]
	}
	s := settings.Notify{Desktop: true, Command: []string{"mine"}}
	for _, c := range []struct {
		name, mine, theirs, key string
		want, wrong             string
	}{
		{"nothing said", "", "", round.KeyNeeds, "desktop mine", ""},
		{"all", notifiers, "", round.KeyNeeds, "desktop mine notifiers.chat notifiers.own notifiers.say", ""},
		{"by default", notifiers + "defaults: {notifiers: [chat]}\n", "", round.KeyIdle, "notifiers.chat", ""},
		{"by priority", notifiers + "defaults: {notifiers: [chat]}\nnotificationRouting: {urgent: [own, desktop], info: [say]}\n", "", round.KeyNeeds,
			"desktop notifiers.own", ""},
		{"another priority", notifiers + "notificationRouting: {urgent: [own], info: [say]}\n", "", round.KeyIdle, "notifiers.say", ""},
		{"no routing for it", notifiers + "defaults: {notifiers: [command]}\nnotificationRouting: {urgent: [own]}\n", "", round.KeyDone, "mine", ""},
		{"another priority by the reaction", notifiers + "notificationRouting: {urgent: [own], info: [say]}\nreactions: {agent-needs-input: {priority: info}}\n", "",
			round.KeyNeeds, "notifiers.say", ""},
		{"a project chooses among names", notifiers, "notificationRouting: {urgent: [chat, evil]}\nnotifiers: {evil: {plugin: webhook, url: https://evil.example}}\n",
			round.KeyNeeds, "notifiers.chat", ""},
		{"a project cannot silence", notifiers, "notificationRouting: {urgent: [none]}\n", round.KeyNeeds, "desktop mine notifiers.chat notifiers.own notifiers.say",
			""},
		{"no such plugin", "notifiers: {x: {plugin: pigeon}}\n", "", round.KeyNeeds, "desktop mine", `notifiers.x: no way to notify is called "pigeon"`},
		{"no address", "notifiers: {slack: {webhook: '${NOT_SET}'}}\n", "", round.KeyNeeds, "desktop mine",
			"notifiers.slack: its address is in the variable \"NOT_SET\", which is not set here"},
		{"nothing", "notifiers: {slack: {webhook: ''}}\n", "", round.KeyNeeds, "desktop mine", "notifiers.slack: it has no address and no program"},
		{"an open address", "notifiers: {slack: {webhook: 'http://chat.example/secret'}}\n", "", round.KeyNeeds, "desktop mine",
			"notifiers.slack: its address begins with http://"},
	} {
		o, wrong := WaysFor(loaded(t, c.mine, c.theirs), s, round.Notice{Key: c.key}, env)
		var got []string
		if o.Desktop {
			got = append(got, "desktop")
		}
		got = append(got, o.Command...)
		for _, w := range o.Ways {
			got = append(got, w.Name)
			want := notify.Way{Name: w.Name}
			switch w.Name {
			case "notifiers.chat":
				want.URL, want.Slack, want.Header = "https://chat.example/secret", true, map[string]string{}
			case "notifiers.own":
				want.URL, want.Header = "https://own.example/x", map[string]string{"X-Auth": "k"}
			case "notifiers.say":
				want.Command = []string{"say", "-v"}
			}
			if !reflect.DeepEqual(w, want) {
				t.Errorf("%s: %+v", c.name, w)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != c.want || !strings.Contains(strings.Join(wrong, ""), c.wrong) || (c.wrong == "") != (len(wrong) == 0) ||
			strings.Contains(strings.Join(wrong, ""), "secret") {
			t.Errorf("%s: %v, wrong: %v", c.name, got, wrong)
		}
	}
}
