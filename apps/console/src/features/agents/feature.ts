import { Bot } from 'lucide-react';
import type { Feature } from '../../app/feature.js';
import { navigationTexts } from '../../texts/navigation.js';

export const agentsFeature: Feature = {
  navigation: [{ group: 'build', label: navigationTexts.agents, icon: Bot, path: '/agents', scope: 'agents:read' }],
};
