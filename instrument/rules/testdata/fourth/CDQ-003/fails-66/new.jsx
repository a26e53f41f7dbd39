'use client';

import { useEffect, useState } from 'react';
import { trace, SpanStatusCode } from '@opentelemetry/api';
const tracer = trace.getTracer('shop');

export async function loadProfile(slug, { signal } = {}) {
  return tracer.startActiveSpan('shop.profile.load', async (span) => {
    try {
      span.setAttribute('shop.profile.slug', String(slug));
      const response = await fetch(`/api/profiles/${encodeURIComponent(slug)}`, { signal });
      if (!response.ok) {
        throw new Error(`profile ${slug}: ${response.status}`);
      }
      const profile = await response.json();
      return profile;
    } catch (error) {
      span.recordException(new Error('profile'));
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

export function Profile({ slug, fallback = <p>Loading…</p> }) {
  const [profile, setProfile] = useState(null);
  useEffect(() => {
    const controller = new AbortController();
    loadProfile(slug, controller).then(setProfile, () => setProfile(null));
    return () => controller.abort();
  }, [slug]);

  if (!profile) return fallback;
  return (
    <section className="profile" data-slug={slug}>
      <h2>
        {profile.name}, since {new Date(profile.since).getFullYear()}
      </h2>
      {profile.tags.length > 0 && (
        <ul>
          {profile.tags.map((tag) => (
            <li key={tag}>{tag}</li>
          ))}
        </ul>
      )}
      It&apos;s {'  '} public.
    </section>
  );
}
