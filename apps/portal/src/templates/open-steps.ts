import type { CallerApi } from './project-services.js';
import type { OpenStepKind, Template, TemplateNeed } from './template.js';
import type { Found } from './template-parts.js';

/** What the step is done at; the id is null while that is not made yet. */
export interface StepPlace {
  kind: 'models' | 'agent' | 'skill' | 'app' | 'apps' | 'knowledge';
  id: string | null;
}

export interface OpenStep extends TemplateNeed {
  done: boolean;
  resource: StepPlace;
}

interface App {
  id: string;
  kind: string;
  state: string;
  sender: string | null;
}

/** What a template cannot make, each with whether the project has it. */
export function openSteps(template: Template, api: CallerApi, found: Found): Promise<OpenStep[]> {
  return Promise.all(
    template.needs.map(async (need) => {
      const { isDone, place } = steps[need.kind];
      const resource = { kind: place.kind, id: place.part ? (found.get(place.part) ?? null) : null };
      const exists = !place.part || resource.id !== null;
      return { ...need, resource, done: exists && (await isDone(api, resource.id ?? '', need)) };
    }),
  );
}

interface Step {
  /** @param id of its place */
  isDone(api: CallerApi, id: string, need: TemplateNeed): Promise<boolean>;
  place: { kind: StepPlace['kind']; part?: string };
}

const steps: Readonly<Record<OpenStepKind, Step>> = {
  model: {
    isDone: async (api) => (await api.get<{ mode: string }>('model')).mode === 'connected',
    place: { kind: 'models' },
  },
  approver: {
    isDone: async (api, id) => (await api.get<{ approvers: string[] }>(`agents/${id}`)).approvers.length > 0,
    place: { kind: 'agent', part: 'agent' },
  },
  credential: {
    isDone: async (api, id, { credential }) =>
      (await api.get<{ credentials: { as: string }[] }>(`skills/${id}`)).credentials.some(
        ({ as }) => as === credential,
      ),
    place: { kind: 'skill', part: 'skill' },
  },
  sender: {
    isDone: async (api, id) => (await api.get<App>(`apps/${id}`)).sender !== null,
    place: { kind: 'app', part: 'app' },
  },
  reply_address: {
    isDone: async (api, id) =>
      (await api.get<{ reply_address: string | null }>(`channels/${id}`)).reply_address !== null,
    place: { kind: 'app', part: 'app' },
  },
  channel: {
    isDone: async (api) =>
      (await api.find<App>('apps', ({ kind, state }) => kind === 'adapter' && state !== 'retired')) !== null,
    place: { kind: 'apps' },
  },
  knowledge: {
    isDone: async (api) => (await api.get<{ data: unknown[] }>('knowledge?limit=1')).data.length > 0,
    place: { kind: 'knowledge' },
  },
};
