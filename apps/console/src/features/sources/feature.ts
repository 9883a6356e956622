import { FolderSync } from 'lucide-react';
import type { Feature } from '../../app/feature.js';
import { navigationTexts } from '../../texts/navigation.js';

export const sourcesFeature: Feature = {
  navigation: [
    { group: 'connect', label: navigationTexts.sources, icon: FolderSync, path: '/sources', scope: 'apps:read' },
  ],
};
