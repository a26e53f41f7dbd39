import { api } from './api.js';
import { useState, useEffect } from 'react';

export async function loadCart(user) {
  const lines = await api.lines(user);
  const prices = await api.prices(lines);
  return lines.map((line, i) => ({ ...line, price: prices[i] }));
}

export function Cart({ user }) {
  const [lines, setLines] = useState([]);
  useEffect(() => {
    loadCart(user).then(setLines);
  }, [user]);
  return <ul>{lines.map((line) => <li key={line.id}>{line.name}</li>)}</ul>;
}
