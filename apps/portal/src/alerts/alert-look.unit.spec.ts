import type { ReportedItem } from '../attention/attention-list.js';
import { type Look, lookOf } from './alert-look.js';
import type { AlertRule } from './alert-rule.entity.js';
import { type CauseState, mostStill } from './next-cause.js';

const startMs = Date.parse('2026-01-14T12:00:00Z');
const minuteMs = 60_000;
const rule: AlertRule = {
  id: 'alr_1',
  organization_id: 'org_1',
  project_id: 'prj_1',
  name: 'Operations',
  enabled: true,
  codes: [],
  rate: null,
  receivers: [{ app_id: 'app_mail', address: 'ops@example.com', kind: 'adapter' }],
  quiet: null,
  after_minutes: 0,
  still_minutes: 60,
  muted_until: null,
  created_at: new Date(startMs),
  updated_at: new Date(startMs),
};
const item = (code: string, id: string | null = null): ReportedItem => ({
  code,
  severity: 'error',
  text: `${code} happened`,
  what_to_do: 'Repair it.',
  resource: { kind: 'app', id },
  count: 1,
  since: null,
  scope: 'events:read',
  service: 'router',
});

/** A rule over time: what is stored of one look is what the next one finds. */
class Watched {
  causes: CauseState[] = [];
  heard: string[] = [];
  rule: AlertRule;

  constructor(change: Partial<AlertRule> = {}) {
    this.rule = { ...rule, ...change };
  }

  look(minutes: number, items: ReportedItem[], { unknown = [] as string[], muted = [] as string[] } = {}): Look {
    const now = new Date(startMs + minutes * minuteMs);
    const look = lookOf(this.rule, this.causes, { items, unknown, muted: new Set(muted), now });
    const kept = new Set([...look.keep.map(({ cause }) => cause), ...look.end]);
    this.causes = [...this.causes.filter(({ cause }) => !kept.has(cause)), ...look.keep];
    this.heard.push(...look.say.map(({ news, cause }) => `${minutes} ${news} ${cause.cause}`));
    return look;
  }
}

describe('a cause', () => {
  it('is sent once, and that it is over once it was gone for a while', () => {
    const watched = new Watched();
    watched.look(0, [item('replies_dead', 'app_1')]);
    watched.look(1, [item('replies_dead', 'app_1')]);
    watched.look(2, []);
    watched.look(2.5, [item('replies_dead', 'app_1')]);
    watched.look(3, []);
    watched.look(4, []);
    watched.look(5, []);
    expect(watched.heard).toEqual(['0 began replies_dead app app_1', '4 over replies_dead app app_1']);
    expect(watched.causes).toEqual([]);
  });

  it('is one alert however many items it has', () => {
    const watched = new Watched();
    watched.look(0, [item('replies_wait', 'app_1'), item('replies_wait', 'app_1'), item('replies_wait', 'app_2')]);
    expect(watched.heard).toEqual(['0 began replies_wait app app_1', '0 began replies_wait app app_2']);
  });

  it('that ends before its time is never sent', () => {
    const watched = new Watched({ after_minutes: 5 });
    watched.look(0, [item('service_slow')]);
    watched.look(4, [item('service_slow')]);
    watched.look(4.5, []);
    watched.look(6, [item('service_slow')]);
    watched.look(10, [item('service_slow')]);
    watched.look(11, [item('service_slow')]);
    expect(watched.heard).toEqual(['11 began service_slow app']);
  });

  it('that lasts is sent again after pauses that double, and no more than so often', () => {
    const watched = new Watched();
    for (let hour = 0; hour < 1_000; hour += 1) watched.look(hour * 60, [item('model_away')]);
    expect(watched.heard.map((line) => Number(line.split(' ')[0]) / 60)).toEqual([0, 1, 3, 7, 15, 31]);
    expect(watched.heard).toHaveLength(mostStill + 1);
  });

  it('is not over while the service that reported it does not answer', () => {
    const watched = new Watched();
    watched.look(0, [item('replies_dead', 'app_1')]);
    for (const minute of [1, 2, 30]) watched.look(minute, [], { unknown: ['router'] });
    watched.look(31, [item('replies_dead', 'app_1')]);
    expect(watched.heard).toEqual(['0 began replies_dead app app_1']);
  });

  it('that is muted is not sent, and is when that ends', () => {
    const watched = new Watched();
    watched.look(0, [item('model_away')], { muted: ['model_away app'] });
    watched.look(1, [item('model_away')]);
    watched.look(2, [], { muted: ['model_away app'] });
    watched.look(9, []);
    expect(watched.heard).toEqual(['1 began model_away app']);
  });
});

describe('a rule', () => {
  it('says nothing in its quiet hours, and then what is still so', () => {
    const watched = new Watched({ quiet: { from: '12:00', to: '13:00', time_zone: 'UTC', weekends: false } });
    watched.look(-5, [item('weak_secret', 'app_1')]);
    watched.look(0, [item('model_away'), item('queue_stands')]);
    watched.look(30, [item('model_away')]);
    watched.look(61, [item('model_away')]);
    expect(watched.heard).toEqual(
      ['-5 began weak_secret app app_1', '61 over weak_secret app app_1', '61 began model_away app'].toSorted(
        (a, b) => watched.heard.indexOf(a) - watched.heard.indexOf(b),
      ),
    );
    expect(watched.heard).toHaveLength(3);
  });

  it('watches the codes that were chosen', () => {
    const watched = new Watched({ codes: ['model_away'] });
    watched.look(0, [item('model_away'), item('queue_stands')]);
    expect(watched.heard).toEqual(['0 began model_away app']);
  });

  it('on a rate watches that rate alone, and others watch none', () => {
    const rate = { measure: 'failed', over_percent: 5, minutes: 10, at_least: 10 } as const;
    const watched = new Watched({ codes: null, rate });
    watched.look(0, [item('rate_failed'), item('rate_refused'), item('model_away')]);
    expect(watched.heard).toEqual(['0 began rate_failed app']);
    const any = new Watched();
    any.look(0, [item('rate_failed')]);
    expect(any.heard).toEqual([]);
  });

  it('does not tell an App through that App that it does not deliver', () => {
    const watched = new Watched();
    for (const code of ['replies_wait', 'replies_dead', 'alerts_failing']) watched.look(0, [item(code, 'app_mail')]);
    expect(watched.heard).toEqual([]);
    watched.look(1, [item('replies_dead', 'app_other'), item('credentials_missing', 'app_mail')]);
    expect(watched.heard).toHaveLength(2);
  });

  it('that is off forgets what it saw without a word', () => {
    const watched = new Watched();
    watched.look(0, [item('model_away')]);
    watched.rule.enabled = false;
    expect(watched.look(1, [item('model_away')]).end).toEqual(['model_away app']);
    watched.look(5, []);
    expect(watched.heard).toHaveLength(1);
  });
});
