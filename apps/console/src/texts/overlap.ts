/** How long a replaced secret stays valid. */
export const overlapTexts = {
  label: 'The old one stays valid',
  choices: { '0': 'Not at all', '3600': 'For an hour', '86400': 'For a day', '604800': 'For a week' },
  until: 'The old one is accepted too, until',
};
