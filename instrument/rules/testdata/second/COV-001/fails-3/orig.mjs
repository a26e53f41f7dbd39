import { transport } from './transport.mjs';

export class Orders {
  #seen = new Set();

  async place(id) {
    this.#seen.add(id);
    await transport.announce(id);
    return this.#seen.size;
  }
}

export class Mail {
  async deliver(to, text) {
    const answer = await transport.open(to);
    await answer.write(text);
    return answer.close();
  }
}
