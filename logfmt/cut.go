package logfmt

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"unicode/utf8"
)

// A cut string keeps at least minString bytes, including a marker of at most maxMarker. A cut
// member is at most maxCutMember bytes. minFree bytes are left for data and the unknown members,
// whatever the other members hold.
const (
	minString    = 256
	maxMarker    = len("…[cut: 12345678901234567890 bytes, sha256 ]") + 2*sha256.Size
	maxCutMember = len(`{"cut":{"bytes":12345678901234567890,"sha256":""}}`) + 2*sha256.Size
	minFree      = 16 << 10
	maxTrailer   = len(`,"cut":{"members":12345678901234567890,"bytes":12345678901234567890,"sha256":""}`) + 2*sha256.Size
)

// cut reduces a normal entry to the size an entry may have: first the unknown members, then data.
func (e *Entry) cut() {
	free := len(e.Data)
	for _, m := range e.Extra {
		free += 6*len(m.Key) + len(m.Raw) + len(`"":,`)
	}
	if free <= minFree {
		return // fits, whatever the other members hold
	}
	size := len(e.appendJSON(nil))
	if size <= maxJSON {
		return
	}
	extra := e.extraObject()
	size -= len(extra) + len(e.Data)
	if len(extra) > maxExtra {
		extra = cutObject(extra, maxExtra)
		e.Extra = membersOf(extra)
	}
	if e.Data != nil {
		e.Data = cutObject(e.Data, maxJSON-size-len(extra))
	}
}

// extraObject is the unknown members as one object, which is one byte longer than they are in the
// line; nil without any.
func (e *Entry) extraObject() []byte {
	if len(e.Extra) == 0 {
		return nil
	}
	obj := []byte{'{'}
	for i, m := range e.Extra {
		if i > 0 {
			obj = append(obj, ',')
		}
		obj = append(append(appendString(obj, m.Key), ':'), m.Raw...)
	}
	return append(obj, '}')
}

func membersOf(obj []byte) []Member {
	var list []Member
	for _, m := range objectMembers(obj) {
		list = append(list, Member{unescape(obj[m.key.lo+1 : m.key.hi-1]), obj[m.value.lo:m.value.hi]})
	}
	return list
}

type memberSpan struct{ key, value span } // the key with its quotes

// objectMembers splits a compact object into its members.
func objectMembers(obj []byte) []memberSpan {
	var list []memberSpan
	for i := 1; i < len(obj) && obj[i] != '}'; i++ {
		value, err := scanKey(obj, i)
		if err != nil {
			return list
		}
		end, err := scanValue(obj, value)
		if err != nil {
			return list
		}
		list = append(list, memberSpan{span{i, value - 1}, span{value, end}})
		i = end
		if obj[i] == '}' {
			break
		}
	}
	return list
}

// cutObject reduces the compact obj to at most budget bytes: first long strings, then whole
// members, then it drops the last members.
func cutObject(obj []byte, budget int) []byte {
	if len(obj) <= budget {
		return obj
	}
	short := cutStrings(obj, budget)
	if len(short) <= budget {
		return short
	}
	return cutMembers(obj, short, budget)
}

// cutStrings cuts every string value longer than a threshold. The threshold is the largest that
// reduces obj to budget, and at least minString.
func cutStrings(obj []byte, budget int) []byte {
	list := stringValues(obj)
	lo, hi := minString, len(obj)
	for lo < hi { // the largest threshold that fits, or minString
		mid := (lo + hi + 1) / 2
		size := len(obj)
		for _, s := range list {
			size -= max(0, s.hi-s.lo-mid)
		}
		if size <= budget {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	out := make([]byte, 0, budget)
	done := 0
	for _, s := range list {
		if s.hi-s.lo > lo {
			out = appendCut(append(out, obj[done:s.lo]...), obj[s.lo:s.hi], lo)
			done = s.hi
		}
	}
	return append(out, obj[done:]...)
}

// stringValues finds the insides of all strings in a compact value, except keys.
func stringValues(b []byte) []span {
	var list []span
	for i := 0; i < len(b); i++ {
		if b[i] != '"' {
			continue
		}
		end, err := scanString(b, i)
		if err != nil {
			return list
		}
		if end == len(b) || b[end] != ':' {
			list = append(list, span{i + 1, end - 1})
		}
		i = end - 1
	}
	return list
}

// appendCut appends the beginning of a string's inside and the marker, together at most max
// bytes. It never splits an escape or a character.
func appendCut(dst, inside []byte, max int) []byte {
	keep := 0
	for {
		n := charLen(inside[keep:])
		if n == 0 || keep+n > max-maxMarker {
			break
		}
		keep += n
	}
	text := unescape(inside)
	sum := sha256.Sum256([]byte(text))
	dst = append(append(dst, inside[:keep]...), "…[cut: "...)
	dst = append(strconv.AppendInt(dst, int64(len(text)), 10), " bytes, sha256 "...)
	return append(hex.AppendEncode(dst, sum[:]), ']')
}

// charLen is the length of the first character in a string's inside. A pair of surrogate escapes
// is one character.
func charLen(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	if b[0] != '\\' {
		_, n := utf8.DecodeRune(b)
		return n
	}
	n := escapeLen(b)
	if n == 6 && b[2]|0x20 == 'd' && b[3]|0x20 >= '8' && len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
		return 12
	}
	return n
}

// cutMembers replaces the largest members of short by markers that describe the values in obj,
// until short fits. Then it drops the last ones.
func cutMembers(obj, short []byte, budget int) []byte {
	orig, list := objectMembers(obj), objectMembers(short)
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	length := func(i int) int { return list[i].value.hi - list[i].value.lo }
	slices.SortStableFunc(order, func(a, b int) int { return length(b) - length(a) })
	marked := make([][]byte, len(list))
	size := len(short)
	for _, i := range order {
		if size <= budget || length(i) <= maxCutMember {
			break
		}
		var o Object
		o.Raw("cut", sizeAndHash(&Object{}, obj[orig[i].value.lo:orig[i].value.hi]).Bytes())
		marked[i] = o.Bytes()
		size += len(marked[i]) - length(i)
	}
	out := []byte{'{'}
	for i, m := range list {
		value := marked[i]
		if value == nil {
			value = short[m.value.lo:m.value.hi]
		}
		need := m.key.hi - m.key.lo + len(value) + len(`,:}`)
		if size > budget && len(out)+need+maxTrailer > budget {
			var o Object
			o.Int("members", int64(len(list)-i))
			return append(appendMemberRaw(out, []byte(`"cut"`), sizeAndHash(&o, obj).Bytes()), '}')
		}
		out = appendMemberRaw(out, short[m.key.lo:m.key.hi], value)
	}
	return append(out, '}')
}

func appendMemberRaw(obj, key, value []byte) []byte {
	if len(obj) > 1 {
		obj = append(obj, ',')
	}
	return append(append(append(obj, key...), ':'), value...)
}

func sizeAndHash(o *Object, json []byte) *Object {
	sum := sha256.Sum256(json)
	return o.Int("bytes", int64(len(json))).Str("sha256", hex.EncodeToString(sum[:]))
}
