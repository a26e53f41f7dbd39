package packs

import (
	"strings"
	"testing"

	"aburn/guard"
)

// bypasses are ways to push by force to main. Each is hit, or opaque, so that a back-test reports it, or out of reach: another
// command does something like it.
const bypasses = `hit    command git push -f origin main
hit    \git push -f origin main
hit    "git" push -f origin main
hit    git push origin main -f
hit    GIT_SSH=x git push --force origin main
hit    a=push; git $a -f origin main
opaque set -- push -f origin main; git "$@"
opaque args=(push -f origin main); git "${args[@]}"
hit    g() { git "$@"; }; g push -f origin main
hit    alias p='git push'; p -f origin main
hit    git -c alias.p='push -f origin main' p
hit    git -c alias.p='!git push -f origin main' p
hit    eval git push -f origin main
hit    eval $(echo git push -f origin main)
hit    $(echo git) push -f origin main
hit    bash -c 'git push -f origin main'
hit    bash -c "$(echo 'git push -f origin main')"
hit    echo 'git push -f origin main' | bash
hit    printf 'git push -f origin main\n' | sh
opaque echo Z2l0IHB1c2ggLWYK | base64 -d | sh
hit    bash <<< 'git push -f origin main'
opaque python3 -c 'import os; os.system("git push -f origin main")'
opaque perl -e 'system "git push -f origin main"'
opaque awk 'BEGIN{system("git push -f origin main")}'
hit    find . -maxdepth 0 -exec git push -f origin main \;
hit    xargs git push -f origin main < /dev/null
hit    echo main | xargs git push -f origin
hit    echo "-f origin main" | xargs git push
hit    nohup git push -f origin main &
hit    setsid git push -f origin main
hit    nice git push -f origin main
hit    time git push -f origin main
hit    ! git push -f origin main
hit    [ -d x ] || git push -f origin main
hit    case x in x) git push -f origin main;; esac
hit    while :; do git push -f origin main; break; done
hit    { git push -f origin main; }
hit    git push -f origin refs/heads/main
hit    git push origin '+refs/heads/*:refs/heads/*'
hit    git push --mirror
hit    git push --all -f
out    git push origin :main
out    git send-pack --force origin main
hit    git -C . push -f origin main
hit    git --git-dir=.git push -f origin main
hit    script -c 'git push -f origin main' /dev/null
hit    su -c 'git push -f origin main'
opaque ssh localhost git push -f origin main
opaque tmux new -d 'git push -f origin main'
opaque at now <<< 'git push -f origin main'
out    crontab -l
opaque source <(echo 'git push -f origin main')
hit    . /dev/stdin <<< 'git push -f origin main'
hit    trap 'git push -f origin main' EXIT
hit    coproc git push -f origin main
hit    exec git push -f origin main
opaque vim -c ':!git push -f origin main' -c ':q'
opaque make push
opaque npm run push
opaque ./push.sh
hit    busybox sh -c 'git push -f origin main'
hit    env -i git push -f origin main
hit    env -S 'git push -f origin main'
out    git push --forc origin main
hit    git push -fu origin main
hit    git pu''sh -f origin main
hit    git push origin main --force-with-lease=main
out    git subtree push -f origin main
out    gh api -X PATCH repos/o/r/git/refs/heads/main -f force=true`

func TestBypasses(t *testing.T) {
	rules, err := Rules("git")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for line := range strings.Lines(bypasses) {
		want, command, _ := strings.Cut(strings.TrimSpace(line), " ")
		command = strings.TrimSpace(command)
		call := &guard.Call{Kind: guard.Shell, Dir: root, Command: command}
		v, got := guard.Judge(rules, call, place, &facts{branch: "work", cluster: "kind-dev", dirty: true}), "out"
		for _, o := range v.Open {
			if o.Rule.Name == "force-push" {
				got = "opaque"
			}
		}
		for _, h := range v.Hits {
			if h.Rule.Name == "force-push" {
				got = "hit"
			}
		}
		if counts[got]++; got != want {
			t.Errorf("%s is %s, want %s %q", command, got, want, v.Opaque)
		}
	}
	t.Log(counts)
}
