import { html, css, svg } from 'lit';
import { trace, SpanStatusCode as Status } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

const style = css`
  :host { display: block; }
  a:hover { color: ${'red'}; }
`;

export async function page(title, load) {
  return tracer.startActiveSpan('shop.page.render', async (span) => {
    try {
      span.setAttribute('shop.page.kind', 'list');
      const items = await load();
      const rows = items.map(
        (item, i) => html`
      <li class="${i % 2 ? 'odd' : 'even'}">
        ${item.icon ? svg`<use href="#${item.icon}" />` : ''} ${item.text}
      </li>
    `,
      );
      return html`<main style="${style}">
    <h1>${title}</h1>
    <ul>${rows}</ul>
  </main>`;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: Status.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
