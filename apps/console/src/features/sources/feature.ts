import { FolderSync, Plus } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Feature } from '../../app/feature.js';
import { found } from '../../app/named.js';
import { sourceTexts as texts } from '../../texts/sources.js';

export const sourcesFeature: Feature = {
  navigation: [{ group: 'connect', label: texts.nav, icon: FolderSync, path: '/sources', scope: 'apps:read' }],
  actions: [{ id: 'add-source', label: texts.palette.add, icon: Plus, path: '/sources?add=true' }],
  searchLabel: texts.palette.search,
  searchScope: 'apps:read',
  search: async (query, signal) => {
    const { data } = await answer(
      api.GET('/api/v1/sources', { params: { query: { search: query, limit: found } }, signal }),
    );
    return data.map(({ id, name, resource_path }) => ({
      id,
      label: name,
      description: resource_path,
      icon: FolderSync,
      path: `/sources/${id}`,
    }));
  },
};
