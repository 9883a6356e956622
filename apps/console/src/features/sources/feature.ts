import { FolderSync, Plus } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Feature } from '../../app/feature.js';
import { sourceTexts as texts } from '../../texts/sources.js';

const most = 200;

export const sourcesFeature: Feature = {
  navigation: [{ group: 'connect', label: texts.nav, icon: FolderSync, path: '/sources', scope: 'apps:read' }],
  actions: [{ id: 'add-source', label: texts.palette.add, icon: Plus, path: '/sources?add=true' }],
  searchLabel: texts.palette.search,
  searchScope: 'apps:read',
  search: async (query, signal) => {
    const { data } = await answer(api.GET('/api/v1/sources', { params: { query: { limit: most } }, signal }));
    const wanted = query.toLowerCase();
    return data
      .filter(
        ({ id, name, resource_path }) => id === query || `${name} ${resource_path}`.toLowerCase().includes(wanted),
      )
      .map(({ id, name, resource_path }) => ({
        id,
        label: name,
        description: resource_path,
        icon: FolderSync,
        path: `/sources/${id}`,
      }));
  },
};
