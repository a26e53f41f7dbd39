package recent_test

import (
	"testing"

	"aburn/internal/recent"
)

func TestRunsLog(t *testing.T) {
	for command, want := range map[string]bool{
		`aburn log build START`:                              true,
		`  aburn   log build START`:                          true,
		`/home/u/.local/bin/aburn log build START`:           true,
		`"aburn" 'log' build START`:                          true,
		`cd x && aburn log build START --phase RED`:          true,
		`go test ./... ; aburn log build COMPLETE || true`:   true,
		`ABURN_SESSION=x aburn log build START`:              true,
		`env A=1 command aburn log build START`:              true,
		`if true; then aburn log build START; fi`:            true,
		`aburn -C .. log build START`:                        true,
		`(aburn log build START)`:                            true,
		`sudo -u me timeout 5 aburn log build START`:         true,
		`/usr/bin/env -u X aburn log build START`:            true,
		`docker compose exec -T web aburn log build START`:   true,
		`x=$(aburn log build START)`:                         true,
		"echo hi\naburn log build START":                     true,
		"echo hi \\\n  && aburn log build START":             true,
		`bash -lc 'cd x && aburn log build START'`:           true,
		"cat <<'EOF' > f\nhello\nEOF\naburn log build START": true,
		`echo done # nothing` + "\n" + `aburn log a START`:   true,
		`aburn tail`:                                                 false,
		`sudo -u aburn log build START`:                              false,
		`aburn query log`:                                            false,
		`echo aburn log build START`:                                 false,
		`echo "aburn log build START"`:                               false,
		`grep 'aburn log' README`:                                    false,
		`cat x # aburn log build START`:                              false,
		"cat <<EOF\naburn log build START\nEOF":                      false,
		"cat <<-EOF\n\taburn log build START\n\tEOF\necho aburn log": false,
		`myaburn log build START`:                                    false,
		`cat .oss/workflow.log`:                                      false,
		`printf 'aburn:entry {}\n'`:                                  false,
		`"unclosed aburn log`:                                        false,
		``:                                                           false,
		`bash -c "bash -c 'bash -c \"aburn log a START\"'"`:          false, // too deep to be meant
	} {
		if got := recent.RunsLog(command); got != want {
			t.Errorf("%q: %v", command, got)
		}
	}
}

func TestMentionsLog(t *testing.T) {
	for _, tc := range []struct {
		head, cmd, event string
		want             bool
	}{
		{`aburn log build START`, "build", "START", true},
		{`aburn log build start;`, "build", "START", true},
		{`(aburn log "build" START)`, "build", "START", true},
		{`cd x aburn log --phase RED build PHASE_START`, "build", "PHASE_START", true},
		{`aburn log build START`, "build", "COMPLETE", false},
		{`aburn log plan START; build START`, "build", "COMPLETE", false},
		{`aburn tail build START`, "build", "START", false},
		{`aburn log build…`, "build", "START", false},
	} {
		if got := recent.MentionsLog(tc.head, tc.cmd, tc.event); got != tc.want {
			t.Errorf("%q, %s %s: %v", tc.head, tc.cmd, tc.event, got)
		}
	}
}

func FuzzRunsLog(f *testing.F) {
	f.Add("cat <<EOF\nx\nEOF\naburn log build START 2>&1 | tee x")
	f.Fuzz(func(t *testing.T, command string) { recent.RunsLog(command) })
}
