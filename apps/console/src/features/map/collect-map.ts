import type { Schema } from '../../api/client.js';
import { mapTexts as texts } from '../../texts/map.js';
import { uiTexts } from '../../texts/ui.js';
import { MapDraft } from './map-model.js';

export interface MapFacts {
  apps: readonly Schema<'AppView'>[];
  channels: readonly Schema<'ChannelView'>[];
  triggers: readonly Schema<'TriggerView'>[];
  workflows: readonly Schema<'WorkflowView'>[];
  schedules: readonly Schema<'ScheduleView'>[];
  agents: readonly Schema<'AgentView'>[];
  skills: readonly Schema<'SkillView'>[];
  tools: readonly Schema<'ToolView'>[];
  statistics: readonly Schema<'AppStatistics'>[];
  paths: Schema<'TurnPathsView'> | undefined;
}

const sum = (counts: readonly { count: number }[]): number => counts.reduce((all, { count }) => all + count, 0);
const byHand = 'hand';

/** How the parts of a project are connected, with the counts of the last day. */
export function collectMap(facts: MapFacts): MapDraft {
  const map = new MapDraft();
  addSources(map, facts);
  addRules(map, facts);
  addAgents(map, facts);
  addPaths(map, facts);
  return map;
}

function addSources(map: MapDraft, { apps, statistics, schedules }: MapFacts): void {
  for (const { id, name, state } of apps.filter((app) => app.state !== 'retired')) {
    const path = `/integrations/${id}` as const;
    map.node({ id, column: 'source', name, path, off: state === 'paused' || state === 'disabled' });
    const counts = statistics.find(({ app_id }) => app_id === id);
    if (!counts) continue;
    map.count(id, counts.received, sum(counts.outcomes.filter(({ outcome }) => outcome === 'dead')));
    const delivered = counts.deliveries.filter(({ label }) => label === 'delivered');
    const lost = sum(counts.deliveries) - sum(delivered);
    if (counts.deliveries.length === 0) continue;
    map.node({ id: `reply ${id}`, column: 'reply', name, path });
    map.count(`reply ${id}`, sum(delivered), lost);
  }
  for (const { id, name, active } of schedules) {
    map.node({ id: `schedule:${id}`, column: 'source', name, path: `/schedules/${id}`, off: !active });
  }
}

function addRules(map: MapDraft, { apps, channels, triggers, workflows, schedules, agents }: MapFacts): void {
  const chief = agents.find(({ is_chief_of_staff }) => is_chief_of_staff)?.id;
  for (const { id, name, status, agent_id } of workflows) {
    map.node({ id: workflowNode(id), column: 'workflow', name, path: `/workflows/${id}`, off: status !== 'active' });
    const agent = agent_id ?? chief;
    if (agent) map.edge(workflowNode(id), agent);
  }
  for (const trigger of triggers) {
    const { id, app_id, workflow_id, active } = trigger;
    const path = `/workflows/${workflow_id}/triggers/${id}` as const;
    map.node({ id, column: 'trigger', name: nameOfTrigger(trigger), path, off: !active });
    map.edge(app_id, id);
    map.edge(id, workflowNode(workflow_id));
  }
  for (const { id, workflow_id, agent_id } of schedules) {
    const to = workflow_id === null ? (agent_id ?? chief) : workflowNode(workflow_id);
    if (to) map.edge(`schedule:${id}`, to);
  }
  for (const { id } of apps) {
    const channel = channels.find(({ app_id }) => app_id === id);
    const agent = channel?.agent_id ?? chief;
    if (agent && channel?.route_policy !== 'triggers') map.edge(id, agent);
  }
}

function addAgents(map: MapDraft, { agents, skills, tools }: MapFacts): void {
  for (const { id, name, skills: has, python_tools: python } of agents) {
    map.node({ id, column: 'agent', name, path: `/agents/${id}` });
    for (const skill of skills.filter((one) => has.includes(one.id))) {
      map.node({ id: skill.id, column: 'tool', name: texts.skill(skill.name), path: `/skills/${skill.id}` });
      map.edge(id, skill.id);
    }
    for (const tool of tools.filter((one) => python.includes(one.id))) {
      map.node({ id: tool.id, column: 'tool', name: tool.name, path: `/tools/${tool.id}` });
      map.edge(id, tool.id);
    }
  }
}

/** What ran in the last day, also through what is not configured any more. */
function addPaths(map: MapDraft, { apps, workflows, agents, paths }: MapFacts): void {
  const chief = agents.find(({ is_chief_of_staff }) => is_chief_of_staff);
  if (!chief) map.node({ id: 'chief', column: 'agent', name: uiTexts.chiefOfStaff, path: null });
  for (const { app_id, trigger_id, workflow_id, agent_id, turns, failed } of paths?.paths ?? []) {
    const source = map.nodes.has(app_id) ? app_id : byHand;
    if (source === byHand) map.node({ id: byHand, column: 'source', name: texts.byHand, path: null });
    if (!apps.some(({ id }) => id === app_id)) map.count(source, turns);
    const agent = agent_id ?? workflows.find(({ id }) => id === workflow_id)?.agent_id ?? chief?.id ?? 'chief';
    const workflow = workflow_id === null ? null : workflowNode(workflow_id);
    const way = [source, trigger_id, workflow, agent].flatMap((id) => (id !== null && map.nodes.has(id) ? [id] : []));
    for (const [at, to] of way.slice(1).entries()) {
      const from = way[at] ?? source;
      // A turn fails at its agent.
      map.edge(from, to, turns, to === agent ? failed : 0);
      map.count(to, turns, to === agent ? failed : 0);
    }
    if (map.nodes.has(`reply ${app_id}`)) map.edge(agent, `reply ${app_id}`, turns - failed);
  }
  for (const { agent_id, tool, tool_id, calls, failed } of paths?.tools ?? []) {
    const id = tool_id ?? `builtin ${tool}`;
    map.node({ id, column: 'tool', name: tool, path: tool_id ? `/tools/${tool_id}` : '/tools' });
    map.edge(agent_id, id, calls, failed);
    map.count(id, calls, failed);
  }
}

const workflowNode = (id: number): string => `workflow ${id}`;

function nameOfTrigger({ event_types: types, where }: Schema<'TriggerView'>): string {
  return where ?? (types.length > 0 ? types.join(', ') : texts.anyMessage);
}
