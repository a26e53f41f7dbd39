'use strict';
// A worker's terminal. One looks at it until one takes the keyboard; then it is another socket, which also takes keys.
{
  const box = document.getElementById('screen'), take = document.getElementById('take'), hands = document.getElementById('hands');
  const fit = new FitAddon.FitAddon();
  const size = 13, least = 5;
  let term = null, socket = null, keys = false, shown = 0, room = '', last = null;

  function open() {
    term = new Terminal({ fontSize: size, fontFamily: 'ui-monospace, "Cascadia Mono", Menlo, Consolas, monospace', scrollback: 0, disableStdin: true, cursorBlink: false, minimumContrastRatio: 4.5,
      theme: { background: '#15171b', foreground: '#e4e6ea', cursor: '#e4e6ea' } });
    term.loadAddon(fit);
    box.textContent = '';
    term.open(box);
    term.onData((text) => type(new TextEncoder().encode(text)));
    term.onBinary((text) => type(Uint8Array.from(text, (c) => c.charCodeAt(0))));
    term.attachCustomKeyEventHandler((event) => {
      if (event.key !== 'Escape' || (keys && !event.shiftKey)) return true;
      if (event.type === 'keydown') { if (keys) connect(false); leave(); }
      return false;
    });
  }

  const type = (bytes) => { if (keys && socket && socket.readyState === WebSocket.OPEN) socket.send(bytes); };
  const leave = () => { term.blur(); (take || box).focus(); };
  const tell = (what) => { if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(what)); };

  // How many columns and rows there would be room for at the usual size of letters.
  function measure() {
    term.options.fontSize = size;
    const got = fit.proposeDimensions();
    return got ? [got.cols, got.rows] : [80, 24];
  }

  // The window's size is not ours to choose: letters become smaller until a line fits, as far as one can read them.
  function resize([cols, rows]) {
    last = [cols, rows];
    term.resize(cols, rows);
    const have = measure();
    if (have[0] < cols) term.options.fontSize = Math.max(least, Math.floor(10 * size * have[0] / cols) / 10);
  }

  function offer() {
    const have = measure();
    if (keys && room !== have.join()) { room = have.join(); tell({ size: have }); }
    if (last) resize(last);
  }

  function connect(withKeys) {
    if (socket) { socket.onclose = null; socket.close(); }
    keys = withKeys;
    room = '';
    if (take) {
      take.setAttribute('aria-pressed', String(keys));
      take.textContent = keys ? 'Give the keyboard back' : 'Take the keyboard';
    }
    hands.textContent = keys ? 'Every key goes to the agent. Shift Esc gives the keyboard back.' : 'You are watching. What you type is not sent.';
    box.classList.toggle('typing', keys);
    term.options.disableStdin = !keys;
    term.options.cursorBlink = keys;
    socket = new WebSocket(location.origin.replace(/^http/, 'ws') + box.dataset.socket + (keys ? '?keys=1' : ''), ['aburn', 'aburn.token.' + (kept('token') || '')]);
    socket.binaryType = 'arraybuffer';
    socket.onopen = () => { term.reset(); offer(); if (keys) term.focus(); };
    socket.onmessage = ({ data }) => {
      if (typeof data === 'string') { resize(JSON.parse(data).size); return; }
      const bytes = new Uint8Array(data);
      term.write(bytes, () => {
        shown += bytes.length;
        if (shown >= 8192) { tell({ shown }); shown = 0; }
      });
    };
    socket.onclose = () => {
      socket = null;
      if (keys) { keys = false; connect(false); return; }
      hands.textContent = 'The terminal is not shown any more: its agent has ended, or aburn has. Load the page again.';
    };
  }

  function begin() {
    open();
    connect(false);
    if (take) take.addEventListener('click', () => connect(!keys));
    new ResizeObserver(() => offer()).observe(box);
    box.addEventListener('keydown', (event) => { if (event.key === 'Escape' && event.target === box) box.blur(); });
  }

  if (kept('token')) begin();
  else document.addEventListener('can', begin, { once: true });
}
