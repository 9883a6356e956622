import { KeyRound } from 'lucide-react';
import type { Feature } from '../../app/feature.js';
import { navigationTexts } from '../../texts/navigation.js';

export const credentialsFeature: Feature = {
  navigation: [
    {
      group: 'connect',
      label: navigationTexts.credentials,
      icon: KeyRound,
      path: '/credentials',
      scope: 'credentials:read',
    },
  ],
};
