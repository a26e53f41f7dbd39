package projects

import (
	"context"
	"errors"
	"strings"

	"aburn/internal/fault"
	"aburn/worker/ledger"
	"aburn/worker/manager"
)

var errOtherProject = errors.New("it is in another project: one call is about one project")

// Find is the name of the worker that a person means, who may name its project before it.
func (o *Project) Find(word string) (string, error) {
	if first, rest, slashed := strings.Cut(word, "/"); slashed {
		list := ledger.Meant(known(o), first)
		if len(list) != 1 {
			return "", ledger.ErrUnknown
		}
		if list[0].Root != o.Root {
			return "", errOtherProject
		}
		word = rest
	}
	return o.Manager.Find(word)
}

// Member is the worker that a word means.
func (o *Project) Member(ctx context.Context, word string) (*manager.Member, error) {
	name, err := o.Find(word)
	if err != nil {
		return nil, o.noSuch(word, err)
	}
	list, err := o.Load(ctx, name)
	if err == nil {
		err = list[0].Err
	}
	if err != nil {
		return nil, LedgerFailure(name, err)
	}
	return list[0], nil
}

func (o *Project) noSuch(word string, err error) error {
	var many *manager.ErrAmbiguous
	switch {
	case errors.As(err, &many):
		return fault.Usage(fault.Quote(word)+" may mean "+many.Names[0]+" or another worker", fault.DidYouMean("", many.Names)...)
	case errors.Is(err, ledger.ErrUnknown):
		names, _ := o.Store.Names()
		return fault.Usage("no worker is called "+fault.Quote(word), append(fault.DidYouMean(word, names), "aburn ps --all")...)
	}
	return fault.Failed(err.Error())
}

// LedgerFailure is the error that a person is told about a worker whose ledger cannot be used.
func LedgerFailure(name string, err error) error {
	if errors.Is(err, ledger.ErrVersion) {
		return fault.Failed("worker "+name+": "+err.Error(), "update aburn")
	}
	if errors.Is(err, ledger.ErrDamaged) || errors.Is(err, manager.ErrLost) {
		return fault.Failed("worker "+name+": "+err.Error(), "aburn ps shows what still runs of it")
	}
	return fault.Failed("worker " + name + ": " + err.Error())
}

func known(o *Project) []ledger.Named { return ledger.Known(o.Env) }
