import { Blocks } from 'lucide-react';
import type { Feature } from '../../app/feature.js';
import { navigationTexts } from '../../texts/navigation.js';

export const integrationsFeature: Feature = {
  navigation: [
    { group: 'connect', label: navigationTexts.integrations, icon: Blocks, path: '/integrations', scope: 'apps:read' },
  ],
};
