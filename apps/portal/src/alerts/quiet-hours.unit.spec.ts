import { isQuiet, isTimeZone } from './quiet-hours.js';

const night = { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin', weekends: false };

describe('quiet hours', () => {
  it.each([
    ['2026-01-14T21:00:00Z', true, 'at 22:00 in Berlin'],
    ['2026-01-14T20:59:00Z', false, 'a minute before'],
    ['2026-01-15T02:00:00Z', true, 'after midnight'],
    ['2026-01-15T06:00:00Z', false, 'at 07:00 in Berlin'],
    ['2026-07-14T20:00:00Z', true, 'at 22:00 in summer time'],
    ['2026-07-15T05:00:00Z', false, 'at 07:00 in summer time'],
    // The night in which the clock goes from 02:00 to 03:00.
    ['2026-03-29T04:59:00Z', true, 'at 06:59 after the clock changed'],
    ['2026-03-29T05:00:00Z', false, 'at 07:00 after the clock changed'],
  ])('at %s are %s: %s', (at, expected) => {
    expect(isQuiet(night, new Date(at))).toBe(expected);
  });

  it('within a day end on that day', () => {
    const noon = { ...night, from: '12:00', to: '13:00', time_zone: 'UTC' };
    expect(isQuiet(noon, new Date('2026-01-14T12:30:00Z'))).toBe(true);
    expect(isQuiet(noon, new Date('2026-01-14T23:00:00Z'))).toBe(false);
  });

  it('of weekends are all day, by the clock of the time zone', () => {
    const free = { ...night, weekends: true };
    expect(isQuiet(free, new Date('2026-01-17T12:00:00Z'))).toBe(true);
    // Sunday, 23:30 in Auckland.
    expect(
      isQuiet({ ...free, from: '01:00', to: '02:00', time_zone: 'Pacific/Auckland' }, new Date('2026-01-18T10:30:00Z')),
    ).toBe(true);
    expect(isQuiet({ ...free, from: '01:00', to: '02:00' }, new Date('2026-01-19T12:00:00Z'))).toBe(false);
  });

  it('are none without them', () => {
    expect(isQuiet(null, new Date())).toBe(false);
  });

  it('know the names of time zones', () => {
    expect(['Europe/Berlin', 'UTC', 'Mars/Base'].map(isTimeZone)).toEqual([true, true, false]);
  });
});
