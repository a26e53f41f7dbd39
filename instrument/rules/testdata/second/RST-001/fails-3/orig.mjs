
export class Cart {
  #lines = [];

  add(line) {
    this.#lines.push(line);
    return this.#tally(0.2);
  }

  #tally(tax) {
    let sum = 0;
    for (const line of this.#lines) sum += line.price;
    return sum * (1 + tax);
  }
}
