import type { UseQueryResult } from '@tanstack/react-query';
import { answer, api, type Schema } from '../../api/client.js';
import { isProblem } from '../../api/problem.js';
import { useProjectQuery } from '../../api/project-query.js';
import type { App } from './use-app.js';

export type Connection = Schema<'HeldConnectionView'>;

const [connectingMs, connectedMs] = [1_000, 10_000];

export const canFetch = (app: App, listing: Schema<'ListingView'> | undefined): boolean =>
  listing?.can_fetch === true && app.capabilities.includes('receive');

/** How the messages of an App are fetched; null: they are not. */
export const useConnection = (app: App, enabled: boolean): UseQueryResult<Connection | null> =>
  useProjectQuery(
    ['apps', app.id, 'connection'],
    (signal) =>
      answer(api.GET('/api/v1/apps/{id}/connection', { params: { path: { id: app.id } }, signal })).catch(
        noneWhenMissing,
      ),
    { enabled, refetchInterval: (last) => (last ? (last.connected_since ? connectedMs : connectingMs) : false) },
  );

function noneWhenMissing(error: Error): null {
  if (isProblem(error, 'connection_not_found')) return null;
  throw error;
}
