import { store } from './store.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

import { useState } from 'react';

export function useOrder(id) {
  return tracer.startActiveSpan('shop.use', (span) => {
    try {
      const [order, setOrder] = useState(null);
      if (!order) store.find(id, setOrder);
      return order;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
