package commands

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/instrument"
	"aburn/instrument/coordinator"
	"aburn/internal/atomicfile"
	"aburn/internal/fault"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/settings"
)

func approveCommand(a *kit.App) *cli.Command {
	return &cli.Command{
		Name: "approve", Usage: "let a coding agent start the run that it asked for", ArgsUsage: "TOKEN",
		Description: "An agent that works with `aburn mcp --instrument` gets a token with a ceiling. The token starts nothing\n" +
			"until a person said this, on a terminal. It is good for one run, on the same paths with the same\n" +
			"configuration, for a day.\n\nExit code: 0, 2 if there is no such token, 3 if you declined.",
		Metadata: kit.Examples("aburn instrument approve 5f3c0a9e1b2d4c68"),
		Action:   a.Action(runApprove),
	}
}

// approval is a ceiling that somebody may accept. It lies outside of any repository.
type approval struct {
	Root     string              `json:"root"`
	Config   string              `json:"config"` // SHA-256
	Paths    []string            `json:"paths"`
	Model    string              `json:"model"`
	Ceiling  coordinator.Ceiling `json:"ceiling"`
	At       time.Time           `json:"at"`
	Approved bool                `json:"approved"`
}

const approvalLife = 24 * time.Hour

var tokenForm = regexp.MustCompile(`^[0-9a-f]{16}$`)

func approvalFile(a *kit.App, token string) (string, error) {
	if !tokenForm.MatchString(token) {
		return "", fault.Usage("a token has 16 hex digits", "instrument_ceiling, or aburn instrument cost --token, gives one")
	}
	dir := project.StateDir(a.Getenv)
	if dir == "" {
		return "", fault.Usage("there is no home folder to keep approvals in")
	}
	return filepath.Join(dir, "approvals", token+".json"), nil
}

// newToken keeps a ceiling under a new token, which starts nothing yet.
func newToken(a *kit.App, dir string, c instrument.Config, paths []string, ceiling coordinator.Ceiling) (string, error) {
	var b [8]byte
	rand.Read(b[:])
	token := hex.EncodeToString(b[:])
	file, err := approvalFile(a, token)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return "", fault.Failed(plain.Line(err.Error()))
	}
	return token, writeApproval(file, approval{Root: realDir(dir), Config: hashOf(c), Paths: paths, Model: c.AgentModel, Ceiling: ceiling, At: time.Now()})
}

func writeApproval(file string, p approval) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := atomicfile.Write(file, text, 0o600, atomicfile.Options{}); err != nil {
		return fault.Failed(plain.Line(err.Error()))
	}
	return nil
}

func realDir(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

func hashOf(c instrument.Config) string {
	text, err := json.Marshal(c)
	if err != nil {
		return "" // a configuration holds only what JSON has
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func readApproval(file string) (p approval, err error) {
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil || time.Since(p.At) > approvalLife {
		return p, fault.Usage("there is no such token, or it is older than a day", "instrument_ceiling, or aburn instrument cost --token, gives one")
	}
	return p, nil
}

func runApprove(_ context.Context, a *kit.App, cmd *cli.Command) error {
	if cmd.Args().Len() != 1 {
		return fault.Usage("approve takes one token", "aburn instrument approve TOKEN")
	}
	file, err := approvalFile(a, cmd.Args().First())
	if err != nil {
		return err
	}
	p, err := readApproval(file)
	if err != nil {
		return err
	}
	if !a.CanAsk(cmd) {
		return fault.Usage("only a person on a terminal can approve")
	}
	out := a.Screen(cmd)
	fmt.Fprintf(out, "project: %s\n", plain.Line(p.Root))
	printCeiling(out, p.Ceiling, nil, p.Model)
	if !a.Confirm("may the agent start this run?") {
		return fault.Exit(exitDeclined)
	}
	p.Approved = true
	return writeApproval(file, p)
}

// below says whether a ceiling lies below what the user's own settings let an agent
// spend. One whose price is not known lies below nothing.
func below(a *kit.App, c coordinator.Ceiling) bool {
	limit := settings.Load(nil, a.Getenv).Instrument.MaxUSD
	return limit > 0 && c.MaxUSD != nil && *c.MaxUSD*100 < float64(limit)
}

// approvedFor says whether a person approved this very run. The token is used up.
func approvedFor(a *kit.App, token, dir string, c instrument.Config, now coordinator.Ceiling) bool {
	file, err := approvalFile(a, token)
	if err != nil {
		return false
	}
	p, err := readApproval(file)
	same := err == nil && p.Root == realDir(dir) && p.Config == hashOf(c) && now.MaxTokens <= p.Ceiling.MaxTokens && now.Files <= p.Ceiling.Files
	for i := 0; same && i < len(now.Each); i++ {
		same = now.Each[i].Path == p.Ceiling.Each[i].Path
	}
	if !same {
		a.Warn("the token is for another run: paths, configuration or ceiling differ", "ask for a new one")
		return false
	}
	if !p.Approved && !below(a, now) {
		a.Warn("nobody approved the token", "aburn instrument approve "+token+", on a terminal")
		return false
	}
	return os.Remove(file) == nil
}
