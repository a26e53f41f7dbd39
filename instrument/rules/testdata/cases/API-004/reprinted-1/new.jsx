import React from "react";
import {renderToString} from "react-dom/server";
import {fetchProfile, fetchPosts} from "./api.js";
import {trace, SpanStatusCode} from "@opentelemetry/api";
import {BatchSpanProcessor} from "@opentelemetry/sdk-trace-base";
const tracer = trace.getTracer("blog");

export function Post({post}) {
  return (
    <article className="post">
      <h2>{post.title}</h2>
      <p>
        {post.text} <em>by {post.author}</em>
      </p>
    </article>
  );
}

export function Profile({profile, posts}) {
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
  return tracer.startActiveSpan("blog.page.load", async (span) => {
    try {
      const profile = await fetchProfile(handle);
      const posts = await fetchPosts(profile.id);
      span.setAttribute("blog.posts", posts.length);
      return {profile, posts};
    } catch (error) {
      span.recordException(error);
      span.setStatus({code: SpanStatusCode.ERROR});
      throw error;
    } finally {
      span.end();
    }
  });
}

export async function handler(req, res) {
  return tracer.startActiveSpan("blog.page.render", async (span) => {
    try {
      const data = await loadPage(req.params.handle);
      const html = renderToString(<Profile {...data} />);
      span.setAttribute("blog.html_length", html.length);
      res.type("html").send(`<!doctype html>${html}`);
    } catch (error) {
      span.recordException(error);
      span.setStatus({code: SpanStatusCode.ERROR});
      throw error;
    } finally {
      span.end();
    }
  });
}
