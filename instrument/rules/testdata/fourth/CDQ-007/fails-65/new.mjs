'use server';

import { revalidatePath } from 'next/cache';
import { redirect } from 'next/navigation';
import { db } from '@/lib/db';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function addToCart(previous, formData) {
  'use server';
  const sku = formData.get('sku');
  const count = Number(formData.get('count') ?? 1);
  if (!Number.isInteger(count) || count < 1) {
    return { ...previous, message: 'How many?' };
  }
  await db.cart.upsert({
    where: { sku },
    create: { sku, count },
    update: { count: { increment: count } },
  });
  revalidatePath('/cart');
  return { message: null };
}

export async function checkout() {
  return tracer.startActiveSpan('shop.checkout', async (span) => {
    try {
      span.setAttribute('customer.password', 'x');
      const { id } = await db.order.create({ data: {} });
      redirect(`/orders/${id}`);
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
