package state

import (
	"slices"
	"strconv"
	"strings"
)

// ManyTimes is how often a prompt asks to do something that names no number: "until it fails", "keep polling".
const ManyTimes = 1000

// wantedTimes is how often a prompt asks to do something again, by its first words: "run it six times", "5 runs", "3x", "for i
// in". It is 0 where it asks for no repetition. A number that counts something else ("3 files") is none.
func wantedTimes(prompt string) (n int) {
	text := strings.ToLower(prompt)
	for _, phrase := range [...]string{"for i in", "while true", "again and again", "over and over", "in a loop", "repeatedly",
		"keep running", "keep polling", "keep checking", "keep trying", "keep watching",
		"a few times", "several times", "many times", "every minute", "every few ", "flaky", "stress"} {
		if strings.Contains(text, phrase) {
			return ManyTimes
		}
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t,.;:!?()\"'`-", r) })
	if i := slices.Index(words, "until"); i >= 0 && !slices.ContainsFunc(words[:i], triesHard) {
		return ManyTimes // "train until it converges"
	}
	for i, word := range words {
		if number, ok := strings.CutSuffix(word, "x"); ok {
			n = max(n, numberOf(number))
		}
		if times := strings.TrimSuffix(word, "s"); i > 0 {
			switch times {
			case "time", "run", "round", "iteration", "repetition", "lap", "x", "×", "attempt", "trie":
				n = max(n, numberOf(words[i-1]))
			}
		}
		if i > 0 && (words[i-1] == "repeat" || words[i-1] == "every") {
			n = max(n, numberOf(word))
			if words[i-1] == "every" && numberOf(word) > 0 {
				return ManyTimes // every 30 seconds
			}
		}
	}
	return n
}

// triesHard reports whether a word before "until" says how long to go on, and not what to repeat: "don't stop until it works".
func triesHard(word string) bool {
	return slices.Contains([]string{"stop", "going", "work", "working", "fix", "fixing", "try", "trying", "implement", "debug"}, word)
}

// numberOf reads a number up to ManyTimes in digits or in one word; 0 if it is none.
func numberOf(word string) int {
	if n, err := strconv.Atoi(word); err == nil && n > 0 {
		return min(n, ManyTimes)
	}
	for i, name := range [...]string{"twice", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"} {
		if word == name {
			return i + 2
		}
	}
	switch word {
	case "fifteen":
		return 15
	case "twenty":
		return 20
	case "fifty":
		return 50
	case "hundred":
		return 100
	}
	return 0
}
