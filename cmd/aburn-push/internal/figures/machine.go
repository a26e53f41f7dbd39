package figures

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"aburn/internal/atomicfile"
	"aburn/internal/lockfile"
)

// MachineFile stands beside the archive whose rows it names.
const MachineFile = "push-machine.json"

// Machine tells one archive's rows from another's.
type Machine struct {
	V  int    `json:"v"`
	ID string `json:"machine"` // 32 hex digits, random
	// Secret is the key of sessions' codes. It never leaves the machine.
	Secret string `json:"secret"`
	// Agreed are hashes of what a person permitted to send, and where to.
	Agreed []string `json:"agreed,omitempty"`

	path string
	key  []byte
}

// ReadMachine reads the machine's file in the archive's folder, or makes a new machine, which nobody has written yet.
func ReadMachine(dir string) (*Machine, error) {
	m := &Machine{path: filepath.Join(dir, MachineFile)}
	text, err := os.ReadFile(m.path)
	if errors.Is(err, fs.ErrNotExist) {
		m.V, m.ID, m.key = 1, hex.EncodeToString(random(16)), random(32)
		m.Secret = hex.EncodeToString(m.key)
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("%s: %w", m.path, err)
	}
	id, wrong := hex.DecodeString(m.ID)
	m.key, err = hex.DecodeString(m.Secret)
	if m.V != 1 || wrong != nil || err != nil || len(id) != 16 || len(m.key) != 32 {
		return nil, fmt.Errorf("%s: not what this aburn writes", m.path)
	}
	return m, nil
}

func random(n int) []byte {
	b := make([]byte, n)
	rand.Read(b) // never fails
	return b
}

// Key makes sessions' codes.
func (m *Machine) Key() []byte { return m.key }

// Agrees reports whether a person permitted exactly this.
func (m *Machine) Agrees(hash string) bool { return slices.Contains(m.Agreed, hash) }

// Agree notes that a person permitted this.
func (m *Machine) Agree(hash string) {
	if !m.Agrees(hash) {
		m.Agreed = append(m.Agreed, hash)
	}
}

// Update reads the machine's file, or makes it, lets change change it, and writes it. Two first pushes at once make one machine.
func Update(dir string, change func(*Machine)) (*Machine, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	lock, err := lockfile.Acquire(root, MachineFile+".lock", lockPatience)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, MachineFile), err)
	}
	defer lock.Release()
	m, err := ReadMachine(dir)
	if err != nil {
		return nil, err
	}
	change(m)
	text, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return m, atomicfile.Write(m.path, append(text, '\n'), 0o600, atomicfile.Options{Sync: true})
}

// lockPatience is how long Update waits for another one, which takes milliseconds.
const lockPatience = 10 * time.Second
