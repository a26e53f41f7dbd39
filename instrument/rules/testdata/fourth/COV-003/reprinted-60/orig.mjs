import { NextResponse } from 'next/server';
import { search } from '@/lib/search';

export const dynamic = 'force-dynamic';

export async function GET(request, { params }) {
  const { index } = await params;
  const url = new URL(request.url);
  const limit = Math.min(Number(url.searchParams.get('limit')) || 20, 100);
  const hits = await search(index, url.searchParams.get('q'), { limit });
  return NextResponse.json(
    { hits, total: hits.length },
    { headers: { 'cache-control': 'private, max-age=0' } },
  );
}

export const POST = async (request) => {
  const body = await request.json();
  const result = await search.reindex(body.index);
  return NextResponse.json(result, { status: 202 });
};
