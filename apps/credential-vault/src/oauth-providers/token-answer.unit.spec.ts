import { normalise, retryAfterSeconds } from './token-answer.js';

const json = (body: unknown, status = 200) => ({
  status,
  contentType: 'application/json',
  retryAfter: null,
  body: JSON.stringify(body),
});

describe('normalise', () => {
  it.each<[string, Parameters<typeof normalise>, { status: number; fields: object | null }]>([
    [
      'fills in token_type',
      [json({ access_token: 'a' }), {}],
      { status: 200, fields: { access_token: 'a', token_type: 'bearer' } },
    ],
    [
      'drops null and empty fields',
      [json({ access_token: 'a', refresh_token: null, scope: '' }), {}],
      { status: 200, fields: { access_token: 'a', token_type: 'bearer' } },
    ],
    [
      'takes 201 as 200',
      [json({ access_token: 'a' }, 201), {}],
      { status: 200, fields: { access_token: 'a', token_type: 'bearer' } },
    ],
    [
      'joins a scope list',
      [json({ access_token: 'a', scope: ['x', 'y'] }), {}],
      { status: 200, fields: { access_token: 'a', token_type: 'bearer', scope: 'x y' } },
    ],
    [
      'takes an error out of a 200',
      [json({ ok: false, error: 'bad_code' }), {}],
      { status: 400, fields: { ok: false, error: 'bad_code' } },
    ],
    [
      'lifts nested tokens',
      [json({ team: { id: 'T1' }, user: { access_token: 'u' } }), { token_path: 'user' }],
      {
        status: 200,
        fields: { team: { id: 'T1' }, user: { access_token: 'u' }, access_token: 'u', token_type: 'bearer' },
      },
    ],
    ['knows no page as an answer', [{ ...json(''), body: '<html>' }, {}], { status: 200, fields: null }],
  ])('%s', (_what, given, expected) => {
    expect(normalise(...given)).toMatchObject(expected);
  });

  it.each(['application/x-www-form-urlencoded', 'text/plain'])('reads a form body sent as %s', (contentType) => {
    const { fields } = normalise({ status: 200, contentType, retryAfter: null, body: 'access_token=a&scope=x' }, {});
    expect(fields).toMatchObject({ access_token: 'a', scope: 'x' });
  });
});

describe('retryAfterSeconds', () => {
  it('reads seconds and dates, within bounds', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    const given = ['45', 'Thu, 01 Jan 2026 00:02:00 GMT', '999999999', 'soon', undefined];
    expect(given.map((value) => retryAfterSeconds(value, now))).toEqual([45, 120, 86_400, null, null]);
  });
});
