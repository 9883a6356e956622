import { ShieldCheck } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Palette } from '../../app/feature.js';
import { found } from '../../app/named.js';
import { own } from '../../own.js';
import { approvalTexts } from '../../texts/approvals.js';
import { uiTexts } from '../../texts/ui.js';

export const approvalsPalette: Palette = {
  label: approvalTexts.palette,
  scope: 'agents:read',
  search: async (query, signal) => {
    const { data } = await answer(
      api.GET('/api/v1/approvals', { params: { query: { search: query, limit: found } }, signal }),
    );
    return data.map(({ id, tool, state }) => ({
      id,
      label: tool,
      description: own(uiTexts.outcomes, state),
      icon: ShieldCheck,
      path: `/approvals/${id}`,
    }));
  },
};
