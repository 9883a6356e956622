import { ChartColumn } from 'lucide-react';
import type { Feature } from '../../app/feature.js';
import { navigationTexts } from '../../texts/navigation.js';

export const usageFeature: Feature = {
  navigation: [
    { group: 'operate', label: navigationTexts.usage, icon: ChartColumn, path: '/usage', scope: 'agents:read' },
  ],
};
