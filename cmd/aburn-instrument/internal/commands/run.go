package commands

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"aburn/cmd/internal/kit"
	"aburn/instrument"
	"aburn/instrument/coordinator"
	"aburn/instrument/jsast"
	"aburn/instrument/jsproject"
	"aburn/instrument/provider"
	"aburn/internal/consent"
	"aburn/internal/fault"
	"aburn/internal/lockfile"
	"aburn/internal/plain"
	"aburn/internal/project"
	"aburn/internal/workspace"
)

// runFlags are those of a run, beside those that it shares with --from-plan.
func runFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "provider", Usage: "ask `WHO`: auto, " + strings.Join(provider.Names(), ", ") + "; default: provider of the configuration",
			Local: true},
		&cli.StringFlag{Name: "model", Usage: "ask the `MODEL`; default: agentModel of the configuration, else the provider's own", Local: true},
		&cli.StringFlag{Name: "mode",
			Usage: "`HOW`: plan, the model chooses and aburn edits, or rewrite, the model gives whole files; default: mode of the configuration", Local: true},
		&cli.StringFlag{Name: "branch", Usage: "put the commits on a new branch `NAME`; default: aburn/instrument-RUN", Local: true},
		&cli.StringFlag{Name: "only-plan", Usage: "write the model's plan to `FILE`, and nothing else; --from-plan applies it", TakesFile: true, Local: true},
		&cli.BoolFlag{Name: "no-tests", Usage: "do not run the tests", Local: true},
		&cli.BoolFlag{Name: "no-pr", Usage: "push nothing, and open no pull request", Local: true},
		&cli.StringFlag{Name: "approved", Usage: "go on with the `TOKEN` that aburn instrument approve accepted", Local: true, Hidden: true},
		&cli.StringFlag{Name: "run", Usage: "call the run `ID`", Local: true, Hidden: true},
	}, watchFlags(true)...)
}

// job is one run from the command line.
type job struct {
	app     *kit.App
	cmd     *cli.Command
	dir     string
	config  instrument.Config
	project *project.Project // nil where there is none
	oss     *os.Root
	id      string
	dry     bool     // nothing of the project is written
	noPR    bool     // nothing is pushed
	folder  *os.Root // the run's own
	lock    *lockfile.Lock
	alone   *lockfile.Lock // of the checkout, where the run changes its branch and its files
	log     *phaseLog
	engine  jsast.Engine
	priced  string // the model whose price the ceiling has
}

const runsFolder = "instrument"

// runModel makes a run: a model plans, aburn edits.
func runModel(ctx context.Context, a *kit.App, cmd *cli.Command) error {
	j, err := newJob(a, cmd)
	if err != nil {
		return err
	}
	defer j.close()
	if file := cmd.String("only-plan"); file != "" {
		if j.config.Mode == coordinator.Rewrite {
			return fault.Usage("in mode rewrite there is no plan: the model gives whole files", "--mode plan; or --dry-run, which shows the files")
		}
		if err := isNew(j.dir, file); err != nil {
			return err
		}
	}
	ctx, stop := kit.UntilSignal(ctx)
	defer stop()
	files, err := selected(ctx, a, j.dir, cmd.Args().Slice(), j.config)
	if err != nil {
		return err
	}
	id := cmp.Or(cmd.String("run"), newRunID())
	if !runForm.MatchString(id) {
		return fault.Usage("--run is " + fault.Quote(id))
	}
	if err := j.begin(id); err != nil {
		return err
	}
	return j.run(ctx, files)
}

// isNew refuses a file for a plan that is there.
func isNew(dir, file string) error {
	if _, err := os.Lstat(workspace.InFolder(dir, file)); err == nil {
		return fault.Usage(plain.Line(file)+" is there already", "name another file")
	}
	return nil
}

var runForm = regexp.MustCompile(`^[0-9]{8}-[0-9]{6}-[0-9a-f]{6}$`)

func newRunID() string {
	var b [3]byte
	rand.Read(b[:])
	return time.Now().UTC().Format("20060102-150405") + "-" + hex.EncodeToString(b[:])
}

