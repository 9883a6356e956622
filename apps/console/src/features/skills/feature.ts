import { GraduationCap } from 'lucide-react';
import type { Feature } from '../../app/feature.js';
import { navigationTexts } from '../../texts/navigation.js';

export const skillsFeature: Feature = {
  navigation: [
    { group: 'build', label: navigationTexts.skills, icon: GraduationCap, path: '/skills', scope: 'tools:read' },
  ],
};
