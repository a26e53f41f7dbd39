import { html, css, svg } from 'lit';

const style = css`
  :host { display: block; }
  a:hover { color: ${'red'}; }
`;

export async function page(title, load) {
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
}
