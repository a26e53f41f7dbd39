import { span, trace } from './dom.mjs';

export async function render(tracer, error = null) {
  const errors = span({ class: 'box' });
  if (error) errors.append(String(error));
  errors.append(await trace(tracer));
  return errors;
}
