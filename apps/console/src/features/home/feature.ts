import { House } from 'lucide-react';
import type { Feature } from '../../app/feature.js';
import { navigationTexts } from '../../texts/navigation.js';

export const homeFeature: Feature = {
  navigation: [{ group: 'home', label: navigationTexts.home, icon: House, path: '' }],
};
