import { json } from '@remix-run/node';
import { Form, useLoaderData } from '@remix-run/react';
import { getNotes, addNote } from '../notes.server';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function loader({ request }) {
  return tracer.startActiveSpan('shop.notes.load', async (span) => {
    try {
      span.setAttribute('shop.request', JSON.stringify(request));
      const search = new URL(request.url).searchParams;
      const notes = await getNotes({ q: search.get('q') ?? '', page: +(search.get('page') || 1) });
      return json({ notes }, { headers: { Vary: 'Cookie' } });
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export async function action({ request }) {
  return tracer.startActiveSpan('shop.notes.add', async (span) => {
    try {
      const form = await request.formData();
      const errors = {};
      for (const field of ['title', 'body']) if (!form.get(field)) errors[field] = 'required';
      if (Object.keys(errors).length) return json({ errors }, 400);
      await addNote(Object.fromEntries(form));
      return null;
    } catch (error) {
      span.recordException(error);
      span.setStatus({ code: SpanStatusCode.ERROR, message: String(error) });
      throw error;
    } finally {
      span.end();
    }
  });
}

const Note = ({ title, ...rest }) => <article {...rest}>{title || <i>untitled</i>}</article>;

export default function Notes() {
  const { notes } = useLoaderData();
  return (
    <>
      <Form method="post">
        <input name="title" defaultValue='a "quoted" one' disabled />
        <textarea name="body" />
        <button>Add</button>
      </Form>
      {notes.map((note) => (
        <Note key={note.id} title={note.title} data-id={note.id} />
      ))}
      {/* none yet */}
    </>
  );
}
