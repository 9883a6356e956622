import { ShieldCheck } from 'lucide-react';
import type { Feature } from '../../app/feature.js';
import { navigationTexts } from '../../texts/navigation.js';

export const approvalsFeature: Feature = {
  navigation: [
    {
      group: 'messages',
      label: navigationTexts.approvals,
      icon: ShieldCheck,
      path: '/approvals',
      scope: 'agents:read',
    },
  ],
};
