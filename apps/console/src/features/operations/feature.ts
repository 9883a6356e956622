import { Gauge } from 'lucide-react';
import type { Feature } from '../../app/feature.js';
import { navigationTexts } from '../../texts/navigation.js';

export const operationsFeature: Feature = {
  navigation: [
    { group: 'operate', label: navigationTexts.operations, icon: Gauge, path: '/operations', scope: 'events:read' },
  ],
};
