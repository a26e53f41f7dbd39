package hooks

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"time"
)

// SnapshotsDir is the folder in .oss with all files of snapshots.
const SnapshotsDir = "snapshots"

// snapshotPatience is how long a call waits for a snapshot.
const snapshotPatience = 2 * time.Second

// A hook and the helper that takes a snapshot agree whether the snapshot came in time. For a session there is at most one file,
// .oss/snapshots/SESSION.wait. The hook of a prompt makes it and starts the helper. Whoever removes it decides: the helper when the state is
// written (the snapshot counts), or the hook of a call that may write when it waits no longer (it does not). Removing is atomic, so exactly
// one of them succeeds.

func pendingName(session string) string {
	sum := sha256.Sum256([]byte(session))
	return SnapshotsDir + "/" + hex.EncodeToString(sum[:8]) + ".wait"
}

// beginPending says that a snapshot is on its way for id, an entry or call of the session.
func beginPending(oss *os.Root, session, id string) error {
	path := pendingName(session)
	err := oss.WriteFile(path, []byte(id), 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err = oss.Mkdir(SnapshotsDir, 0o700); err == nil || errors.Is(err, fs.ErrExist) {
			err = oss.WriteFile(path, []byte(id), 0o600)
		}
	}
	return err
}

// isPending reports whether a snapshot of the session is on its way.
func isPending(oss *os.Root, session string) bool {
	_, err := oss.Lstat(pendingName(session))
	return err == nil
}

// waitPending waits until no snapshot of the session is on its way. It gives up at a time, and then reports false: no snapshot counts.
func waitPending(oss *os.Root, session string, until time.Time) (came bool) {
	for step := time.Millisecond; isPending(oss, session); step = min(2*step, 4*time.Millisecond) {
		if !time.Now().Before(until) {
			return !cancelPending(oss, session)
		}
		time.Sleep(step)
	}
	return true
}

// cancelPending ends what is on its way. It reports whether there was anything.
func cancelPending(oss *os.Root, session string) bool { return oss.Remove(pendingName(session)) == nil }

// SnapshotDone says that the snapshot for id is written. It reports whether that is in time.
func SnapshotDone(oss *os.Root, session, id string) bool {
	text, err := oss.ReadFile(pendingName(session))
	return err == nil && string(text) == id && oss.Remove(pendingName(session)) == nil
}
