package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// maxAnswer bounds a decision, in bytes.
const maxAnswer = 64 << 10

// judge starts `aburn guard decide`, which lies beside this executable, gives it the call, and waits for its answer until a
// time. The process may outlive that: it notifies the person after it has answered.
func judge(env func(string) string, root, worktree string, call []byte, until time.Time) ([]byte, error) {
	aburn, err := beside()
	if err != nil {
		return nil, errors.New("aburn is not beside aburn-hook")
	}
	in, toChild, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer toChild.Close()
	out, fromChild, err := os.Pipe()
	if err != nil {
		in.Close()
		return nil, err
	}
	defer out.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		in.Close()
		fromChild.Close()
		return nil, err
	}
	defer null.Close()
	vars := append(archiveEnv(env, root, worktree), "PATH="+pathOutside(env("PATH"), root, worktree))
	if v := env("KUBECONFIG"); v != "" {
		vars = append(vars, "KUBECONFIG="+v)
	}
	child, err := os.StartProcess(aburn, []string{aburn, "guard", "decide"}, &os.ProcAttr{
		Dir: filepath.Dir(aburn), Env: vars, Files: []*os.File{in, fromChild, null}, Sys: detached(),
	})
	in.Close()
	fromChild.Close()
	if err != nil {
		return nil, errors.New("aburn can't be started")
	}
	go func() {
		toChild.SetWriteDeadline(until)
		toChild.Write(call)
		toChild.Close()
	}()
	if err := out.SetReadDeadline(until); err != nil { // a pipe of Windows has no deadline
		late := time.AfterFunc(time.Until(until), func() { child.Kill() })
		defer late.Stop()
	}
	answer := make([]byte, 0, 512)
	for len(answer) < maxAnswer {
		n, err := out.Read(answer[len(answer):cap(answer)])
		answer = answer[:len(answer)+n]
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			child.Kill()
			return nil, errors.New("aburn guard decide did not answer in time")
		case err != nil || n > 0 && answer[len(answer)-1] == '\n':
			child.Release()
			if len(answer) == 0 {
				return nil, errors.New("aburn guard decide gave no answer")
			}
			return answer, nil
		}
		if len(answer) == cap(answer) {
			answer = append(answer, 0)[:len(answer)]
		}
	}
	child.Kill()
	return nil, errors.New("aburn guard decide answered too much")
}

// beside is the path of aburn, in the folder of this executable.
func beside() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if self, err = filepath.EvalSymlinks(self); err != nil {
		return "", err
	}
	aburn := filepath.Join(filepath.Dir(self), "aburn")
	if runtime.GOOS == "windows" {
		aburn += ".exe"
	}
	if _, err := os.Stat(aburn); err != nil {
		return "", err
	}
	return aburn, nil
}

// pathOutside is PATH without folders of the project: a repository's settings can set it, and guard runs git.
func pathOutside(list, root, worktree string) string {
	var kept []string
	for _, dir := range filepath.SplitList(list) {
		if filepath.IsAbs(dir) && !within(dir, root) && !within(dir, worktree) {
			kept = append(kept, dir)
		}
	}
	return strings.Join(kept, string(filepath.ListSeparator))
}
