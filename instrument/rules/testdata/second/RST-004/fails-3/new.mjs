import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export function depthOf(tree) {
  return tree ? depth(tree, 0) : 0;
}

function depth(node, above) {
  return tracer.startActiveSpan('shop.tree.walk', (span) => {
    try {
      let deepest = above + 1;
      const children = node.children ?? [];
      for (const child of children) {
        const below = depth(child, above + 1);
        if (below > deepest) deepest = below;
      }
      const known = node.name !== undefined;
      if (!known) deepest -= 1;
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
