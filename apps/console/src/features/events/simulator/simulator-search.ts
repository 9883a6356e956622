import { oneOf, searchOf, text } from '../../../app/search.js';

export const kinds = ['signed', 'unsigned', 'tampered', 'stale'] as const;
export const sources = ['sample', 'event', 'typed'] as const;

/** What the URL of the simulator says; what is typed is not in it. `toggled` is of the event's way beside the form. */
export const validateSimulatorSearch = searchOf({
  app: text,
  kind: oneOf(kinds),
  source: oneOf(sources),
  sample: text,
  event: text,
  toggled: text,
});
export type SimulatorSearch = ReturnType<typeof validateSimulatorSearch>;
