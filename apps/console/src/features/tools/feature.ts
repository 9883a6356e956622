import { Wrench } from 'lucide-react';
import type { Feature } from '../../app/feature.js';
import { navigationTexts } from '../../texts/navigation.js';

export const toolsFeature: Feature = {
  navigation: [{ group: 'build', label: navigationTexts.tools, icon: Wrench, path: '/tools', scope: 'tools:read' }],
};
