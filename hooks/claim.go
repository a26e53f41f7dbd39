package hooks

import "strings"

// maxClaim is how much of a turn's last message is read, from its end, in bytes.
const maxClaim = 4 << 10

// Claims is what the last message of a turn claims of success, in a small closed grammar of English: tests, build, types, lint
// and done, with commas between; "" for none. A sentence with a doubt or a condition claims nothing. No word of the message
// is kept.
func Claims(message string) string {
	if len(message) > maxClaim {
		message = message[len(message)-maxClaim:]
	}
	var kinds [len(claimKinds)]bool
	for sentence := range strings.FieldsFuncSeq(strings.ToLower(message), func(r rune) bool { return strings.ContainsRune(".!\n;", r) }) {
		words := strings.FieldsFunc(sentence, func(r rune) bool { return strings.ContainsRune(" \t,:()*`\"#_-–—✅✓✔", r) })
		if !doubts(sentence, words) {
			for i, kind := range claimKinds {
				kinds[i] = kinds[i] || kind.claimed(words)
			}
		}
	}
	claim := ""
	for i, kind := range claimKinds {
		if kinds[i] {
			claim += "," + kind.name
		}
	}
	return strings.TrimPrefix(claim, ",")
}

// claimKind is one kind of claim: a word of what, and later in the sentence a word of how. Words are between blanks.
type claimKind struct{ name, what, how string }

var claimKinds = [...]claimKind{
	{"tests", " tests test suite specs ", " pass passes passed passing green succeed succeeds succeeded "},
	{"build", " build builds project code it everything ", " compiles compile succeeds succeeded builds built "},
	{"types", " types type typecheck typechecks typechecking ", " pass passes passed clean checks "},
	{"lint", " lint linter linting eslint clippy ", " pass passes passed clean "},
	{"done", " task implementation everything all work feature fix change ", " complete completed done works finished implemented "},
}

func (k *claimKind) claimed(words []string) bool {
	begun := false
	for _, w := range words {
		if begun && strings.Contains(k.how, " "+w+" ") {
			return true
		}
		begun = begun || strings.Contains(k.what, " "+w+" ")
	}
	return false
}

// doubts reports whether a sentence asks, denies, or speaks of what may be.
func doubts(sentence string, words []string) bool {
	if strings.Contains(sentence, "?") || strings.Contains(sentence, "n't") || strings.Contains(sentence, "n’t") {
		return true
	}
	const doubt = " not no cannot never should would could might may will once if when until unless before except but however still " +
		"fail fails failed failing failure broken to todo remaining without assuming expect expected make making makes ensure "
	for i, w := range words {
		clear := (w == "no" || w == "without") && i+1 < len(words) && strings.HasPrefix(words[i+1], "error")
		if strings.Contains(doubt, " "+w+" ") && !clear && !(strings.HasPrefix(w, "fail") && i > 0 && (words[i-1] == "0" || words[i-1] == "zero")) {
			return true
		}
	}
	return false
}
