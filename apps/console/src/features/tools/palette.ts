import { Wrench } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Palette } from '../../app/feature.js';
import { found, namedEntries } from '../../app/named.js';
import { toolTexts } from '../../texts/tools.js';

export const toolsPalette: Palette = {
  actions: [{ id: 'new-tool', label: toolTexts.palette.create, icon: Wrench, path: '/tools/new' }],
  label: toolTexts.palette.search,
  scope: 'tools:read',
  search: async (query, signal) => {
    const { data } = await answer(
      api.GET('/api/v1/tools', { params: { query: { search: query, limit: found } }, signal }),
    );
    return namedEntries(data, Wrench, '/tools');
  },
};
