import { channels } from './testing/readings/channels.js';
import { callsOf, notifiedBy } from './testing/readings/names.js';
import { wordsOf } from './testing/readings/reading.js';

describe.each(channels.filter(({ notifies }) => notifies))('$name notifies nobody', (channel) => {
  const { name, send, read } = channel;

  it.each(callsOf(channel))('%j', (markdown) => {
    expect(notifiedBy(channel, markdown)).toEqual([]);
  });

  it('in code, addresses and mail addresses nothing changes', () => {
    const code = ['@Override', 'a @here b', '@channel'];
    const text = `\`${code[0]}\`\n\n    ${code[1]}\n\n> \`\`\`\n> ${code[2]}\n> \`\`\`\n\nada@here.example https://example.com/@here [a](https://example.com/@octocat)`;
    const sent = send(text);
    const reading = read(sent);
    expect(reading.code).toEqual(code);
    expect(wordsOf(reading.text)).toContain('ada@here.example https://example.com/@here');
    expect(sent).not.toMatch(/\/@\u200b/);
    if (name !== 'Discord') expect(sent).not.toContain('ada@\u200b');
  });

  it('a text that is written again stays as it is', () => {
    if (name === 'GitHub') for (const call of callsOf(channel)) expect(send(send(call))).toBe(send(call));
  });
});
