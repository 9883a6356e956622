import { appChanged, inboundParse, type JobContract, messageRoute, newId } from '#libs/contracts';
import { queuePrefix } from './connection.js';
import { isSharded, shardOf } from './shards.js';

const contract = messageRoute as JobContract;
const projects = Array.from({ length: 8_000 }, () => newId('prj'));
const shardsOf = (shards: number): number[] => projects.map((project_id) => shardOf(contract, { project_id }, shards));

describe('the shard of a job', () => {
  it.each([2, 3, 4, 7, 16])('is one of %d, each for about as many projects', (shards) => {
    const counts = Array.from({ length: shards }, () => 0);
    for (const shard of shardsOf(shards)) counts[shard] = (counts[shard] ?? 0) + 1;
    expect(counts).toHaveLength(shards);
    const fair = projects.length / shards;
    for (const count of counts) expect(Math.abs(count - fair)).toBeLessThan(fair / 4);
  });

  it('stays where it is with more shards, or moves to a new one', () => {
    const [two, four] = [shardsOf(2), shardsOf(4)];
    const moved = projects.map((_, at) => [two[at] ?? 0, four[at] ?? 0]).filter(([before, after]) => before !== after);
    expect(moved.every(([, after = 0]) => after >= 2)).toBe(true);
    expect(moved.length).toBeLessThan(projects.length * 0.55);
  });

  it('is the first without a project, in a queue that is not split, and where there is one', () => {
    const [project_id] = projects.filter((_, at) => shardsOf(4)[at] !== 0);
    expect(shardOf(contract, { project_id }, 4)).toBeGreaterThan(0);
    expect(shardOf(contract, {}, 4)).toBe(0);
    expect(shardOf(appChanged as JobContract, { project_id }, 4)).toBe(0);
    expect(shardOf(contract, { project_id }, 1)).toBe(0);
  });
});

describe('the keys of shards', () => {
  const split = ['inbound', 'route', 'turns', 'outbound'];
  const slotOf = (queue: string, shard: number): number => crc16(queuePrefix(queue, shard).slice(1, -1)) % 16_384;
  /** Which of so many nodes, which share the slots evenly. */
  const nodeOf = (queue: string, shard: number, nodes: number): number =>
    Math.floor((slotOf(queue, shard) * nodes) / 16_384);

  it('are those of an installation without shards for the first', () => {
    expect(queuePrefix(inboundParse.queue)).toBe('{gatehouse:q:inbound}');
    expect(queuePrefix(inboundParse.queue, 0)).toBe(queuePrefix(inboundParse.queue));
  });

  it.each([
    [2, 2],
    [2, 3],
    [4, 4],
  ])('of %d shards of a queue lie on different ones of %d nodes', (shards, nodes) => {
    for (const queue of split) {
      expect(isSharded(queue)).toBe(true);
      const used = new Set(Array.from({ length: shards }, (_, shard) => nodeOf(queue, shard, nodes)));
      expect([queue, used.size]).toEqual([queue, shards]);
    }
  });

  it.each([2, 3, 4])('of four shards of the four queues are spread evenly over %d nodes', (nodes) => {
    const counts = Array.from({ length: nodes }, () => 0);
    for (const queue of split) {
      for (let shard = 0; shard < 4; shard += 1) {
        const node = nodeOf(queue, shard, nodes);
        counts[node] = (counts[node] ?? 0) + 1;
      }
    }
    expect(Math.max(...counts)).toBeLessThanOrEqual(Math.ceil(16 / nodes));
  });
});

/** CRC-16/XMODEM of a hash tag, as a Cluster's slots are defined. */
function crc16(text: string): number {
  let crc = 0;
  for (const byte of Buffer.from(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return crc;
}
