import { answer, api } from '../../api/client.js';
import type { Versioned } from '../../ui/versioned.js';
import { touched as touches } from './queries.js';

export const workflowHistory = (id: number): Versioned => ({
  key: ['workflows', id],
  touches,
  scope: 'workflows:write',
  list: (query, signal) =>
    answer(api.GET('/api/v1/workflows/{id}/versions', { params: { path: { id: String(id) }, query }, signal })),
  differences: (version, withVersion, signal) => {
    const params = { path: { id: String(id), version }, query: { with: withVersion } };
    return answer(api.GET('/api/v1/workflows/{id}/versions/{version}/differences', { params, signal }));
  },
  restore: (version, { instead_of }) => {
    const params = { path: { id: String(id), version } };
    return answer(api.POST('/api/v1/workflows/{id}/versions/{version}/restore', { params, body: { instead_of } }));
  },
});

export const triggerHistory = (id: string): Versioned => ({
  key: ['triggers', id],
  touches,
  scope: 'workflows:write',
  list: (query, signal) =>
    answer(api.GET('/api/v1/triggers/{id}/versions', { params: { path: { id }, query }, signal })),
  differences: (version, withVersion, signal) => {
    const params = { path: { id, version }, query: { with: withVersion } };
    return answer(api.GET('/api/v1/triggers/{id}/versions/{version}/differences', { params, signal }));
  },
  restore: (version, { instead_of }) => {
    const params = { path: { id, version } };
    return answer(api.POST('/api/v1/triggers/{id}/versions/{version}/restore', { params, body: { instead_of } }));
  },
});
