import { Blocks, Plus } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Palette } from '../../app/feature.js';
import { integrationTexts as texts } from '../../texts/integrations.js';

export const integrationsPalette: Palette = {
  actions: [{ id: 'install-app', label: texts.palette.install, icon: Plus, path: '/integrations' }],
  label: texts.palette.search,
  scope: 'apps:read',
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
