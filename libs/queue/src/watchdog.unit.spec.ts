import { restoreLogs, silenceLogs, until } from '#libs/testing';
import { type Watched, Watchdog } from './watchdog.js';

const times = { lookMs: 2, looks: 3, lives: 3 };

/** A lane whose consumers take nothing by themselves. */
class Still implements Watched {
  lane = 'queue-1';
  renewals = 0;
  looks = 0;
  takes = 0;
  hasRoom = true;
  jobs: number | null = 5;
  /** What happens at each look. */
  meanwhile: () => void = () => undefined;

  taken(): number {
    return this.takes;
  }

  free(): boolean {
    return this.hasRoom;
  }

  async due(): Promise<number> {
    this.looks += 1;
    this.meanwhile();
    if (this.jobs === null) throw new Error('Redis does not answer');
    return this.jobs;
  }

  renew(): void {
    this.renewals += 1;
  }
}

describe('the watchdog of consumers', () => {
  let gaveUp: string[];
  let watchdog: Watchdog;
  beforeAll(silenceLogs);
  afterAll(restoreLogs);
  beforeEach(() => {
    gaveUp = [];
    watchdog = new Watchdog(times, (reason) => void gaveUp.push(reason));
  });
  afterEach(() => watchdog.close());

  const looked = async (lane: Still, times: number): Promise<void> => {
    const before = lane.looks;
    await until('it has looked', () => lane.looks >= before + times);
  };

  it('makes one anew that takes nothing of what is due, and says so', async () => {
    const lane = new Still();
    lane.meanwhile = () => {
      if (lane.renewals > 0) lane.jobs = 0;
    };
    watchdog.watch(lane);
    await until('it is made anew', () => lane.renewals === 1);
    expect(lane.looks).toBeGreaterThanOrEqual(times.looks);
    expect(watchdog.renewed.get('queue-1')).toBe(1);
    await looked(lane, 20);
    expect([lane.renewals, gaveUp]).toEqual([1, []]);
  });

  it.each<[string, (lane: Still) => void]>([
    ['takes jobs, however many are due', (lane) => (lane.meanwhile = () => void (lane.takes += 1))],
    ['has no room', (lane) => (lane.hasRoom = false)],
    ['has nothing to take', (lane) => (lane.jobs = 0)],
    ['could take nothing, because Redis does not answer', (lane) => (lane.jobs = null)],
  ])('leaves one alone that %s', async (_what, prepare) => {
    const lane = new Still();
    prepare(lane);
    watchdog.watch(lane);
    await looked(lane, 20);
    expect(lane.renewals).toBe(0);
  });

  it('gives up when new ones take nothing either', async () => {
    const lane = new Still();
    watchdog.watch(lane);
    await until('it gives up', () => gaveUp.length > 0);
    expect(lane.renewals).toBe(times.lives - 1);
    expect(gaveUp).toEqual([
      expect.stringContaining('5 jobs of queue-1 are due, and 2 new consumers in a row took none'),
    ]);
  });

  it('does not give up while new ones take something', async () => {
    const lane = new Still();
    watchdog.watch(lane);
    let renewals = 0;
    lane.meanwhile = () => {
      if (lane.renewals === renewals) return;
      renewals = lane.renewals;
      lane.takes += 1;
    };
    await until('it was made anew more often than in a row', () => lane.renewals > times.lives);
    expect(gaveUp).toEqual([]);
  });
});
