import { NextResponse } from 'next/server';
import { search } from '@/lib/search';
import { trace, SpanStatusCode } from '@opentelemetry/api';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
const tracer = trace.getTracer('shop');

export const dynamic = 'force-dynamic';

export async function GET(request, { params }) {
  return tracer.startActiveSpan('shop.search.query', async (span) => {
    try {
      span.setAttribute('shop.search.kind', 'full');
      const { index } = await params;
      const url = new URL(request.url);
      const limit = Math.min(Number(url.searchParams.get('limit')) || 20, 100);
      const hits = await search(index, url.searchParams.get('q'), { limit });
      return NextResponse.json(
        { hits, total: hits.length },
        { headers: { 'cache-control': 'private, max-age=0' } },
      );
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export const POST = async (request) => {
  return tracer.startActiveSpan('shop.search.reindex', async (span) => {
    try {
      const body = await request.json();
      const result = await search.reindex(body.index);
      return NextResponse.json(result, { status: 202 });
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      span.recordException(error);
      throw error;
    } finally {
      span.end();
    }
  });
};
