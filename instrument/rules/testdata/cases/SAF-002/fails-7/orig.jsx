import React from 'react';
import { renderToString } from 'react-dom/server';
import { fetchProfile, fetchPosts } from './api.js';

export function Post({ post }) {
  return (
    <article className="post">
      <h2>{post.title}</h2>
      <p>
        {post.text} <em>by {post.author}</em>
      </p>
    </article>
  );
}

export function Profile({ profile, posts }) {
  return (
    <main>
      <h1>{profile.name}</h1>
      {posts.map((post) => (
        <Post key={post.id} post={post} />
      ))}
    </main>
  );
}

export async function loadPage(handle) {
  const profile = await fetchProfile(handle);
  const posts = await fetchPosts(profile.id);
  return { profile, posts };
}

export async function handler(req, res) {
  const data = await loadPage(req.params.handle);
  const html = renderToString(<Profile {...data} />);
  res.type('html').send(`<!doctype html>${html}`);
}