func newJob(a *kit.App, cmd *cli.Command) (*job, error) {
	j := &job{app: a, cmd: cmd, noPR: cmd.Bool("no-pr"), dry: cmd.Bool("dry-run") || cmd.String("only-plan") != ""}
	var err error
	if j.dir, err = kit.Folder(cmd); err != nil {
		return nil, err
	}
	if cmd.String("config") == "" {
		if _, err := os.Stat(filepath.Join(j.dir, instrument.ConfigFile)); errors.Is(err, fs.ErrNotExist) {
			return nil, fault.Usage("there is no "+instrument.ConfigFile, "aburn instrument init writes it; aburn instrument --from-plan needs none")
		}
	}
	if j.config, _, err = projectConfig(j.dir, cmd.String("config")); err != nil {
		return nil, err
	}
	if j.config.InstrumentationMode != "" {
		a.Note("instrumentationMode does nothing yet")
	}
	if !j.config.ConfirmEstimate {
		a.Note("confirmEstimate: false accepts nothing: no file of the project may; --yes does")
	}
	if p := cmd.String("provider"); p != "" {
		j.config.Provider = p
	}
	if m := cmd.String("model"); m != "" {
		j.config.AgentModel = m
	}
	if err := withMode(cmd, &j.config); err != nil {
		return nil, err
	}
	if p, err := project.Find(j.dir, a.Getenv); err == nil {
		j.project = p
	}
	return j, nil
}

// withMode puts the mode of the command line into a configuration.
func withMode(cmd *cli.Command, c *instrument.Config) error {
	switch mode := cmd.String("mode"); mode {
	case "":
	case coordinator.Plan, coordinator.Rewrite:
		c.Mode = mode
	default:
		return fault.Usage("there is no mode "+fault.Quote(mode), fault.DidYouMean(mode, []string{coordinator.Plan, coordinator.Rewrite})...)
	}
	return nil
}

func (j *job) trusted() bool { return j.project != nil && j.project.Marked }

// begin opens the folder of a run, and holds it.
func (j *job) begin(id string) (err error) {
	if !j.trusted() {
		return fault.Usage("this project is not trusted", "aburn init")
	}
	if j.oss == nil {
		if j.oss, err = j.project.OpenOss(); err != nil {
			return fault.Failed(plain.Line(err.Error()))
		}
	}
	if !j.dry {
		if err := j.onlyOne(); err != nil {
			return err
		}
	}
	name := runsFolder + "/" + id
	if err := j.oss.MkdirAll(name, 0o700); err != nil {
		return fault.Failed(plain.Line(err.Error()))
	}
	if j.folder, err = j.oss.OpenRoot(name); err != nil {
		return fault.Failed(plain.Line(err.Error()))
	}
	j.id = id
	if j.lock, err = lockfile.Acquire(j.folder, "lock", 0); err != nil {
		return fault.Usage("the run "+id+" goes on in another process", "aburn instrument status")
	}
	j.log = newPhaseLog(j.project, j.oss, id, j.dry)
	return nil
}

// onlyOne refuses a run beside another one of the same checkout: they would take each other's branch away. Work trees of
// one repository share a folder of runs, and have branches of their own.
func (j *job) onlyOne() error {
	err := j.oss.MkdirAll(runsFolder, 0o700)
	if err != nil {
		return fault.Failed(plain.Line(err.Error()))
	}
	runs, err := j.oss.OpenRoot(runsFolder)
	if err != nil {
		return fault.Failed(plain.Line(err.Error()))
	}
	defer runs.Close()
	sum := sha256.Sum256([]byte(checkout(realDir(j.dir))))
	if j.alone, err = lockfile.Acquire(runs, hex.EncodeToString(sum[:4])+".lock", 0); err != nil {
		return fault.Usage("another run goes on here, and both would change the branch", "aburn instrument status")
	}
	return nil
}

