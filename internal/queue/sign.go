package queue

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"encoding/hex"
	"time"
)

// domain keeps a signature from being one of something else that the mark's key may sign.
const domain = "aburn queue task 1"

// Ours reports whether the task bears a valid signature of this user's: its id, session, prompt and expiry are as signed.
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

// sign puts the signature on a task. Its times are those of the file: whole milliseconds.
func (q *Queue) sign(t *Task) {
	sum := q.sum(t)
	t.HMAC = hex.EncodeToString(sum[:])
}

// sum is the HMAC-SHA-256 over the fields that decide what is said to whom until when, each behind its length in 8 bytes.
func (q *Queue) sum(t *Task) [sha256.Size]byte {
	msg := make([]byte, 0, 256+len(t.Prompt))
	for _, field := range []string{domain, t.ID, string(t.Session), t.Prompt} {
		msg = append(binary.BigEndian.AppendUint64(msg, uint64(len(field))), field...)
	}
	msg = binary.BigEndian.AppendUint64(msg, 8)
	msg = binary.BigEndian.AppendUint64(msg, uint64(t.ExpiresAt.UnixMilli()))
	return hmacSHA256(q.key, msg)
}

// hmacSHA256 is RFC 2104 over crypto/sha256. crypto/hmac, the same to the byte, would link SHA-3 into aburn-hook.
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

// stamp is t as the file can say it.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
