import { answers } from './testing/readings/answers.js';
import { channels } from './testing/readings/channels.js';
import { findingsOf } from './testing/readings/findings.js';

describe.each(channels)('$name shows what is meant', (channel) => {
  it.each(answers)('$name', (answer) => {
    const findings = Object.entries(findingsOf(channel, answer));
    const by = (side: 'meant' | 'shown') =>
      Object.fromEntries(findings.map(([aspect, found]) => [aspect, found[side]]));
    expect(by('shown')).toEqual(by('meant'));
  });
});
