import { Plug } from 'lucide-react';
import type { Feature } from '../../app/feature.js';
import { navigationTexts } from '../../texts/navigation.js';

export const mcpServersFeature: Feature = {
  navigation: [
    { group: 'build', label: navigationTexts.mcpServers, icon: Plug, path: '/mcp-servers', scope: 'tools:read' },
  ],
};
