import { Bot } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Palette } from '../../app/feature.js';
import { found, namedEntries } from '../../app/named.js';
import { agentTexts } from '../../texts/agents.js';

export const agentsPalette: Palette = {
  label: agentTexts.palette.search,
  scope: 'agents:read',
  search: async (query, signal) => {
    const { data } = await answer(
      api.GET('/api/v1/agents', { params: { query: { search: query, limit: found } }, signal }),
    );
    return namedEntries(data, Bot, '/agents');
  },
};
