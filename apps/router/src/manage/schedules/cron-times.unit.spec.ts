import { CronProblem, CronTimes } from './cron-times.js';
import { localTime } from './time-zone.js';

const timesOf = (cron: string, zone: string, from: string, count: number): string[] =>
  new CronTimes(cron, zone).times(Date.parse(from), count).map((ms) => new Date(ms).toISOString().slice(0, 16));

describe('the times of a cron expression', () => {
  it.each<[title: string, cron: string, zone: string, from: string, times: string[]]>([
    [
      'a day by the clock of the zone',
      '0 9 * * *',
      'Europe/Berlin',
      '2026-03-28T00:00Z',
      ['2026-03-28T08:00', '2026-03-29T07:00', '2026-03-30T07:00'],
    ],
    [
      'a local time that does not exist runs when the clock has jumped',
      '30 2 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00Z',
      ['2026-03-29T01:00', '2026-03-30T00:30'],
    ],
    [
      'several of them run once together',
      '*/10 2 * * *',
      'Europe/Berlin',
      '2026-03-29T00:00Z',
      ['2026-03-29T01:00', '2026-03-30T00:00'],
    ],
    [
      'they are one with the time to which the clock jumps',
      '0 2,3 * * *',
      'Europe/Berlin',
      '2026-03-28T12:00Z',
      ['2026-03-29T01:00', '2026-03-30T00:00'],
    ],
    [
      'a local time that exists twice runs at the first',
      '30 2 * * *',
      'Europe/Berlin',
      '2026-10-24T12:00Z',
      ['2026-10-25T00:30', '2026-10-26T01:30'],
    ],
    ['also when asked between the two', '30 2 * * *', 'Europe/Berlin', '2026-10-25T01:10Z', ['2026-10-26T01:30']],
    [
      'named minutes of a repeated hour run once',
      '*/30 2 * * *',
      'Europe/Berlin',
      '2026-10-24T12:00Z',
      ['2026-10-25T00:00', '2026-10-25T00:30', '2026-10-26T01:00'],
    ],
    [
      'every hour runs in both of a repeated hour',
      '0 * * * *',
      'Europe/Berlin',
      '2026-10-24T23:30Z',
      ['2026-10-25T00:00', '2026-10-25T01:00', '2026-10-25T02:00'],
    ],
    [
      'every hour leaves out what the clock leaves out',
      '30 * * * *',
      'Europe/Berlin',
      '2026-03-29T00:00Z',
      ['2026-03-29T00:30', '2026-03-29T01:30', '2026-03-29T02:30'],
    ],
    [
      'a shift of half an hour',
      '15 2 * * *',
      'Australia/Lord_Howe',
      '2026-10-02T16:00Z',
      ['2026-10-03T15:30', '2026-10-04T15:15'],
    ],
    [
      'a midnight that does not exist',
      '0 0 * * *',
      'America/Santiago',
      '2026-09-05T05:00Z',
      ['2026-09-06T04:00', '2026-09-07T03:00'],
    ],
    [
      'a day that a zone left out',
      '0 12 * * *',
      'Pacific/Apia',
      '2011-12-29T00:00Z',
      ['2011-12-29T22:00', '2011-12-30T10:00', '2011-12-30T22:00'],
    ],
    ['a leap day', '0 9 29 2 *', 'UTC', '2026-01-01T00:00Z', ['2028-02-29T09:00', '2032-02-29T09:00']],
    [
      'a day of the month or of the week',
      '0 9 1 * MON',
      'UTC',
      '2026-01-01T00:00Z',
      ['2026-01-01T09:00', '2026-01-05T09:00'],
    ],
    ['the last day of a month', '0 9 L * *', 'UTC', '2026-02-01T00:00Z', ['2026-02-28T09:00', '2026-03-31T09:00']],
  ])('%s', (_title, cron, zone, from, times) => {
    expect(timesOf(cron, zone, from, times.length)).toEqual(times);
  });

  it.each(['Europe/Berlin', 'Australia/Lord_Howe', 'America/St_Johns'])(
    'of every hour are all minutes of a year that the clock of %s shows as such',
    (zone) => {
      const [from, until] = [Date.parse('2026-01-01T00:00Z'), Date.parse('2027-01-01T00:00Z')];
      const found: number[] = [];
      for (let ms = from + 300_000; ms <= until; ms += 300_000) {
        if (new Date(localTime(zone, ms)).getUTCMinutes() % 20 === 0) found.push(ms);
      }
      expect(new CronTimes('*/20 * * * *', zone).times(from, Infinity, until)).toEqual(found);
    },
  );

  it.each<[cron: string, zone: string, field: string, words: RegExp]>([
    ['* * * *', 'UTC', 'cron', /^give five fields: minute, hour/],
    ['0 0 * * * *', 'UTC', 'cron', /^give five fields/],
    ['@daily', 'UTC', 'cron', /^give five fields/],
    ['61 * * * *', 'UTC', 'cron', /^Invalid value for minute: 61/],
    ['0 9 * FOO *', 'UTC', 'cron', /\(FOO\)/],
    ['0 0 30 2 *', 'UTC', 'cron', /^there is never such a day$/],
    ['0 9 * * *', 'Europe/Nowhere', 'time_zone', /no time zone "Europe\/Nowhere": give its IANA name/],
    ['0 9 * * *', '+02:00', 'time_zone', /no time zone/],
    ['0 9 * * *', '', 'time_zone', /no time zone/],
  ])('are refused for %p in %p', (cron, zone, field, words) => {
    let problem: unknown;
    try {
      new CronTimes(cron, zone);
    } catch (error) {
      problem = error;
    }
    expect(problem).toBeInstanceOf(CronProblem);
    expect(problem).toMatchObject({ field, message: expect.stringMatching(words) });
  });
});
