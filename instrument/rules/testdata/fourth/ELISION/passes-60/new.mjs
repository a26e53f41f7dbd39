// @ts-check
/* eslint-env node */
import config /* the merged one */ from './config.mjs'; // keep first
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

// ---------------------------------------------------------------
// Billing
// ---------------------------------------------------------------

/** @typedef {{ id: string, cents: number }} Invoice */

export async function /* sic */ bill(/** @type {Invoice} */ invoice, retries = 3 /* total */) {
  return tracer.startActiveSpan('shop.invoice.bill', async (span) => {
    try {
      span.setAttribute('shop.retries', Number(retries));
      // Nothing to bill ... yet.
      if (invoice.cents === 0 /* exactly */) return null; // done

      /*
       * The rest of this function talks to the bank.
       *   Keep the order.
       */
      const receipt = await config.bank.charge(
        invoice.id, // the key
        invoice.cents,
        /* currency */ 'EUR',
      );

      // eslint-disable-next-line no-console
      console.log(receipt /* without details */);
      return receipt; // existing code relies on it
      // never reached
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      // ends on every path
      span.end();
    }
  });
}
// end of file
