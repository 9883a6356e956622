import { SquareTerminal } from 'lucide-react';
import type { Feature } from '../../app/feature.js';
import { navigationTexts } from '../../texts/navigation.js';

export const developerPortalFeature: Feature = {
  navigation: [
    {
      group: 'connect',
      label: navigationTexts.developerPortal,
      icon: SquareTerminal,
      path: '/developer-portal',
      scope: 'apps:read',
    },
  ],
};
