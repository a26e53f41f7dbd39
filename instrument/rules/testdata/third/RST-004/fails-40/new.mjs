import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export class Tree {
  depth() {
    return this.#deep(this.root, 0);
  }

  #deep(node, above) {
    return tracer.startActiveSpan('shop.tree.walk', (span) => {
      try {
        let deepest = above;
        const list = node.children ?? [];
        for (const child of list) {
          const below = this.#deep(child, above + 1);
          if (below > deepest) deepest = below;
        }
        const leaf = list.length === 0;
        if (leaf) deepest += 1;
        return deepest;
      } catch (error) {
        span.recordException(error);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    });
  }
}
