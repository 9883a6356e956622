import { BookOpen } from 'lucide-react';
import type { Feature } from '../../app/feature.js';
import { navigationTexts } from '../../texts/navigation.js';

export const knowledgeFeature: Feature = {
  navigation: [
    { group: 'build', label: navigationTexts.knowledge, icon: BookOpen, path: '/knowledge', scope: 'knowledge:read' },
  ],
};
