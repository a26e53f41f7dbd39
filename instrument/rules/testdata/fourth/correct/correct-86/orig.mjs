import { span, trace } from './dom.mjs';

export async function render(tracer, error = null) {
  const box = span({ class: 'box' });
  if (error) box.append(String(error));
  box.append(await trace(tracer));
  return box;
}
