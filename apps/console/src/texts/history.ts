import { named } from '../drawn/drawn-text.js';

export const historyTexts = {
  tab: 'Versions',
  number: (version: number) => `Version ${version}`,
  states: { in_force: 'In force', draft: 'Draft', earlier: 'Earlier' },
  changed: (fields: readonly string[]) => `Changed: ${fields.join(', ')}`,
  first: 'The first version.',
  same: 'The version before it is no longer kept.',
  restoredFrom: (version: number) => `Version ${version}, restored.`,
  gatehouse: 'Gatehouse',
  nobody: 'somebody; it is not known who',
  madeBy: (who: string) => `Made by ${named(who)}`,
  inForceBy: (who: string) => `put in force by ${named(who)}`,
  show: 'Show what changed',
  hide: 'Hide what changed',
  against: (version: number) => `Against version ${version}`,
  more: 'Show more',
  empty: {
    title: 'No versions yet',
    text: 'It is as it was made. Each change from now on is a version, which can be restored.',
  },
  restore: 'Restore',
  restoreTitle: (version: number) => `Restore version ${version}`,
  restoreHint: (inForce: number) =>
    `It becomes a new version, which replaces version ${inForce} at once. This is what changes:`,
  restored: (version: number) => `It is as it was in version ${version}.`,
  why: 'Why',
  changedBy: (who: string) => `Changed by ${named(who)}`,
};
