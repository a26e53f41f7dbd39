package logfmt

// LedgerKind says what a line of a worker's ledger tells. The ledger is a file of its own (docs/formats/ledger.md); its
// words stand here so that whoever reads records, and may not know workers, knows them too.
type LedgerKind string

// The kinds, in the order in which a worker's life has them.
const (
	LedgerRequested    LedgerKind = "requested"
	LedgerStep         LedgerKind = "step"
	LedgerPrepared     LedgerKind = "prepared"
	LedgerLaunched     LedgerKind = "launched"
	LedgerLaunchFailed LedgerKind = "launch_failed"
	LedgerCertificate  LedgerKind = "certificate"
	LedgerProbe        LedgerKind = "probe"
	LedgerMessage      LedgerKind = "message"
	LedgerAccepted     LedgerKind = "accepted"
	LedgerUnconfirmed  LedgerKind = "unconfirmed"
	LedgerHeld         LedgerKind = "held"
	LedgerWithdrawn    LedgerKind = "withdrawn"
	LedgerKillAsked    LedgerKind = "kill_asked"
	LedgerPull         LedgerKind = "pr"
	LedgerCheck        LedgerKind = "ci"
	LedgerReview       LedgerKind = "review"
	LedgerReacted      LedgerKind = "reacted"
	LedgerEscalated    LedgerKind = "escalated"
	LedgerSnapshot     LedgerKind = "snapshot"
	LedgerPreserved    LedgerKind = "preserved"
	LedgerExpired      LedgerKind = "expired"
	LedgerOverlap      LedgerKind = "overlap"
	LedgerBranch       LedgerKind = "branch"
	LedgerSynced       LedgerKind = "synced"
	LedgerMerged       LedgerKind = "merged"
	LedgerUsage        LedgerKind = "usage"
	LedgerBudget       LedgerKind = "budget"
	LedgerRestored     LedgerKind = "restored"
	LedgerRemoved      LedgerKind = "removed"
	LedgerNoProgress   LedgerKind = "no_progress"
	LedgerGate         LedgerKind = "gate"
)
