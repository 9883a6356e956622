import { Plus, SquareTerminal } from 'lucide-react';
import type { Palette } from '../../app/feature.js';
import { developerPortalTexts as texts } from '../../texts/developer-portal.js';
import { listAdapters } from './use-adapter.js';

export const developerPortalPalette: Palette = {
  actions: [
    { id: 'register-adapter', label: texts.palette.register, icon: Plus, path: '/developer-portal?register=true' },
  ],
  label: texts.palette.search,
  scope: 'apps:read',
  search: async (query, signal) => {
    const wanted = query.toLowerCase();
    return (await listAdapters(signal))
      .filter(({ id, name, slug }) => id === query || `${name} ${slug}`.toLowerCase().includes(wanted))
      .map(({ id, name, slug }) => ({
        id,
        label: name,
        description: slug,
        icon: SquareTerminal,
        path: `/developer-portal/${id}`,
      }));
  },
};
