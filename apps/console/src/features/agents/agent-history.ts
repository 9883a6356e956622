import { answer, api } from '../../api/client.js';
import { agentTexts } from '../../texts/agents.js';
import { historyTexts } from '../../texts/history.js';
import type { Versioned } from '../../ui/versioned.js';

const texts = agentTexts.versions;

/** The versions of an agent, which are put in force and may be drafts. */
export const agentHistory = (id: string): Versioned => ({
  key: ['agents', id],
  scope: 'agents:write',
  list: (query, signal) => answer(api.GET('/api/v1/agents/{id}/versions', { params: { path: { id }, query }, signal })),
  differences: (version, withVersion, signal) => {
    const params = { path: { id, version }, query: { with: withVersion } };
    return answer(api.GET('/api/v1/agents/{id}/versions/{version}/differences', { params, signal }));
  },
  restore: (version, body) => {
    const params = { path: { id, version } };
    return answer(api.POST('/api/v1/agents/{id}/versions/{version}/promote', { params, body }));
  },
  words: {
    act: (state) => (state === 'draft' ? texts.promote : texts.rollBack),
    title: texts.promoteTitle,
    hint: texts.promoteHint,
    done: texts.promoted,
  },
  takesNote: true,
  nobody: historyTexts.gatehouse,
});
