import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { causesOf, useAttention } from '../api/attention.js';
import { type NoticeChoice, noticePermission } from '../api/desktop-notices.js';
import { useProjectId } from '../api/project-query.js';
import { useScope, useSession } from '../api/session.js';

/** Shows a notice for each cause that was not there at the last look. What there was when the page opened is no news. */
export default function DesktopNotices({ choice }: { choice: NoticeChoice }): ReactNode {
  const projectId = useProjectId();
  const { projects } = useSession();
  const navigate = useNavigate();
  const enabled = useScope('events:read');
  const { data: items } = useAttention({ enabled, inBackground: true });
  const known = useRef<{ projectId: string; causes: Set<string> }>(null);
  useEffect(() => {
    if (!enabled || !items) return;
    const now = causesOf(items);
    const before = known.current?.projectId === projectId ? known.current.causes : null;
    known.current = { projectId, causes: new Set(now.keys()) };
    if (!before || noticePermission() !== 'granted') return;
    const project = projects.find(({ id }) => id === projectId)?.name ?? '';
    for (const [cause, { text, what_to_do: body, severity }] of now) {
      if (before.has(cause) || (choice === 'errors' && severity !== 'error')) continue;
      // The same cause in another tab replaces it.
      const tag = `${projectId} ${cause}`;
      const notice = shown(`[${project}] ${text}`, { body, tag, icon: '/icon.svg' });
      if (!notice) return;
      notice.onclick = () => {
        window.focus();
        notice.close();
        void navigate({ to: '/p/$projectId', params: { projectId } });
      };
    }
  }, [enabled, items, choice, projectId]);
  return null;
}

/** @returns null: this browser lets only its service worker show one */
function shown(title: string, options: NotificationOptions): Notification | null {
  try {
    return new Notification(title, options);
  } catch {
    return null;
  }
}
