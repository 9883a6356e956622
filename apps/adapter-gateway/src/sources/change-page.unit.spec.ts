import { changePage } from './change-page.js';

const change = { path: 'a.txt', fingerprint: 'v1', status: 'added' };

it('a number as cursor or fingerprint is read as its digits', () => {
  expect(changePage({ changes: [{ ...change, fingerprint: 17 }], cursor: 5 })).toMatchObject({
    changes: [{ path: 'a.txt', fingerprint: '17' }],
    cursor: '5',
  });
  expect(changePage({ changes: [], cursor: 0 }).cursor).toBe('0');
});

it.each([
  [{ cursor: 'c'.repeat(5_000) }, 'cursor has 5000 bytes: a cursor has at most 4096'],
  [{ cursor: 'a\0' }, 'cursor contains U+0000'],
  [{ cursor: 1.5 }, 'cursor must be a text, not a number'],
  [{ cursor: null }, 'cursor must be a text, not missing'],
  [{ changes: [{ ...change, status: 'new' }] }, 'changes[0].status must be added, modified or removed, not "new"'],
  [{ changes: [{ ...change, status: 1 }] }, 'changes[0].status must be added, modified or removed, not a whole number'],
  [
    { changes: [{ ...change, fingerprint: 'f'.repeat(501) }] },
    'changes[0].fingerprint has 501 characters: one has at most 500',
  ],
  [{ changes: [{ ...change, fingerprint: {} }] }, 'changes[0].fingerprint must be a text, not an object'],
])('a page with %j is refused with the reason', (given, message) => {
  expect(() => changePage({ changes: [change], cursor: 'c', ...given })).toThrow(`/sources/list-changes: ${message}`);
});