// checkout is the folder at or above dir that git has checked out; dir itself where there is none.
func checkout(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if exists(filepath.Join(at, ".git")) {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

func (j *job) close() {
	for _, l := range []*lockfile.Lock{j.alone, j.lock} {
		if l != nil {
			_ = l.Release()
		}
	}
	for _, r := range []*os.Root{j.folder, j.oss} {
		if r != nil {
			r.Close()
		}
	}
	if j.engine != nil {
		j.engine.Close()
	}
}

// run makes the run, or goes on with it, and prints what became of it.
func (j *job) run(ctx context.Context, files *instrument.Selection) error {
	who, err := provider.Find(j.config.Provider, os.Environ())
	if err != nil {
		return fault.Usage(plain.Line(err.Error()), "--provider takes "+strings.Join(provider.Names(), ", "))
	}
	j.engine = jsast.Start(ctx)
	most, priced := mostOf(j.config.AgentModel, j.config.Provider)
	j.priced = priced
	o := coordinator.Options{
		Dir: j.dir, Selection: files, Config: j.config, Environ: os.Environ(), Run: j.id, Folder: j.folder, Engine: j.engine, Provider: who,
		Price: priceOf(j.config.AgentModel), Most: most,
		Formatter: permittedFormatter(j.app, j.dir), Linter: permittedLinter(j.app, j.dir), Trusted: j.trusted(), DryRun: j.dry, Branch: j.cmd.String("branch"),
		NoPR: j.noPR, NoTests: j.cmd.Bool("no-tests"), NoInstall: j.cmd.Bool("no-install"), Version: kit.Version().String(),
		Now: time.Now, Sleep: sleep, Permit: j.permit, Trace: tracer(j.app), Text: prText(ctx, j.engine, j.dir, j.config, instrument.TestLine(j.config)),
	}
	j.permitted(ctx, &o)
	j.log.start(files)
	result, err := coordinator.Run(ctx, o, j.callbacks(who))
	send(ctx, j.app, o.Trace)
	j.log.end(result, err)
	if err != nil {
		return j.failed(err)
	}
	tellLoading(ctx, j.app, j.engine, j.dir, result.SDKInit)
	if file := j.cmd.String("pr-text"); file != "" {
		title, body := o.Text(result)
		if err := writePRText(workspace.InFolder(j.dir, file), title, body); err != nil {
			return err
		}
	}
	return j.print(result)
}

// permitted adds the programs of the project that this user permitted.
func (j *job) permitted(ctx context.Context, o *coordinator.Options) {
	given := func(line string) bool { return j.project != nil && consent.Given(j.project, line) }
	const hint = "aburn instrument init, on a terminal"
	if line := instrument.TestLine(j.config); line != "" && !o.NoTests && !j.dry {
		if given(line) {
			o.Tests = instrument.TestArgv(j.config)
		} else {
			j.app.Warn("the tests are not run: nobody permitted "+fault.Quote(plain.Line(line)), hint)
		}
	}
	if line := instrument.CommitHooks(ctx, j.dir, os.Environ()); line != "" && !j.dry {
		if o.Hooks = given(line); !o.Hooks {
			j.app.Warn("commits go past the repository's hooks: nobody permitted "+fault.Quote(line), hint)
		}
	}
}

func (j *job) permit(in *jsproject.Installation) bool {
	return mayInstall(j.app, j.cmd, instrument.Applying{Dir: j.dir, Config: j.config}, in)
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func (j *job) callbacks(who provider.Provider) coordinator.Callbacks {
	quiet := j.cmd.Bool("json")
	cb := coordinator.Callbacks{
		OnCeiling: func(c coordinator.Ceiling) bool { return j.accepts(c, who) },
		OnFileStart: func(path string, i, n int) {
			j.app.Note(fmt.Sprintf("%d of %d: %s", i+1, n, plain.Line(path)))
		},
		OnFile: func(f *coordinator.File, i, n int) {
			if !quiet {
				printFile(j.app.Screen(j.cmd), f, j.dry)
			}
		},
		OnCheckpoint: j.goesOn,
		OnPhase:      j.log.phase,
		OnWait:       func(why string) { j.app.Note(plain.Line(why) + "; waiting") },
	}
	j.watch(&cb, who)
	return cb
}

// accepts shows the ceiling. Only --yes, a person, or a token that a person approved
// accepts it: no file of the repository does.
func (j *job) accepts(c coordinator.Ceiling, who provider.Provider) bool {
	line := ceilingLine(c, j.priced) + "; asked is " + who.Name()
	if token := j.cmd.String("approved"); token != "" {
		return approvedFor(j.app, token, j.dir, j.config, c)
	}
	if j.cmd.Bool("yes") {
		j.app.Note(line)
		return true
	}
	if j.cmd.Bool("json") || !j.app.CanAsk(j.cmd) {
		j.app.Note(line)
		return false
	}
	printCeiling(j.app.Screen(j.cmd), c, nil, j.priced)
	if j.dry {
		return j.app.Confirm("ask " + who.Name() + "? Nothing is written, and the tokens are spent all the same.")
	}
	push := "; then the branch is pushed to origin and a pull request opened, where gh is there"
	if j.noPR {
		push = ""
	}
	return j.app.Confirm("ask " + who.Name() + " and put the spans on a branch" + push + "?")
}
