import { House } from 'lucide-react';
import type { Feature } from '../../app/feature.js';
import { homeTexts } from '../../texts/home.js';

export const homeFeature: Feature = {
  navigation: [{ group: 'home', label: homeTexts.nav, icon: House, path: '' }],
};
