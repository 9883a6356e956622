import { timesOf } from './refresh-schedule.js';

const renewable = { refreshIdle: null, renewable: true, floor: 5 };

describe('timesOf', () => {
  it.each<[string, Parameters<typeof timesOf>[0], { expiresIn: number | null; dueIn: number | null }]>([
    ['a fifth before the end of a long life', { expiresIn: 3_600, ...renewable }, { expiresIn: 3_600, dueIn: 2_880 }],
    ['five minutes before the end of a short one', { expiresIn: 900, ...renewable }, { expiresIn: 900, dueIn: 600 }],
    ['at half of a very short one', { expiresIn: 60, ...renewable }, { expiresIn: 60, dueIn: 30 }],
    [
      'of an hour when the provider says nothing',
      { expiresIn: null, ...renewable },
      { expiresIn: 3_600, dueIn: 2_880 },
    ],
    [
      'never for a token without an end',
      { expiresIn: null, refreshIdle: null, renewable: false, floor: 5 },
      { expiresIn: null, dueIn: null },
    ],
    [
      'before an idle refresh token is forgotten',
      { expiresIn: 90 * 86_400, refreshIdle: 14 * 86_400, renewable: true, floor: 5 },
      { expiresIn: 90 * 86_400, dueIn: 7 * 86_400 },
    ],
    ['not before the floor', { expiresIn: 1, ...renewable }, { expiresIn: 10, dueIn: 5 }],
    [
      'not before the floor, whatever its refresh token needs',
      { expiresIn: 3_600, refreshIdle: 1, renewable: true, floor: 5 },
      { expiresIn: 3_600, dueIn: 5 },
    ],
    [
      'within the range of dates',
      { expiresIn: 1e300, refreshIdle: 1e300, renewable: true, floor: 5 },
      { expiresIn: 315_360_000, dueIn: 252_288_000 },
    ],
  ])('replaces a token %s', (_what, given, expected) => {
    expect(timesOf(given, 0)).toEqual(expected);
  });

  it('is early by chance, never late', () => {
    expect(timesOf({ expiresIn: 3_600, ...renewable }, 1).dueIn).toBe(2_700);
  });
});
