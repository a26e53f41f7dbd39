import { json } from '@remix-run/node';
import { Form, useLoaderData } from '@remix-run/react';
import { getNotes, addNote } from '../notes.server';

export async function loader({ request }) {
  const search = new URL(request.url).searchParams;
  const notes = await getNotes({ q: search.get('q') ?? '', page: +(search.get('page') || 1) });
  return json({ notes }, { headers: { Vary: 'Cookie' } });
}

export async function action({ request }) {
  const form = await request.formData();
  const errors = {};
  for (const field of ['title', 'body']) if (!form.get(field)) errors[field] = 'required';
  if (Object.keys(errors).length) return json({ errors }, 400);
  await addNote(Object.fromEntries(form));
  return null;
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
