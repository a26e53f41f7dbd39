package worker

// event is a row of the table: what a fact means.
type event uint8

const (
	noEvent event = iota
	launched
	launchFailed
	agentStarted
	prompt
	toolBegan
	toolEnded
	asks
	answered
	turnEnded
	turnFailed
	interrupted
	sessionCleared // by clear or resume
	sessionEnded
	endAsked  // a certificate, after kill_asked
	endClean  // a certificate with exit 0
	endFailed // any other certificate
	bothAlive
	processDead
	bothDead
	runtimeDead // the process lives
	notSeen
	noProgress
	otherBoot
	budgetReached
	pullEnded // merged or closed
	saysDone
	saysDoneGated // gates will run
	gatesPassed
	gatesFailed // its agent sits at its prompt until somebody tells it
	gatesGaveUp // failed once more than retries allow
	treeRemoved
	forgotten // kill --forget
	restored
	events
)

// column is a state of the table. Verify is Working while gates run: what the agent does then is read as in Done.
type column uint8

const (
	colNotStarted column = iota
	colWorking
	colVerify
	colIdle
	colNeeds
	colDetecting
	colStuck
	colDone
	colTerminated
	columns
)

// cell says where an event leads. The zero cell is a hole in the table.
type cell uint8

const (
	hole  cell = iota
	same       // nothing changes
	spawn      // the state stays, the reason is spawn_requested
	fresh      // NotStarted, of the fact's generation
	work       // Working: what it works on; where it said done before, that
	verif      // Working, verifying
	ack        // Idle, agent_acknowledged
	rest       // Idle: awaiting_external_review with an open pull request, else turn_ended; where it said done before, that
	decid      // Idle, the pull request waits for a decision
	wait       // NeedsInput, awaiting_user_input
	fails      // NeedsInput, error_in_process
	spent      // NeedsInput, budget_reached
	nover      // NeedsInput, verify_failed
	gone       // Detecting, agent_process_exited
	lost       // Detecting, runtime_lost
	blind      // Detecting, probe_failure, if nothing was heard for a minute
	prove      // Terminated if it is the third such round, else same
	reach      // Stuck, out_of_reach, after three rounds or five minutes
	dark       // Stuck, probe_failure, after three rounds or five minutes
	stall      // Stuck, no_progress
	back       // where the agent's last fact left it
	unblk      // the same, if the reason is probe_failure
	reviv      // the same, if it proves life
	rwork      // Working, if it proves life
	rrest      // Idle, if it proves life
	rwait      // NeedsInput, if it proves life
	call       // work, if it is the call that was asked about, else same
	finis      // Done, research_complete
	asAsk      // Terminated, for the reason of kill_asked
	exit0      // Terminated, agent_process_exited
	crash      // Terminated, error_in_process
	boot       // Terminated, runtime_lost
	clean      // Terminated, auto_cleanup
	forgt      // Terminated, probe_failure
)

// table is the whole of how a worker's state changes.
var table = [events][columns]cell{
	//               not started working verify idle needs detecting stuck done terminated
	launched:       {spawn, same, same, same, same, same, same, same, same},
	launchFailed:   {crash, same, same, same, same, same, same, same, same},
	agentStarted:   {ack, same, same, same, same, ack, ack, same, rrest},
	prompt:         {work, work, work, work, work, work, work, work, rwork},
	toolBegan:      {work, work, same, work, call, work, work, same, rwork}, // done holds until the next prompt or message
	toolEnded:      {work, work, same, work, call, work, work, same, rwork},
	asks:           {wait, wait, wait, wait, wait, wait, wait, wait, rwait},
	answered:       {same, same, same, same, call, work, work, same, same}, // told late, it is no work of a turn that is over
	turnEnded:      {rest, rest, same, same, rest, rest, rest, same, rrest},
	turnFailed:     {fails, fails, fails, fails, fails, fails, fails, fails, rwait},
	interrupted:    {rest, rest, same, same, rest, rest, rest, same, rrest},
	sessionCleared: {same, same, same, same, rest, same, same, same, same},
	sessionEnded:   {gone, gone, gone, gone, gone, same, gone, same, same},
	endAsked:       {asAsk, asAsk, asAsk, asAsk, asAsk, asAsk, asAsk, asAsk, same},
	endClean:       {exit0, exit0, exit0, exit0, exit0, exit0, exit0, same, same},
	endFailed:      {crash, crash, crash, crash, crash, crash, crash, same, same},
	bothAlive:      {same, same, same, same, same, back, unblk, same, reviv},
	processDead:    {gone, gone, gone, gone, gone, prove, prove, same, same},
	bothDead:       {lost, lost, lost, lost, lost, prove, prove, same, same},
	runtimeDead:    {lost, lost, lost, lost, lost, reach, same, same, same},
	notSeen:        {same, blind, blind, same, same, dark, same, same, same},
	noProgress:     {same, stall, same, same, same, same, same, same, same},
	otherBoot:      {boot, boot, boot, boot, boot, boot, boot, same, same},
	budgetReached:  {spent, spent, spent, spent, spent, same, same, same, same},
	pullEnded:      {same, same, same, decid, same, same, same, same, same},
	saysDone:       {finis, finis, finis, finis, finis, finis, finis, same, same},
	saysDoneGated:  {verif, verif, same, verif, verif, verif, verif, same, same},
	gatesPassed:    {same, same, finis, same, same, same, same, same, same},
	gatesFailed:    {same, same, rest, same, same, same, same, same, same},
	gatesGaveUp:    {same, same, nover, same, same, same, same, same, same},
	treeRemoved:    {clean, clean, clean, clean, clean, clean, clean, clean, same},
	forgotten:      {forgt, forgt, forgt, forgt, forgt, forgt, forgt, forgt, same},
	restored:       {fresh, same, same, same, same, fresh, fresh, fresh, fresh},
}
