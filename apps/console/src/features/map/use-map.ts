import { useAgents, useApps, useSkills, useTools } from '../../api/choices.js';
import { answer, api } from '../../api/client.js';
import { useProjectQuery } from '../../api/project-query.js';
import { hasScope, useSession } from '../../api/session.js';
import { collectMap } from './collect-map.js';
import { type DrawnMap, drawn } from './map-model.js';

const everyMs = 15_000;
const dayMs = 86_400_000;
/** What parts of the map need. */
const needed = ['apps:read', 'channels:read', 'workflows:read', 'agents:read', 'tools:read', 'events:read'];

interface ProjectMap {
  map: DrawnMap;
  loading: boolean;
  error: Error | null;
  /** False: only the newest turns were counted. */
  whole: boolean;
  /** Scopes that the reader lacks. */
  lacks: string[];
}

/** The map of the project, as it is now. */
export function useMap(): ProjectMap {
  const { scopes } = useSession();
  const may = (scope: string): boolean => hasScope(scopes, scope);
  const apps = useApps();
  const agents = useAgents({ enabled: may('agents:read') });
  const skills = useSkills({ enabled: may('tools:read') });
  const tools = useTools({ enabled: may('tools:read') });
  const channels = useProjectQuery(['channels', 'all'], (signal) => answer(api.GET('/api/v1/channels', { signal })), {
    enabled: may('channels:read'),
  });
  const triggers = useProjectQuery(['triggers', 'map'], (signal) => answer(api.GET('/api/v1/triggers', { signal })));
  const workflows = useProjectQuery(['workflows', 'map'], (signal) => answer(api.GET('/api/v1/workflows', { signal })));
  const schedules = useProjectQuery(['schedules', 'map'], (signal) => answer(api.GET('/api/v1/schedules', { signal })));
  const statistics = useProjectQuery(
    ['statistics', 'map'],
    (signal) => {
      const query = { from: new Date(Date.now() - dayMs).toISOString(), step: 'hour' as const };
      return answer(api.GET('/api/v1/statistics/messages', { params: { query }, signal }));
    },
    { refetchInterval: everyMs, enabled: may('events:read') },
  );
  const paths = useProjectQuery(['usage', 'paths'], (signal) => answer(api.GET('/api/v1/usage/paths', { signal })), {
    refetchInterval: everyMs,
    enabled: may('agents:read'),
  });
  const asked = [apps, agents, skills, tools, channels, triggers, workflows, schedules, statistics, paths];
  const map = collectMap({
    apps: apps.data ?? [],
    channels: channels.data?.data ?? [],
    triggers: triggers.data?.data ?? [],
    workflows: workflows.data?.data ?? [],
    schedules: schedules.data?.data ?? [],
    agents: agents.data ?? [],
    skills: skills.data ?? [],
    tools: tools.data ?? [],
    statistics: statistics.data?.apps ?? [],
    paths: paths.data,
  });
  return {
    map: drawn(map),
    loading: asked.some(({ isLoading }) => isLoading),
    error: asked.find(({ error }) => error)?.error ?? null,
    whole: paths.data?.whole !== false,
    lacks: needed.filter((scope) => !may(scope)),
  };
}
