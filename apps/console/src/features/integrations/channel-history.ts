import { answer, api } from '../../api/client.js';
import type { Versioned } from '../../ui/versioned.js';

/** The versions of an App's channel: who answers its messages. */
export const channelHistory = (appId: string): Versioned => ({
  key: ['channels', appId],
  touches: ['apps'],
  scope: 'channels:write',
  list: (query, signal) =>
    answer(api.GET('/api/v1/channels/{appId}/versions', { params: { path: { appId }, query }, signal })),
  differences: (version, withVersion, signal) => {
    const params = { path: { appId, version }, query: { with: withVersion } };
    return answer(api.GET('/api/v1/channels/{appId}/versions/{version}/differences', { params, signal }));
  },
  restore: (version, { instead_of }) => {
    const params = { path: { appId, version } };
    return answer(api.POST('/api/v1/channels/{appId}/versions/{version}/restore', { params, body: { instead_of } }));
  },
});
