import { render } from './render.mjs';

export class Page {
  async show(name, options) {
    return render(name, { ...options, page: this });
  }
}
