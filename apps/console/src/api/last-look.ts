import { useEffect, useState } from 'react';
import { useProjectId } from './project-query.js';
import { useSession } from './session.js';

interface Look {
  /** When somebody looked last, in milliseconds. */
  seen: number;
  /** The end of the visit before this one; null: there was none, or it was read. */
  since: number | null;
}

/** Whoever comes back sooner was not away. */
const awayMs = 30 * 60_000;
const everyMs = 60_000;

/** Since when this person had not looked at this project, in this browser; null: this is the first visit. */
export function useLastLook(): { since: string | null; read: () => void } {
  const projectId = useProjectId();
  const { member } = useSession();
  const key = `last-look-${member.id}-${projectId}`;
  const [since, setSince] = useState(() => noteLook(key));
  useEffect(() => {
    const look = (): void => {
      if (document.visibilityState === 'visible') setSince(noteLook(key));
    };
    look();
    const timer = setInterval(look, everyMs);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [key]);
  return {
    since: since === null ? null : new Date(since).toISOString(),
    read: () => {
      keep(key, { seen: Date.now(), since: null });
      setSince(null);
    },
  };
}

/** Notes that somebody looks now. @returns the end of the visit before this one */
function noteLook(key: string): number | null {
  const [now, before] = [Date.now(), kept(key)];
  const since = before === null ? null : now - before.seen >= awayMs ? before.seen : before.since;
  keep(key, { seen: now, since });
  return since;
}

const keep = (key: string, look: Look): void => localStorage.setItem(key, JSON.stringify(look));

function kept(key: string): Look | null {
  const text = localStorage.getItem(key);
  if (text === null) return null;
  const { seen, since }: Partial<Look> = JSON.parse(text) as Look;
  return typeof seen === 'number' ? { seen, since: typeof since === 'number' ? since : null } : null;
}
