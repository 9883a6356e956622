import { ChartColumn } from 'lucide-react';
import type { Feature } from '../../app/feature.js';
import { usageTexts } from '../../texts/usage.js';

export const usageFeature: Feature = {
  navigation: [{ group: 'operate', label: usageTexts.nav, icon: ChartColumn, path: '/usage', scope: 'agents:read' }],
};
