import { price } from './price.js';

export const Cart = ({ lines }) => {
  const all = price(lines);
  return lines.length > 0 ? <b>{all}</b> : null;
};
