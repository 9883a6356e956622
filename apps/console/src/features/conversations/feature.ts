import { MessagesSquare } from 'lucide-react';
import type { Feature } from '../../app/feature.js';
import { navigationTexts } from '../../texts/navigation.js';

export const conversationsFeature: Feature = {
  navigation: [
    {
      group: 'messages',
      label: navigationTexts.conversations,
      icon: MessagesSquare,
      path: '/conversations',
      scope: 'channels:read',
    },
  ],
};
