
export function checkout(cart) {
  return { price: priceCart(cart.lines) };
}

function priceCart(lines) {
  const sum = lines.reduce((all, line) => all + line.price, 0);
  return sum * 1.2;
}
