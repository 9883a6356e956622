import { Workflow } from 'lucide-react';
import type { Feature } from '../../app/feature.js';
import { navigationTexts } from '../../texts/navigation.js';

export const workflowsFeature: Feature = {
  navigation: [
    { group: 'build', label: navigationTexts.workflows, icon: Workflow, path: '/workflows', scope: 'workflows:read' },
  ],
};
