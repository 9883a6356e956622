import { named } from '../drawn/drawn-text.js';

/** Who answers the messages of an App. */
export const channelTexts = {
  intro: 'Who answers the messages of this App, and which messages share a conversation.',
  edit: 'Change',
  agent: 'Default agent',
  chiefOfStaff: 'Chief of Staff',
  sentence: {
    both: (agent: string) => `Messages reach the triggers and ${named(agent)}.`,
    chief_of_staff: (agent: string) => `Messages reach only ${named(agent)}, no triggers.`,
    triggers: () => 'Messages reach only the triggers. Nobody answers a message that matches none.',
    chief_of_staff_unless_triggered: (agent: string) =>
      `Messages reach the triggers. Those that no trigger takes reach ${named(agent)}.`,
  },
  session: {
    thread: 'One conversation for each thread.',
    contact: 'One conversation for each person.',
    channel: 'One conversation for the whole channel.',
  },
  unknown: {
    hold: 'Messages of unknown senders wait until somebody admits them.',
    pair: 'Unknown senders are asked for a pairing code.',
    open: 'Unknown senders are answered like everybody else.',
    drop: 'Messages of unknown senders are dropped.',
  },
  unknownBuiltin: 'The URL identifies the sender: every message is accepted.',
  form: {
    title: 'Channel',
    agent: 'Agent',
    useChief: 'The project’s Chief of Staff',
    route: 'Messages go to',
    routeHint: 'A message of the Webhook App that names a workflow always goes to that workflow alone.',
    routes: {
      both: 'The triggers and the agent',
      chief_of_staff_unless_triggered: 'The agent, unless a trigger takes them',
      chief_of_staff: 'The agent only',
      triggers: 'The triggers only',
    },
    session: 'What shares a conversation',
    sessions: { thread: 'A thread', contact: 'A person', channel: 'The whole channel' },
    unknown: 'Unknown senders',
    unknowns: {
      hold: 'Wait to be admitted',
      pair: 'Are asked for a code',
      open: 'Are answered',
      drop: 'Are dropped',
    },
    bots: 'Messages of bots reach',
    automatic: 'Automatic messages reach',
    reach: { triggers_only: 'Triggers only', chief_of_staff: 'The agent too' },
    inbox: 'Messages that arrive during a turn',
    inboxes: { queue: 'One turn for each message', collect: 'One turn for all' },
    reply: 'Reply address',
    replyHint: 'Where replies go when the message names no address. For a Webhook App: an http(s) URL.',
    idle: 'Start over after silence, in minutes',
    ttl: 'A reply is worth sending for, in minutes',
    ttlHint: 'Later it expires instead. Empty: it is tried for a day.',
    failure: 'Message to the sender when a turn fails',
    limit: 'Message to a sender who is paused or over a limit',
    limitHint:
      'Sent once. {limit} becomes the limit in a sentence, {until} the time at which it ends. Empty: nothing is sent.',
  },
  fields: {
    reply: 'Replies go to',
    idle: 'Starts over after',
    minutes: (count: number) => `${count} minutes of silence`,
    ttl: 'Replies expire after',
    ttlMinutes: (count: number) => `${Math.round(count * 10) / 10} minutes`,
  },
};
