import { Blocks, Plus } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Feature } from '../../app/feature.js';
import { integrationTexts as texts } from '../../texts/integrations.js';

export const integrationsFeature: Feature = {
  navigation: [{ group: 'connect', label: texts.nav, icon: Blocks, path: '/integrations', scope: 'apps:read' }],
  actions: [{ id: 'install-app', label: texts.palette.install, icon: Plus, path: '/integrations' }],
  searchLabel: texts.palette.search,
  searchScope: 'apps:read',
  search: async (query, signal) => {
    const { data } = await answer(api.GET('/api/v1/apps', { signal }));
    const wanted = query.toLowerCase();
    return data
      .filter(({ id, name, state }) => state !== 'retired' && (id === query || name.toLowerCase().includes(wanted)))
      .map(({ id, name, provider }) => ({
        id,
        label: name,
        description: provider ?? undefined,
        icon: Blocks,
        path: `/integrations/${id}`,
      }));
  },
};
