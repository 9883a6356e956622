import { Settings } from 'lucide-react';
import type { Feature } from '../../app/feature.js';
import { navigationTexts } from '../../texts/navigation.js';

export const settingsFeature: Feature = {
  navigation: [{ group: 'operate', label: navigationTexts.settings, icon: Settings, path: '/settings' }],
};
