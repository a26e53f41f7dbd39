'use client';

import { useEffect, useState } from 'react';

export async function loadProfile(slug, { signal } = {}) {
  const response = await fetch(`/api/profiles/${encodeURIComponent(slug)}`, { signal });
  if (!response.ok) {
    throw new Error(`profile ${slug}: ${response.status}`);
  }
  const profile = await response.json();
  return profile;
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
