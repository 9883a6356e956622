// What people read of an agent's answers, channel by channel: the findings of the tests.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { root } from '../launcher/project.mjs';
import { head, row } from './sources.mjs';

/** @typedef {{ meant: unknown, shown: unknown }} Finding */
const holds = (/** @type {Finding} */ { meant, shown }) => isDeepStrictEqual(meant, shown);
/** @typedef {{ name: string, reader: string, isPlain?: boolean, hasNoBackticks?: boolean, notifies?: string }} Channel */

const readings = (/** @type {string} */ file) =>
  import(pathToFileURL(join(root, 'dist/apps/adapters/src/testing/readings', `${file}.js`)).href);

/** @returns {Promise<string>} the page */
export async function outboundPage() {
  const [{ answers }, { channels }, { ASPECTS, findingsOf }, { callsOf, notifiedBy }, { scripts }] = await Promise.all(
    ['answers', 'channels', 'findings', 'names', 'scripts'].map(readings),
  );
  /** @type {{ channel: Channel, answer: { name: string }, aspect: string, is: boolean }[]} */
  const found = channels.flatMap((/** @type {Channel} */ channel) =>
    answers.flatMap((/** @type {{ name: string }} */ answer) =>
      Object.entries(findingsOf(channel, answer)).map(([aspect, finding]) => ({
        channel,
        answer,
        aspect,
        is: holds(/** @type {Finding} */ (finding)),
      })),
    ),
  );
  const share = (/** @type {(one: (typeof found)[number]) => boolean} */ among) => {
    const all = found.filter(among);
    return all.length === 0 ? '' : `${all.filter(({ is }) => is).length} of ${all.length}`;
  };
  const called = (/** @type {Channel} */ channel) => {
    const calls = callsOf(channel);
    const quiet = calls.filter((/** @type {string} */ call) => notifiedBy(channel, call).length === 0);
    return calls.length === 0 ? '' : `${quiet.length} of ${calls.length}`;
  };
  const broken = found.filter(({ is }) => !is);
  return [
    '# What is kept of what is sent',
    '',
    `${answers.length} answers, seven kinds in each of ${scripts.length} scripts, are written for each channel and read back by a parser that nothing here is`,
    'rendered with. A cell says how many hold of those that have the thing: all words in order, what is bold, struck and code, and where links lead. The',
    'last column counts the ways to write a name that would call somebody, and of how many nobody is called. An empty cell: the channel has no such thing.',
    '`npm test -- what-people-read who-is-notified` runs the same; `node scripts/reference.mjs --print outbound` prints this page.',
    '',
    head('Channel', 'Read by', 'Words', 'Bold', 'Struck', 'Code', 'Links', 'Calls nobody'),
    ...channels.map((/** @type {Channel} */ channel) =>
      row(
        channel.name,
        channel.reader,
        ...ASPECTS.map((/** @type {string} */ aspect) =>
          share((one) => one.channel === channel && one.aspect === aspect),
        ),
        called(channel),
      ),
    ),
    '',
    'Slack and WhatsApp show no backtick within code, so code with one is not counted there.',
    '',
    '## By script',
    '',
    head('Channel', ...scripts.map((/** @type {{ name: string }} */ { name }) => name)),
    ...channels.map((/** @type {Channel} */ channel) =>
      row(
        channel.name,
        ...scripts.map((/** @type {{ name: string }} */ { name }) =>
          share((one) => one.channel === channel && one.answer.name.startsWith(`${name}, `)),
        ),
      ),
    ),
    '',
    '## What breaks',
    '',
    ...(broken.length === 0
      ? ['Nothing of these answers.']
      : [
          head('Channel', 'Answer', 'What'),
          ...broken.map((one) => row(one.channel.name, one.answer.name, one.aspect)),
        ]),
  ].join('\n');
}
