import { named } from '../drawn/drawn-text.js';

/** How others ask an agent over A2A and MCP. */
export const publishTexts = {
  title: 'Let others ask it',
  published: 'Others may ask it',
  hint:
    'Agents of other organizations ask it over A2A, assistants of people over MCP, with an API key that has agents:ask. ' +
    'What they ask is a message like any other: the caller is a contact, unknown until you admit it.',
  name: 'Name for callers',
  nameHint: (name: string) => `Assistants see the tool ask_${name}. Lower-case letters, digits and _.`,
  description: 'What it is for',
  descriptionHint: 'For callers and their models: what to ask it, and what it answers. Anybody may read it.',
  needsDescription: 'Say what it is for.',
  examples: 'Examples',
  examplesHint: 'Questions that it answers. Press Enter after each.',
  publish: 'Publish',
  unpublish: 'Unpublish',
  unpublishQuestion: 'Nobody can ask it from then on. Tasks that run go on, and their callers get the answers.',
  card: 'What callers see',
  connect: 'How they connect',
  publishedBy: (name: string) => `Published by ${named(name)}`,
  keyHint: 'Each caller needs an API key of its own with the scope agents:ask: the key is the contact.',
  makeKey: 'Make a key',
  cardUrl: 'Agent card',
  cardUrlHint: 'For A2A clients. It is signed.',
  a2aUrl: 'A2A address',
  mcpUrl: 'MCP address',
  mcpUrlHint: 'All published agents of this project',
  config: 'Configuration of an MCP client',
};
