import { Activity, FlaskConical } from 'lucide-react';
import type { Feature } from '../../app/feature.js';
import { navigationTexts } from '../../texts/navigation.js';

export const eventsFeature: Feature = {
  navigation: [
    { group: 'messages', label: navigationTexts.events, icon: Activity, path: '/events', scope: 'events:read' },
    { group: 'connect', label: navigationTexts.simulator, icon: FlaskConical, path: '/simulator', scope: 'apps:write' },
  ],
};
