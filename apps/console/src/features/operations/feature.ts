import { Gauge, MailX, ScrollText, ServerCrash, ShieldX } from 'lucide-react';
import type { Feature } from '../../app/feature.js';
import { operationsTexts } from '../../texts/operations.js';

const { sections } = operationsTexts;

export const operationsFeature: Feature = {
  navigation: [
    { group: 'operate', label: operationsTexts.nav, icon: Gauge, path: '/operations', scope: 'events:read' },
  ],
  actions: [
    { id: 'dead-letters', label: sections['dead-letters'].label, icon: MailX, path: '/operations/dead-letters' },
    { id: 'deliveries', label: sections.deliveries.label, icon: ServerCrash, path: '/operations/deliveries' },
    { id: 'refusals', label: sections.refusals.label, icon: ShieldX, path: '/operations/refusals' },
    { id: 'audit', label: sections.audit.label, icon: ScrollText, path: '/operations/audit' },
  ],
};
