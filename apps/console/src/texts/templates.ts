import { named } from '../drawn/drawn-text.js';

export const templateTexts = {
  title: 'Templates',
  description: 'Fill a project with an agent, its tools and rules, and messages to try them with.',
  offer: 'Begin with a template',
  apply: 'Fill this project',
  rest: 'Make what is missing',
  complete: 'Everything is there',
  applied: (made: number) =>
    made === 0
      ? 'Nothing was missing.'
      : `${made === 1 ? 'One thing was' : `${made} things were`} made. Send a message to see the whole path.`,
  stopped: (name: string) =>
    `${named(name)} could not be made. What came before it is there; apply it once more for the rest.`,
  parts: 'What it makes',
  kinds: {
    tool: 'Python tool',
    skill: 'Skill',
    agent: 'Agent',
    credential: 'Credential',
    app: 'App',
    channel: 'Channel',
    workflow: 'Workflow',
    trigger: 'Trigger',
  },
  states: { missing: 'Not made yet', there: 'There', made: 'Made', failed: 'Failed' },
  samples: 'Try it',
  send: 'Send',
  sendNamed: (name: string) => `Send: ${named(name)}`,
  applyFirst: 'First fill the project: the message needs its App.',
  steps: 'Left to you',
  open: 'Open',
  lacksScopes: (scopes: string) => `Your role lacks ${scopes}. Ask a developer or an owner.`,
};
