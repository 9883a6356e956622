import { Wrench } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Feature } from '../../app/feature.js';
import { found, namedEntries } from '../../app/named.js';
import { toolTexts } from '../../texts/tools.js';

export const toolsFeature: Feature = {
  navigation: [{ group: 'build', label: toolTexts.nav, icon: Wrench, path: '/tools', scope: 'tools:read' }],
  actions: [{ id: 'new-tool', label: toolTexts.palette.create, icon: Wrench, path: '/tools/new' }],
  searchLabel: toolTexts.palette.search,
  searchScope: 'tools:read',
  search: async (query, signal) => {
    const { data } = await answer(
      api.GET('/api/v1/tools', { params: { query: { search: query, limit: found } }, signal }),
    );
    return namedEntries(data, Wrench, '/tools');
  },
};
