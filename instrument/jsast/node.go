package jsast

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

const (
	minNode   = 18
	nodeStart = 20 * time.Second // only for a node that hangs: on a busy machine one takes seconds
	maxAnswer = 64 << 20         // bytes; the largest permitted file needs about a tenth
)

// bootstrap is all that stands on node's command line: the bundle is longer than
// Linux permits one argument to be. The first line on stdin is the bundle, each
// further one a file; each is answered by one line. The child ends with its
// stdin, and so with its parent, however the parent ended.
const bootstrap = `'use strict'
let started = false, pending = []
const strip = (source) => {
  const { stripTypeScriptTypes } = require('node:module')
  if (!stripTypeScriptTypes) return { code: 'none', version: process.version }
  try {
    return { text: stripTypeScriptTypes(source) }
  } catch (error) {
    return { code: error.code || 'unknown', message: String(error.message).split('\n')[0] }
  }
}
const takes = (source, type) => {
  const vm = require('node:vm')
  try {
    if (type === 'module') new vm.SourceTextModule(source)
    else vm.compileFunction(source, ['exports', 'require', 'module', '__filename', '__dirname'])
    return { takes: true }
  } catch (error) {
    return { takes: !(error instanceof SyntaxError) }
  }
}
const answer = (text) => {
  const q = JSON.parse(text)
  if (q.takes !== undefined) return JSON.stringify(takes(q.takes, q.type))
  if (q.types !== undefined) return JSON.stringify(strip(q.types))
  if (started) return aburnParse(q.source, q.type)
  started = true
  ;(0, eval)(q.bundle)
  return JSON.stringify({ node: parseInt(process.versions.node, 10) })
}
process.stdin.setEncoding('utf8')
process.stdin.on('data', (data) => {
  for (let end; (end = data.indexOf('\n')) >= 0; data = data.slice(end + 1)) {
    pending.push(data.slice(0, end))
    const text = pending.join('')
    pending = []
    process.stdout.write(answer(text) + '\n')
  }
  pending.push(data)
})
process.stdin.on('end', () => process.exit(0))
process.stdout.on('error', () => process.exit(0))
`

// NodeProcess runs the bundle in one long-lived child with an empty environment
// and without addons. It opens no files and no network. A child that died is
// started again.
type NodeProcess struct {
	path  string
	mu    sync.Mutex
	child *child // nil when none runs
}

type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// StartNode finds node on PATH and starts it. It fails where there is none, or
// one before 18.
func StartNode(ctx context.Context) (*NodeProcess, error) {
	path, err := exec.LookPath("node")
	if err != nil {
		return nil, err
	}
	n := &NodeProcess{path: path}
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.start(ctx); err != nil {
		return nil, &EngineError{n.Name(), err}
	}
	return n, nil
}

func (n *NodeProcess) Name() string { return "node" }

func (n *NodeProcess) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.kill()
	return nil
}

func (n *NodeProcess) Parse(ctx context.Context, source string, t SourceType) ([]byte, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	question := struct {
		Source string     `json:"source"`
		Type   SourceType `json:"type"`
	}{source, t}
	return n.askTwice(ctx, question)
}

// Takes says whether node itself compiles a file, as the kind of module that m is. It runs
// nothing of it. A node that fails says nothing of the file: then the answer is true.
func (n *NodeProcess) Takes(ctx context.Context, m *Module) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	text := strings.TrimPrefix(string(m.Source), byteOrderMark)
	answer, err := n.askTwice(ctx, map[string]string{"takes": text, "type": string(m.Type)})
	var said struct{ Takes bool }
	return err != nil || json.Unmarshal(answer, &said) != nil || said.Takes
}

// askTwice asks a child that died once more.
func (n *NodeProcess) askTwice(ctx context.Context, question any) ([]byte, error) {
	answer, err := n.ask(ctx, Timeout, question)
	if errors.Is(err, errDied) {
		answer, err = n.ask(ctx, Timeout, question)
	}
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, &EngineError{n.Name(), err}
	}
	return answer, nil
}

var errDied = errors.New("the process ended")

func (n *NodeProcess) start(ctx context.Context) error {
	cmd := exec.Command(n.path, "--no-addons", "--no-warnings", "--experimental-vm-modules", "--max-old-space-size=1024", "-e", bootstrap)
	cmd.Env = []string{}   // NODE_OPTIONS above all
	cmd.Dir = os.TempDir() // no package.json of a project
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	n.child = &child{cmd, in, bufio.NewReaderSize(out, 1<<16)}
	answer, err := n.exchange(ctx, nodeStart, map[string]string{"bundle": bundle})
	if err != nil {
		return err
	}
	var hello struct{ Node int }
	if err := json.Unmarshal(answer, &hello); err != nil || hello.Node < minNode {
		n.kill()
		return fmt.Errorf("node is version %d, it takes %d", hello.Node, minNode)
	}
	return nil
}

func (n *NodeProcess) ask(ctx context.Context, limit time.Duration, question any) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if n.child == nil {
		if err := n.start(ctx); err != nil {
			return nil, err
		}
	}
	return n.exchange(ctx, limit, question)
}

// exchange writes a line and reads one. A child that did not answer in form and
// time is killed: what it would say later would be taken for the next answer.
func (n *NodeProcess) exchange(ctx context.Context, limit time.Duration, question any) ([]byte, error) {
	line, err := json.Marshal(question)
	if err != nil {
		return nil, err
	}
	within, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took more than %v", limit))
	defer cancel()
	process := n.child.cmd.Process
	stop := context.AfterFunc(within, func() { _ = process.Kill() })
	if _, err = n.child.in.Write(append(line, '\n')); err == nil {
		line, err = readLine(n.child.out, maxAnswer)
	}
	late := !stop() // then it is being killed, also if it has answered
	if err == nil && !late {
		return line, nil
	}
	n.kill()
	switch {
	case late:
		return nil, context.Cause(within)
	case errors.Is(err, errTooLong):
		return nil, err
	}
	return nil, errDied
}

func (n *NodeProcess) kill() {
	if n.child == nil {
		return
	}
	_ = n.child.in.Close()
	_ = n.child.cmd.Process.Kill()
	_ = n.child.cmd.Wait()
	n.child = nil
}

var errTooLong = fmt.Errorf("it answered more than %d bytes", maxAnswer)

// readLine reads a line of at most limit bytes, without its end.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > limit {
			return nil, errTooLong
		}
		if err == nil {
			return line[:len(line)-1], nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
}
