import { named } from '../drawn/drawn-text.js';

const plural = (count: number, one: string, many: string): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`;

export const mapTexts = {
  title: 'Map',
  description: 'Where messages come from, who gets them, and what they lead to. Counts are of the last 24 hours.',
  columns: {
    source: 'From',
    trigger: 'Triggers',
    workflow: 'Workflows',
    agent: 'Agents',
    tool: 'Tools',
    reply: 'Replies',
  },
  counts: {
    source: (count: number) => plural(count, 'message', 'messages'),
    trigger: (count: number) => plural(count, 'message', 'messages'),
    workflow: (count: number) => plural(count, 'run', 'runs'),
    agent: (count: number) => plural(count, 'turn', 'turns'),
    tool: (count: number) => plural(count, 'call', 'calls'),
    reply: (count: number) => `${count.toLocaleString()} delivered`,
  },
  failed: (count: number) => `${count.toLocaleString()} failed`,
  off: 'off',
  none: 'None',
  leadsTo: 'Leads to',
  more: (count: number) => `and ${plural(count, 'more', 'more')}`,
  byHand: 'By hand or API',
  anyMessage: 'Any message',
  skill: (name: string) => `Skill ${named(name)}`,
  failures: { title: 'What failed', none: 'Nothing failed in the last 24 hours.', problems: 'See the problems' },
  failure: (from: string, to: string, failed: number, count: number) =>
    `${named(from)} → ${named(to)}: ${failed.toLocaleString()} of ${count.toLocaleString()} failed`,
  nodeFailure: (name: string, failed: number) => `${named(name)}: ${failed.toLocaleString()} failed`,
  leftOut: (nodes: number, edges: number) =>
    `${plural(nodes, 'thing', 'things')} with the fewest messages and ${plural(edges, 'connection', 'connections')} are not drawn.`,
  notWhole: 'There are more turns than are counted here: these are the newest.',
  hidden: (scopes: readonly string[]) => `You do not see all of it: ${scopes.join(', ')} is missing.`,
  connect: 'Go to Integrations',
  empty: { title: 'Nothing to draw yet', text: 'Connect an App. Its messages, and who gets them, are drawn here.' },
};
