import { isDeepStrictEqual } from 'node:util';
import { answered, expectThat, survived } from '../check.js';
import type { Point } from './point.js';

export const http: Point = {
  number: 15,
  title: 'HTTP is answered as HTTP asks',
  async run(kit) {
    await kit.check('15.method', 'answers 405 to a wrong method', 'Answer 405 with Allow.', async () => {
      for (const [method, path] of [
        ['GET', '/verify'],
        ['POST', '/health'],
        ['DELETE', '/manifest.json'],
      ] as const) {
        const answer = await kit.adapter.send(method, path, method === 'POST' ? '{}' : undefined);
        expectThat(answer.status === 405, answer, 'HTTP 405', answer.status);
      }
    });
    await kit.check('15.path', 'answers 404 to an unknown path', 'Answer 404.', async () => {
      const answer = await kit.adapter.get('/no-such-path');
      expectThat(answer.status === 404, answer, 'HTTP 404', answer.status);
    });
    await kit.check(
      '15.mcp',
      'serves no /mcp',
      'An adapter holds channel logic only: tools belong to a Skill (section 1).',
      async () => {
        for (const answer of [await kit.adapter.get('/mcp'), await kit.adapter.post('/mcp', {})]) {
          expectThat(answer.status === 404, answer, 'HTTP 404', answer.status);
        }
      },
    );
    await kit.check(
      '15.unknown-fields',
      'tolerates fields that it does not know',
      'Ignore them: the contract grows.',
      async () => {
        const credentials = kit.credentials;
        const bare = answered(await kit.adapter.post('/verify', { credentials }));
        const more = await kit.adapter.post('/verify', { credentials, unknown_field: { a: [1] }, another: null });
        expectThat(isDeepStrictEqual(answered(more), bare), more, `the same as without: ${JSON.stringify(bare)}`);
      },
    );
    await kit.check(
      '15.malformed',
      'survives a body that is not a JSON object',
      'Answer 400 with a JSON error.',
      async () => {
        for (const body of ['', '{', 'null', '[]', '"text"']) survived(await kit.adapter.send('POST', '/verify', body));
      },
    );
  },
};
