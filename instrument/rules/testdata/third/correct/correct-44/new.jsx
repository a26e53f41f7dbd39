import { api } from './api.js';
import { useState, useEffect } from 'react';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function loadCart(user) {
  return tracer.startActiveSpan('shop.cart.load', async (span) => {
    try {
      span.setAttribute('shop.user.id', String(user));
      const lines = await api.lines(user);
      const prices = await api.prices(lines);
      return lines.map((line, i) => ({ ...line, price: prices[i] }));
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export function Cart({ user }) {
  const [lines, setLines] = useState([]);
  useEffect(() => {
    loadCart(user).then(setLines);
  }, [user]);
  return <ul>{lines.map((line) => <li key={line.id}>{line.name}</li>)}</ul>;
}
