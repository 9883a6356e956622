import { answer, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import type { App } from './use-app.js';

/** Whether the provider's requests have come: `refused` if all so far were. */
export type FirstRequest =
  { state: 'unknown' | 'none' | 'accepted'; reason?: never } | { state: 'refused'; reason: string };

const waitingMs = 2_000;

/** Looks for the first request of an App's provider until one is accepted. Those of Verify do not count. */
export function useFirstRequest(app: App): FirstRequest {
  const { data } = useProjectQuery(
    ['events', 'first-of', app.id],
    async (signal): Promise<FirstRequest> => {
      const query = { app_id: app.id, limit: looksAt };
      const events = await answer(api.GET('/api/v1/events', { params: { query }, signal }));
      if (events.data.some(({ outcome }) => outcome !== 'verification')) return { state: 'accepted' };
      const refusals = await answer(
        api.GET('/api/v1/refusals', { params: { query: { app_id: app.id, limit: 1 } }, signal }),
      );
      const [refusal] = refusals.data;
      return refusal ? { state: 'refused', reason: refusal.code } : { state: 'none' };
    },
    {
      enabled: app.webhook_url !== null,
      refetchInterval: (last) => (last?.state === 'accepted' ? false : waitingMs),
    },
  );
  return app.webhook_url === null ? { state: 'none' } : (data ?? { state: 'unknown' });
}

/** The App still lacks what it needs, or its provider has not been heard: its page leads through that. */
export function useIsConnecting(app: App): boolean {
  const { state } = useFirstRequest(app);
  const isMissing = app.credentials.some(({ required, credential_id: id }) => required && id === null);
  const isUnheard = app.webhook_url !== null && state !== 'accepted';
  return app.kind === 'adapter' && state !== 'unknown' && (isMissing || isUnheard);
}

const looksAt = 20;
