import { createSlice } from '@reduxjs/toolkit';
import api, { ApiError } from './api.mjs';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const slice = createSlice({
  name: 'cart',
  initialState: { lines: [], status: 'idle' },
  reducers: {
    loaded: (state, { payload }) => void (state.lines = payload, state.status = 'ready'),
    failed(state) {
      state.status = 'failed';
    },
  },
});

export const { loaded, failed } = slice.actions;

export const loadCart = (id) => async (dispatch, getState) => {
  return tracer.startActiveSpan('shop.cart.load', async (span) => {
    try {
      span.setAttribute('shop.cart.id', String(id));
      if (getState().cart.status === 'loading') return undefined;
      try {
        const { lines, ...rest } = await api.get(`carts/${id}`);
        dispatch(loaded(lines.filter(({ count }) => count > 0)));
        return rest;
      } catch (problem) {
        if (problem instanceof ApiError) {
          dispatch(failed());
          return null;
        } else {
          return null;
        }
      }
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
};

export const useCart = (selector = (s) => s.cart) => selector(useCart.store.getState());
useCart.store = null;

export default slice.reducer;
