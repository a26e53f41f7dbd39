package queue

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// domain separates these signatures from any others under the mark's key.
const (
	domain        = "aburn queue task 1"
	messageDomain = "aburn queue message 1" // so that advice never becomes a message, which a model obeys
)

// Ours reports whether the task has this user's valid signature: its id, session, prompt and
// expiry are as signed.
func (q *Queue) Ours(t Task) bool {
	if len(q.key) == 0 || len(t.HMAC) != hex.EncodedLen(sha256.Size) {
		return false
	}
	var given [sha256.Size]byte
	if _, err := hex.Decode(given[:], []byte(t.HMAC)); err != nil {
		return false
	}
	sum := q.sum(&t)
	return subtle.ConstantTimeCompare(given[:], sum[:]) == 1
}

// sign signs a task. Its times must be whole milliseconds, as in the file.
func (q *Queue) sign(t *Task) {
	sum := q.sum(t)
	t.HMAC = hex.EncodeToString(sum[:])
}

// sum is the HMAC-SHA-256 over the fields that decide what is said, to whom and until when. Each
// field follows its length in 8 bytes.
func (q *Queue) sum(t *Task) [sha256.Size]byte {
	msg := make([]byte, 0, 256+len(t.Prompt))
	name, expires := domain, int64(0)
	if t.IsMessage() {
		name = messageDomain
	}
	if !t.ExpiresAt.IsZero() || !t.IsMessage() {
		expires = t.ExpiresAt.UnixMilli()
	}
	for _, field := range []string{name, t.ID, string(t.Session), t.Prompt} {
		msg = append(binary.BigEndian.AppendUint64(msg, uint64(len(field))), field...)
	}
	msg = binary.BigEndian.AppendUint64(msg, 8)
	msg = binary.BigEndian.AppendUint64(msg, uint64(expires))
	return hmacSHA256(q.key, msg)
}

// hmacSHA256 is RFC 2104 over crypto/sha256. crypto/hmac gives the same bytes but would link
// SHA-3 into aburn-hook.
func hmacSHA256(key, msg []byte) [sha256.Size]byte {
	if len(key) > sha256.BlockSize {
		short := sha256.Sum256(key)
		key = short[:]
	}
	inner := make([]byte, sha256.BlockSize, sha256.BlockSize+len(msg))
	outer := make([]byte, sha256.BlockSize, sha256.BlockSize+sha256.Size)
	copy(inner, key)
	copy(outer, key)
	for i := range inner {
		inner[i] ^= 0x36
		outer[i] ^= 0x5c
	}
	sum := sha256.Sum256(append(inner, msg...))
	return sha256.Sum256(append(outer, sum[:]...))
}

// stamp is t at the precision of the file.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
