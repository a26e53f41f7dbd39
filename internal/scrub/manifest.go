package scrub

import "strings"

// maxManifest bounds the search for data around "kind: Secret", in bytes.
const maxManifest = 2 << 10

// manifest redacts the values of a Kubernetes secret: base64 under names of any kind. "kind" ends
// at i.
func (f *finder) manifest(i int) {
	s := f.text
	i = skipManifest(s, i, ":\"' \t")
	if !foldPrefix(s[i:], "secret") || wordAt(s, i+len("secret")) {
		return
	}
	from := max(0, i-maxManifest)
	to := min(len(s), i+maxManifest)
	for at := from; at < to; {
		n := strings.Index(s[at:to], "data")
		if n < 0 {
			return
		}
		at += n + len("data")
		f.work += n
		if !wordAt(s, at-len("data")-1) { // not metadata
			f.manifestData(at, to)
			return
		}
	}
}

func skipManifest(s string, i int, bytes string) int {
	for i < len(s) && strings.IndexByte(bytes, s[i]) >= 0 {
		i++
	}
	return i
}

// manifestData redacts base64 after colons in s[i:to], until the next document.
func (f *finder) manifestData(i, to int) {
	s := f.text
	for i = skipManifest(s, i, "\"' \t"); i < to && !strings.HasPrefix(s[i:], "\n---"); i++ {
		if s[i] != ':' {
			continue
		}
		start := skipManifest(s, i+1, "\"' \t|>{\n")
		end := start
		for end < to && (setAlnum | setBase64 | setEqual).has(s[end]) {
			end++
		}
		f.work += end - i
		v := s[start:end]
		if len(v) >= 8 && len(v)%4 == 0 && !goesOn(s, end) && (end == len(s) || s[end] != ':') && (hasDigit(v) || mixed(v)) {
			f.add(start, end, "kubernetes", rankName)
			i = end - 1
		}
	}
}
