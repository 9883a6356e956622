import type { Credentials } from '../../call-context.js';
import { checkAnswer, ContractViolation } from '../../contract-violation.js';
import type { JsonObject } from '../../json-value.js';
import type { Answer } from '../adapter-calls.js';
import { answered, expectThat, includes, need } from '../check.js';
import type { Kit } from '../kit.js';
import type { Point } from './point.js';

const PLAIN = 'Plain words, one (or two) of them in brackets.\n\nA second paragraph: 3 * 4 = 12, snake_case stays.';
const BROADCASTS = 'Hello <!channel>, <!here|@here> and @here, @channel and @everyone.';
const RICH =
  '# Title\n\nSome **bold** and _soft_ words with `code`, a [link](https://example.com) and a list:\n\n- one\n- two';

export const formatting: Point = {
  number: 10,
  title: '/format is pure, and safe for everyone in the channel',
  async run(kit) {
    const check = (name: string, title: string, advice: string, run: () => Promise<void>): Promise<void> =>
      kit.check(`10.${name}`, title, advice, async () => {
        kit.needsCapability('send');
        await run();
      });
    await check('golden', 'formats the golden table as agreed', 'Correct the rendering, or the table.', async () => {
      for (const { text, mode, expect } of need(kit.fixtures.format, 'format')) {
        const { answer, result } = await format(kit, text, mode);
        expectThat(includes(result, expect), answer, JSON.stringify(expect));
      }
    });
    await check(
      'plain',
      'leaves plain text alone',
      'In mode plain, text without Markdown comes out as it went in.',
      async () => {
        const { answer, result } = await format(kit, PLAIN, 'plain');
        expectThat(result.text === PLAIN, answer, `the text unchanged: ${JSON.stringify(PLAIN)}`, result.text);
      },
    );
    await check('pure', 'gives the same output for the same input', 'Use no time, random value or state.', async () => {
      for (const mode of ['rich', 'plain'] as const) {
        const [first, second] = [await format(kit, RICH, mode), await format(kit, RICH, mode)];
        expectThat(includes(first.result, second.result), second.answer, `as before: ${first.answer.text}`);
      }
    });
    await check(
      'credentials',
      'gives the same output whatever the credentials are',
      'Do not read the credentials: a text is rendered the same for every account.',
      async () => {
        for (const mode of ['rich', 'plain'] as const) {
          const { result } = await format(kit, RICH, mode);
          const without = await format(kit, RICH, mode, undefined, {});
          expectThat(
            includes(without.result, result),
            without.answer,
            `as with credentials: ${JSON.stringify(result)}`,
          );
        }
      },
    );
    await check(
      'broadcast',
      'makes broadcast mentions inert',
      'Break <!channel>, @here and their kind, as with a zero-width space: an agent must not notify a whole channel.',
      async () => {
        for (const mode of ['rich', 'plain'] as const) {
          const { answer, result } = await format(kit, BROADCASTS, mode);
          const found = /<!(?:channel|here)|@(?:here|channel|everyone)\b/.exec(String(result.text))?.[0];
          expectThat(found === undefined, answer, 'no mention that notifies everyone', found);
        }
      },
    );
    await check(
      'parts',
      'keeps its parts within max_length',
      'Split what is longer, count what the provider counts.',
      async () => {
        const { answer, result } = await format(kit, 'word '.repeat(100), 'plain', 50);
        const parts: unknown[] = Array.isArray(result.parts) ? result.parts : [];
        const fit = parts.length > 0 && parts.every((part) => typeof part === 'string' && part.length <= 50);
        expectThat(fit, answer, 'parts of at most 50 characters');
      },
    );
  },
};

async function format(
  kit: Kit,
  text: string,
  mode: 'rich' | 'plain',
  maxLength?: number,
  credentials: Credentials = kit.credentials,
): Promise<{ answer: Answer; result: JsonObject }> {
  const request = { credentials, text, mode, ...(maxLength !== undefined && { max_length: maxLength }) };
  const answer = await kit.adapter.post('/format', request);
  const result = answered(answer);
  try {
    checkAnswer('format', result);
  } catch (error) {
    if (!(error instanceof ContractViolation)) throw error;
    expectThat(false, answer, 'a formatted text', error.message);
  }
  return { answer, result };
}
