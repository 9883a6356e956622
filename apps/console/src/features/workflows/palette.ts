import { Workflow } from 'lucide-react';
import { answer, api } from '../../api/client.js';
import type { Palette } from '../../app/feature.js';
import { workflowTexts } from '../../texts/workflows.js';

const found = 6;

export const workflowsPalette: Palette = {
  label: workflowTexts.palette.search,
  scope: 'workflows:read',
  search: async (query, signal) => {
    if (/^run_\w+$/.test(query))
      return [{ id: query, label: `${workflowTexts.run.title} ${query}`, icon: Workflow, path: `/runs/${query}` }];
    const { data } = await answer(api.GET('/api/v1/workflows', { signal }));
    const wanted = query.toLowerCase();
    return data
      .filter(({ name }) => name.toLowerCase().includes(wanted))
      .slice(0, found)
      .map(({ id, name }) => ({ id: `workflow ${id}`, label: name, icon: Workflow, path: `/workflows/${id}` }));
  },
};
