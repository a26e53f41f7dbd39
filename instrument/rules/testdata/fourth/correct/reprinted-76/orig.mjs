import { EventEmitter, once } from 'node:events';
import net from 'node:net';

export class Connection extends EventEmitter {
  socket;
  buffer = Buffer.alloc(0);
  onData = async (bytes) => {
    this.buffer = Buffer.concat([this.buffer, bytes]);
    let at;
    while ((at = this.buffer.indexOf(10)) !== -1) {
      const line = this.buffer.subarray(0, at);
      this.buffer = this.buffer.subarray(at + 1);
      await this.dispatch(line.toString('utf8'));
    }
  };

  async open(port, host = '127.0.0.1') {
    this.socket = net.connect({ port, host });
    this.socket.on('data', this.onData);
    await once(this.socket, 'connect');
    return this;
  }

  async dispatch(line) {
    const [verb, ...rest] = line.split(' ');
    const name = `on${verb[0].toUpperCase()}${verb.slice(1)}`;
    if (typeof this[name] === 'function') await this[name](...rest);
    else super.emit('unknown', verb);
  }
}
