import { oneOf, searchOf, text } from '../../../app/search.js';

export const kinds = ['signed', 'unsigned', 'tampered', 'stale'] as const;
export const sources = ['sample', 'event', 'typed'] as const;

/** The URL parameters of the simulator, without what is typed. `toggled` belongs to the timeline beside the form. */
export const validateSimulatorSearch = searchOf({
  app: text,
  kind: oneOf(kinds),
  source: oneOf(sources),
  sample: text,
  event: text,
  toggled: text,
});
export type SimulatorSearch = ReturnType<typeof validateSimulatorSearch>;
