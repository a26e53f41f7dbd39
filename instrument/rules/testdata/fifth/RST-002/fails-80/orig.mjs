
const KEY = Symbol.for('limiter');

export class Limiter {
  static #instances = new WeakSet();
  static {
    this.defaults = Object.freeze({ rate: 10n, burst: 2n ** 4n });
  }

  #tokens;
  #waiting = [];
  now = () => process.hrtime.bigint();

  constructor({ rate, burst } = Limiter.defaults) {
    this.rate = rate;
    this.#tokens = burst;
    Limiter.#instances.add(this);
  }

  get waiting() { return this.#waiting.length; }

  static is(value) { return #tokens in value; }

  peek() { return this[KEY]; }

  async acquire(cost = 1n, { signal } = {}) {
    signal?.throwIfAborted();
    this[KEY] ??= 0;
    while (this.#tokens < cost) {
      await new Promise((resolve, reject) => {
        this.#waiting.push(resolve);
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    }
    this.#tokens -= cost;
    return () => this.#release(cost);
  }

  #release(cost) {
    this.#tokens += cost;
    this.#waiting.shift()?.();
  }

  async *[Symbol.asyncIterator]() {
    for (;;) yield await this.acquire();
  }
}
