import { MailX, ScrollText, ServerCrash, ShieldX } from 'lucide-react';
import type { Palette } from '../../app/feature.js';
import { operationsTexts } from '../../texts/operations.js';

const { sections } = operationsTexts;

export const operationsPalette: Palette = {
  actions: [
    { id: 'dead-letters', label: sections['dead-letters'].label, icon: MailX, path: '/operations/dead-letters' },
    { id: 'deliveries', label: sections.deliveries.label, icon: ServerCrash, path: '/operations/deliveries' },
    { id: 'refusals', label: sections.refusals.label, icon: ShieldX, path: '/operations/refusals' },
    { id: 'audit', label: sections.audit.label, icon: ScrollText, path: '/operations/audit' },
  ],
};
