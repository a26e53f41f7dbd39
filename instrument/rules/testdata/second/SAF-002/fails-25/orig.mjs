import { store } from './store.mjs';

import { useState } from 'react';

export function useOrder(id) {
  const [order, setOrder] = useState(null);
  if (!order) store.find(id, setOrder);
  return order;
}
